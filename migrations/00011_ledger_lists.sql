-- +goose Up

-- The lists of the ledger are short walks along an index in the order of time, one
-- for each environment and state (and control or workflow) asked for, whatever the
-- filter: none of them reads past what it shows.
create index actions_listed on actions (environment_id, state, created_at, id);
create index actions_of_control on actions (control_id, environment_id, state, created_at, id);
create index actions_held on actions (workflow_id, id) where state = 'pending';
create index actions_waiting on actions (workflow_id, changed_at, id) where state = 'unknown' and request_id is null; -- for whoever implements the workflow
drop index actions_unasked;
drop index actions_by_state, actions_by_control, actions_by_time;

create index deliveries_listed on deliveries (environment_id, disposition, received_at, id);
create index deliveries_of_workflow on deliveries (workflow_id, environment_id, disposition, received_at, id);
create index deliveries_stored on deliveries (workflow_id, id) where payload is not null; -- for the identity lab
drop index deliveries_by_disposition, deliveries_by_time;

-- +goose Down
create index actions_by_state on actions (state, id);
create index actions_by_control on actions (control_id, id);
create index actions_by_time on actions using brin (created_at) with (pages_per_range = 16);
create index actions_unasked on actions (changed_at, id) where state = 'unknown' and request_id is null;
drop index actions_listed, actions_of_control, actions_held, actions_waiting;
create index deliveries_by_disposition on deliveries (disposition, id);
create index deliveries_by_time on deliveries using brin (received_at) with (pages_per_range = 16);
drop index deliveries_listed, deliveries_of_workflow, deliveries_stored;
