-- +goose Up

-- Names are found by any part of a word, along GIN indexes of their three-letter
-- pieces. pg_trgm would do the same, but a role that may not create extensions
-- could not migrate then. Identifiers need nothing: they are found from their
-- beginning, along indexes that are there.

-- +goose StatementBegin
create function search_text(t text) returns text language sql immutable strict parallel safe as
$$ select ' ' || lower(translate(t, '-_./@:,', '       ')) $$;

create function search_grams(t text) returns text[] language sql immutable strict parallel safe as
$$ select coalesce(array_agg(distinct substr(t, i, 3)), '{}') from generate_series(1, length(t) - 2) i $$;
-- +goose StatementEnd

create index workflows_by_word on workflows using gin (search_grams(search_text(name || ' ' || slug)));
create index controls_by_word on controls using gin (search_grams(search_text(name || ' ' || slug || ' ' || effect)));
create index destinations_by_word on destinations using gin (search_grams(search_text(system || ' ' || account || ' ' || slug)));
create index people_by_word on people using gin (search_grams(search_text(name || ' ' || email)));
create index rules_by_word on answers using gin (search_grams(search_text(value)))
  where field in ('transport_event','business_record','action_identity','legitimate_repeat') and value <> '';
create index revisions_by_fingerprint on revisions (full_hash text_pattern_ops) where full_hash is not null;

-- +goose Down
drop index revisions_by_fingerprint, rules_by_word, people_by_word, destinations_by_word, controls_by_word, workflows_by_word;
drop function search_grams, search_text;
