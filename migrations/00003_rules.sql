-- +goose Up

create table rule_states (                           -- each control's four identity rules as lists show them; kept by every answer
  control_id bigint not null references controls,
  field      text not null check (field in ('transport_event','business_record','action_identity','legitimate_repeat')),
  position   integer not null check (position between 1 and 4),
  state      text not null default 'unresolved' check (state in ('unresolved','flagged','answered','not_applicable')), -- flagged: written, with findings that block
  version    integer not null default 0,             -- of the answer
  findings   integer not null default 0 check (findings >= 0),   -- those that block
  warnings   integer not null default 0 check (warnings >= 0),
  primary key (control_id, field)
);
create unique index rule_states_in_order on rule_states (control_id, position);

create table rule_reasons (                          -- append-only; why the owner keeps a finding; the newest of a finding counts
  id          bigint generated always as identity primary key,
  control_id  bigint not null references controls,
  revision_id bigint not null references revisions,
  field       text not null,
  finding     text not null check (length(finding) between 1 and 400),
  reason      text not null check (length(reason) between 1 and 2000),
  person_id   bigint not null references people,
  for_person_id bigint references people,
  at          timestamptz not null default now()
);
create index rule_reasons_by_finding on rule_reasons (control_id, finding, id);
create trigger rule_reasons_append_only before update or delete on rule_reasons for each row execute function refuse_change();

create table lab_pairs (                             -- two inputs and what they must be to each other
  id            bigint generated always as identity primary key,
  control_id    bigint not null references controls,
  name          text not null check (length(name) between 1 and 200),
  input_a       text not null check (length(input_a) <= 65536),
  input_b       text not null check (length(input_b) <= 65536),
  environment_a text not null check (length(environment_a) <= 80),
  account_a     text not null check (length(account_a) <= 80),
  environment_b text not null check (length(environment_b) <= 80),
  account_b     text not null check (length(account_b) <= 80),
  expected      text not null check (expected in ('same_delivery','same_action','legitimate_repeat','different_action','goes_to_review','keys_never_cross')),
  verdict       text not null check (verdict in ('same_delivery','same_action','legitimate_repeat','different_action','goes_to_review','keys_never_cross')), -- under the rules as they stand
  note          text not null default '' check (length(note) <= 2000),
  created_by    bigint not null references people,
  created_for   bigint references people,
  created_at    timestamptz not null default now(),
  archived_by   bigint references people,
  archived_at   timestamptz,
  check ((archived_by is null) = (archived_at is null))
);
create unique index lab_pairs_name on lab_pairs (control_id, lower(name)) where archived_at is null;

alter table controls
  add column rule_findings    integer not null default 0 check (rule_findings >= 0), -- those that block
  add column broken_pairs     integer not null default 0 check (broken_pairs >= 0),
  add column rules_checked_at timestamptz;

insert into rule_states (control_id, field, position)
select c.id, k.field, k.position from controls c
cross join (values ('transport_event', 1), ('business_record', 2), ('action_identity', 3), ('legitimate_repeat', 4)) k(field, position);

-- +goose Down
alter table controls drop column rule_findings, drop column broken_pairs, drop column rules_checked_at;
drop table lab_pairs, rule_reasons, rule_states;
