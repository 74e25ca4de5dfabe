-- +goose Up
-- Claims that were refused before there was an action: the page of their request lists them.
create index suppressed_by_record on suppressed_claims (workflow_id, environment_id, record_id, id) where action_id is null;
create index reviews_by_suppressed on review_items (suppressed_id) where suppressed_id is not null;

-- +goose Down
drop index suppressed_by_record, reviews_by_suppressed;
