-- +goose Up

-- +goose StatementBegin
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end $$;
-- +goose StatementEnd

------------------------------------------------------------------ people

create table people (
  id            bigint generated always as identity primary key,
  email         text not null check (email = lower(email) and length(email) between 3 and 254),
  name          text not null check (length(name) between 1 and 200),
  password_hash text not null default '',           -- argon2id; empty: invited, cannot sign in yet
  time_zone     text not null default 'UTC',
  session_epoch bigint not null default 1,          -- sessions of an older epoch are signed out
  active        boolean not null default true,
  created_at    timestamptz not null default now(),
  version       bigint not null default 1
);
create unique index people_email on people (email);
create index people_by_name on people (name, id);

create table role_grants (
  person_id  bigint not null references people,
  role       text not null check (role in ('business_owner','implementer','reviewer','approver','viewer','admin')),
  granted_by bigint references people,
  granted_at timestamptz not null default now(),
  primary key (person_id, role)
);

create table delegations (
  id         bigint generated always as identity primary key,
  person_id  bigint not null references people,      -- who is away
  delegate_id bigint not null references people,     -- who stands in
  until      date not null,                          -- inclusive, UTC
  reason     text not null default '' check (length(reason) <= 2000),
  created_by bigint not null references people,
  created_at timestamptz not null default now(),
  ended_by   bigint references people,
  ended_at   timestamptz,
  check (person_id <> delegate_id),
  check ((ended_at is null) = (ended_by is null))
);
create unique index delegations_one_in_force on delegations (person_id) where ended_at is null;
create index delegations_by_delegate on delegations (delegate_id) where ended_at is null;

create table access_links (                          -- first-start set-up link and invitations
  id         bigint generated always as identity primary key,
  token_hash bytea not null unique,                  -- SHA-256 of the token; the token itself is shown once
  kind       text not null check (kind in ('setup','invite')),
  person_id  bigint references people,
  created_by bigint references people,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz,
  check ((kind = 'invite') = (person_id is not null))
);

create table sign_ins (                              -- successes and failures, for throttling and for the person to see
  id        bigint generated always as identity primary key,
  email     text not null,
  address   text not null,
  succeeded boolean not null,
  at        timestamptz not null default now()
);
create index sign_ins_by_email on sign_ins (email, at);
create index sign_ins_by_address on sign_ins (address, at);

create table sessions (                              -- alexedwards/scs pgxstore
  token  text primary key,
  data   bytea not null,
  expiry timestamptz not null
);
create index sessions_expiry on sessions (expiry);
create table ended_sessions (                        -- signed out: a request still under way must not bring one back
  token text primary key,
  at    timestamptz not null default now()
);
create index ended_sessions_at on ended_sessions (at);

------------------------------------------------------- ground floor

create table submissions (                           -- a form sent twice gets the first answer
  key       text primary key,                        -- SHA-256, hex, of person, command, form id and content
  answer    jsonb not null,
  at        timestamptz not null default now()
);
create index submissions_at on submissions (at);

create table audit_events (
  id           bigint primary key,                   -- gapless, in commit order
  at           timestamptz not null,
  person_id    bigint references people,             -- null: the system itself
  for_person_id bigint references people,            -- whom a delegate stood for
  action       text not null,                        -- object.verb, e.g. control.answered
  object_type  text not null,
  object_id    bigint not null,
  object_label text not null,
  object_path  text not null default '',
  before       jsonb,
  after        jsonb,
  refused      boolean not null default false,
  reason       text not null default '',
  request_id   text not null default '',
  previous     bytea not null,                       -- hash of the event before; chains the log
  hash         bytea not null
);
create index audit_by_object on audit_events (object_type, object_id, id);
create index audit_by_person on audit_events (person_id, id);
create index audit_by_action on audit_events (action, id);
create index audit_by_at on audit_events (at, id);
create index audit_by_label on audit_events (lower(object_label) text_pattern_ops, id);
create index audit_refused on audit_events (id) where refused;
create trigger audit_append_only before update or delete on audit_events for each row execute function refuse_change();
create trigger audit_no_truncate before truncate on audit_events for each statement execute function refuse_change();

create table milestones (                            -- things that happen once to a workspace, e.g. demo data loaded
  name text primary key,
  at   timestamptz not null default now()
);

------------------------------------------------------------ workflows

create table environments (
  id                 bigint generated always as identity primary key,
  slug               text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
  name               text not null check (length(name) between 1 and 200),
  kind               text not null check (kind in ('test','production')),
  reaches_customers  boolean not null,               -- until confirmed, treated as true
  reach_set_by       bigint not null references people,
  reach_confirmed_by bigint references people,       -- somebody other than who set it
  reach_confirmed_at timestamptz,
  archived_at        timestamptz,
  created_at         timestamptz not null default now(),
  version            bigint not null default 1,
  check ((reach_confirmed_by is null) = (reach_confirmed_at is null)),
  check (reach_confirmed_by <> reach_set_by)
);
create unique index environments_slug on environments (slug);

-- +goose StatementBegin
create function environment_reach_one_way() returns trigger language plpgsql as $$
begin
  if old.reaches_customers and not new.reaches_customers then
    raise exception 'an environment that can reach customers stays so' using errcode = 'check_violation', constraint = 'environments_reach_one_way';
  end if;
  return new;
end $$;
-- +goose StatementEnd
create trigger environments_reach before update on environments for each row execute function environment_reach_one_way();

create table workflows (
  id                bigint generated always as identity primary key,
  slug              text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
  name              text not null check (length(name) between 1 and 200),
  description       text not null default '' check (length(description) <= 4000),
  business_owner_id bigint not null references people,
  implementer_id    bigint not null references people,
  reviewer_id       bigint not null references people,
  review_date       date,
  incident_plan_url text not null default '' check (length(incident_plan_url) <= 2000),
  help_contact      text not null default '' check (length(help_contact) <= 500),
  version_order     text not null default 'none' check (version_order in ('integer','rfc3339','none')),
  archived_at       timestamptz,
  created_by        bigint not null references people,
  created_at        timestamptz not null default now(),
  version           bigint not null default 1
);
create unique index workflows_slug on workflows (slug);
create index workflows_by_name on workflows (name, id);

create table stops (                                 -- the stop switch: a row while stopped, kept afterwards
  id          bigint generated always as identity primary key,
  workflow_id bigint not null references workflows,
  reason      text not null check (length(reason) between 1 and 4000),
  stopped_by  bigint not null references people,
  stopped_at  timestamptz not null default now(),
  lift_reason text not null default '' check (length(lift_reason) <= 4000),
  lifted_by   bigint references people,
  lifted_at   timestamptz,
  check ((lifted_by is null) = (lifted_at is null)),
  check (lifted_at is null or lift_reason <> '')
);
create unique index stops_one_in_force on stops (workflow_id) where lifted_at is null;

create table senders (
  id                   bigint generated always as identity primary key,
  workflow_id          bigint not null references workflows,
  slug                 text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
  name                 text not null check (length(name) between 1 and 200),
  event_id_field       text not null default '' check (length(event_id_field) <= 500),
  duplicates           text not null default 'not_checked' check (duplicates in ('possible','not_possible','not_checked')),
  ordering             text not null default 'not_checked' check (ordering in ('guaranteed','not_guaranteed','not_checked')),
  retry_schedule       text not null default '' check (length(retry_schedule) <= 2000),
  retry_horizon_hours  integer check (retry_horizon_hours between 0 and 87600),
  resend_horizon_hours integer check (resend_horizon_hours between 0 and 87600),
  signature            text not null default '' check (length(signature) <= 2000),
  version_field        text not null default '' check (length(version_field) <= 500),
  changing_fields      text not null default '' check (length(changing_fields) <= 2000),
  doc_url              text not null default '' check (length(doc_url) <= 2000),
  checked_on           date,
  checked_by           bigint references people,
  archived_at          timestamptz,
  created_at           timestamptz not null default now(),
  version              bigint not null default 1,
  check ((checked_on is null) = (checked_by is null))
);
create unique index senders_slug on senders (workflow_id, slug);

---------------------------------------------------------- destinations

create table destinations (                          -- a system and account, in one environment
  id             bigint generated always as identity primary key,
  slug           text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80), -- the account, part of every key
  system         text not null check (length(system) between 1 and 200),
  account        text not null check (length(account) between 1 and 200),
  environment_id bigint not null references environments,
  notes          text not null default '' check (length(notes) <= 4000),
  archived_at    timestamptz,
  created_at     timestamptz not null default now(),
  version        bigint not null default 1
);
create unique index destinations_slug on destinations (slug);
create index destinations_by_system on destinations (system, id);

create table operations (                            -- one call on a destination, with what its documentation says
  id                   bigint generated always as identity primary key,
  destination_id       bigint not null references destinations,
  slug                 text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
  name                 text not null check (length(name) between 1 and 200),
  call                 text not null default '' check (length(call) <= 500),
  mechanism            text not null default 'not_checked' check (mechanism in ('documented','none','not_checked')),
  key_field            text not null default '' check (length(key_field) <= 500),
  key_lifetime_hours   integer check (key_lifetime_hours between 0 and 876000),
  repeat_returns       text not null default '' check (length(repeat_returns) <= 4000),
  same_key_other_data  text not null default '' check (length(same_key_other_data) <= 4000),
  lookup_method        text not null default '' check (length(lookup_method) <= 2000),
  doc_url              text not null default '' check (length(doc_url) <= 2000),
  checked_on           date,
  checked_by           bigint references people,
  notes                text not null default '' check (length(notes) <= 4000),
  archived_at          timestamptz,
  created_at           timestamptz not null default now(),
  version              bigint not null default 1,
  check ((checked_on is null) = (checked_by is null)),
  check (mechanism <> 'documented' or doc_url <> '')
);
create unique index operations_slug on operations (destination_id, slug);

-------------------------------------------------------------- controls

create table controls (
  id                   bigint generated always as identity primary key,
  slug                 text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
  name                 text not null check (length(name) between 1 and 200),
  workflow_id          bigint not null references workflows,
  effect               text not null check (effect ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(effect) <= 80),
  unresolved           integer not null check (unresolved >= 0),       -- required fields still open; kept by every answer
  open_questions       integer not null default 0 check (open_questions >= 0),
  latest_revision_id   bigint,                       -- foreign keys below
  approved_revision_id bigint,
  business_owner_id    bigint references people,     -- whom the current answers name; kept by every answer
  implementer_id       bigint references people,
  reviewer_id          bigint references people,
  created_by           bigint not null references people,
  created_at           timestamptz not null default now(),
  changed_at           timestamptz not null default now(),
  version              bigint not null default 1
);
create unique index controls_slug on controls (slug);
create index controls_by_name on controls (name, id);
create index controls_by_workflow on controls (workflow_id, name, id);
create index controls_by_owner on controls (business_owner_id, name, id);
create index controls_by_implementer on controls (implementer_id, name, id);
create index controls_by_reviewer on controls (reviewer_id, name, id);

create table control_accounts (                      -- one (environment, account, effect) belongs to one control
  control_id     bigint not null references controls,
  environment_id bigint not null references environments,
  destination_id bigint not null references destinations,
  effect         text not null,
  primary key (control_id, environment_id)
);
create unique index control_accounts_one_owner on control_accounts (environment_id, destination_id, effect);
create trigger control_accounts_fixed before update or delete on control_accounts for each row execute function refuse_change();

create table revisions (
  id           bigint generated always as identity primary key,
  control_id   bigint not null references controls,
  number       integer not null check (number > 0),
  state        text not null check (state in ('draft','in_review','changes_requested','approved','superseded')),
  started_by   bigint not null references people,
  started_at   timestamptz not null default now(),
  submitted_by bigint references people,
  submitted_at timestamptz,
  content      text,                                 -- RFC 8785 canonical JSON; null while a draft
  design_hash  text check (design_hash ~ '^[0-9a-f]{64}$'),
  full_hash    text check (full_hash ~ '^[0-9a-f]{64}$'),
  review_date  date,                                 -- copied from the frozen content for lists and the gate
  mode         text check (mode in ('observe','enforce')),
  automatic_retries integer check (automatic_retries >= 0),
  decided_at   timestamptz,
  expired_at   timestamptz,                          -- when the passing of the review date was noted
  version      bigint not null default 1,
  check (state = 'draft' or (content is not null and design_hash is not null and full_hash is not null and submitted_by is not null and submitted_at is not null)),
  check ((state in ('approved','superseded','changes_requested')) = (decided_at is not null))
);
create unique index revisions_number on revisions (control_id, number);
create unique index revisions_one_open on revisions (control_id) where state in ('draft','in_review');
create unique index revisions_one_approved on revisions (control_id) where state = 'approved';
create index revisions_to_expire on revisions (review_date) where state = 'approved' and expired_at is null;
alter table controls add foreign key (latest_revision_id) references revisions deferrable initially deferred;
alter table controls add foreign key (approved_revision_id) references revisions;

create table answers (                               -- append-only; the highest version of a field is the current one
  id          bigint generated always as identity primary key,
  control_id  bigint not null references controls,
  revision_id bigint not null references revisions,
  field       text not null,
  version     integer not null check (version > 0),
  state       text not null check (state in ('unresolved','answered','not_applicable')),
  value       text not null default '' check (length(value) <= 10000),
  data        jsonb,
  reason      text not null default '' check (length(reason) <= 4000),
  person_id   bigint not null references people,
  for_person_id bigint references people,
  at          timestamptz not null default now(),
  check (state <> 'answered' or value <> '' or data is not null),
  check (state <> 'not_applicable' or reason <> '')
);
create unique index answers_version on answers (control_id, field, version);
create trigger answers_append_only before update or delete on answers for each row execute function refuse_change();

create table comments (                              -- the thread of a field
  id          bigint generated always as identity primary key,
  control_id  bigint not null references controls,
  revision_id bigint not null references revisions,
  field       text not null,
  parent_id   bigint references comments,            -- a reply's question or comment
  kind        text not null check (kind in ('comment','question','reply')),
  body        text not null check (length(body) between 1 and 4000),
  in_review   boolean not null default false,        -- opened while the revision was in review
  person_id   bigint not null references people,
  for_person_id bigint references people,
  at          timestamptz not null default now(),
  check ((kind = 'reply') = (parent_id is not null))
);
create index comments_by_field on comments (control_id, field, id);

create table question_closings (
  comment_id bigint primary key references comments,
  person_id  bigint not null references people,
  for_person_id bigint references people,
  at         timestamptz not null default now()
);

------------------------------------------------------------- sign-off

create table signatures (
  id            bigint generated always as identity primary key,
  revision_id   bigint not null references revisions,
  slot          text not null check (slot in ('business_owner','implementer','reviewer')),
  person_id     bigint not null references people,   -- who signed
  for_person_id bigint references people,            -- whom a delegate stood for
  decision      text not null check (decision in ('approve','changes')),
  note          text not null default '' check (length(note) <= 4000),
  full_hash     text not null check (full_hash ~ '^[0-9a-f]{64}$'),
  at            timestamptz not null default now(),
  voided_at     timestamptz,
  void_reason   text not null default '',
  check (decision <> 'changes' or note <> '')
);
create unique index signatures_one_per_slot on signatures (revision_id, slot) where voided_at is null;
create unique index signatures_one_per_person on signatures (revision_id, person_id) where voided_at is null;
create index signatures_by_revision on signatures (revision_id, id);

-- +goose Down
drop table signatures, question_closings, comments, answers, control_accounts;
alter table controls drop column latest_revision_id, drop column approved_revision_id;
drop table revisions, controls, operations, destinations, senders, stops, workflows, environments;
drop function environment_reach_one_way;
drop table milestones, audit_events, submissions, ended_sessions, sessions, sign_ins, access_links, delegations, role_grants, people;
drop function refuse_change;
