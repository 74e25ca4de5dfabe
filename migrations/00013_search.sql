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

-- What happened on each day, for the charts: written by a job, so that no visit
-- reads the ledger.
create table daily_figures (
  day  date not null,                                -- UTC
  kind text not null check (kind in ('repeats','unknown','decided','minutes','failures','retested')), -- minutes: to the decisions of that day, together
  n    bigint not null,
  primary key (day, kind)
);
create index counters_by_day on counters (day, kind);
create index decisions_by_time on decisions (at) where decision in ('approve','reject');
create index discrepancies_opened on discrepancies (opened_at);
create index discrepancies_closed on discrepancies (closed_at) where closed_at is not null;

-- A person sees where they are signed in, and can end one session.
alter table sessions
  add column id        bigint generated always as identity,
  add column person_id bigint,                       -- null: signed out
  add column epoch     bigint,                       -- of the person then; an older one is signed out
  add column device    text not null default '' check (length(device) <= 200),
  add column address   text not null default '' check (length(address) <= 100),
  add column began_at  timestamptz not null default now(),
  add column seen_at   timestamptz not null default now();
create index sessions_by_person on sessions (person_id, id) where person_id is not null;

-- +goose Down
alter table sessions drop column seen_at, drop column began_at, drop column address, drop column device, drop column epoch, drop column person_id, drop column id;
drop index discrepancies_closed, discrepancies_opened, decisions_by_time, counters_by_day;
drop table daily_figures;
drop index revisions_by_fingerprint, rules_by_word, people_by_word, destinations_by_word, controls_by_word, workflows_by_word;
drop function search_grams, search_text;
