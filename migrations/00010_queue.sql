-- +goose Up

-- Pages that are open are told that something changed: a notification names what,
-- and commits with the change. It says nothing about it; whoever hears it asks again.

-- +goose StatementBegin
create function tell_pages() returns trigger language plpgsql as $$
begin
  perform pg_notify('countersign_pages', case tg_table_name
    when 'requests' then 'RR-' || new.id
    when 'review_items' then case to_jsonb(new)->>'kind' when 'repeat' then 'LR-' else 'RV-' end || new.id
    when 'duplicates' then 'A-' || (to_jsonb(new)->>'action_id')
    when 'notices' then 'N-' || (to_jsonb(new)->>'person_id') -- whose inbox it is
    when 'actions' then 'RR-' || (to_jsonb(new)->>'request_id')
    else 'P-' || new.id end);
  return null;
end $$;
-- +goose StatementEnd
create trigger requests_told after insert or update on requests for each row execute function tell_pages();
create trigger review_items_told after insert or update of state on review_items for each row execute function tell_pages();
create trigger duplicates_told after insert or update of kind, settled_at on duplicates for each row execute function tell_pages();
-- Only what an open request rests on: telling of every action would have all commits wait for each other.
create trigger actions_told after update on actions for each row
  when (new.request_id is not null and (old.state, old.attempt_id, old.report_id, old.lookup_id) is distinct from (new.state, new.attempt_id, new.report_id, new.lookup_id))
  execute function tell_pages();
create trigger notices_told after insert or update of read_at on notices for each row execute function tell_pages();
create trigger people_told after update of active, session_epoch on people for each row execute function tell_pages();

create index review_items_waiting on review_items (asked_at, id) where state = 'open';
create index review_items_decided on review_items (decided_at, id) where decided_at is not null;
create index duplicates_waiting on duplicates (kind, opened_at, id) where settled_at is null;
create index duplicates_settled on duplicates (settled_at, id) where settled_at is not null;
create index webhook_deliveries_by_message on webhook_deliveries (message_id); -- messages go once none is left

-- +goose Down
drop index if exists webhook_deliveries_by_message;
drop index review_items_waiting, review_items_decided, duplicates_waiting, duplicates_settled;
drop trigger requests_told on requests;
drop trigger review_items_told on review_items;
drop trigger duplicates_told on duplicates;
drop trigger actions_told on actions;
drop trigger people_told on people;
drop trigger notices_told on notices;
drop function tell_pages;
