-- +goose Up

create table escalation_policies (                   -- who decides replays; what it says is in its versions
  id          bigint generated always as identity primary key,
  slug        text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
  name        text not null check (length(name) between 1 and 200),
  latest      integer not null default 1 check (latest > 0), -- number of its newest version
  archived_at timestamptz,
  created_by  bigint not null references people,
  created_at  timestamptz not null default now(),
  version     bigint not null default 1
);
create unique index escalation_policies_slug on escalation_policies (slug);
create index escalation_policies_by_name on escalation_policies (name, id);

create table policy_versions (                       -- append-only
  id                    bigint generated always as identity primary key,
  policy_id             bigint not null references escalation_policies,
  number                integer not null check (number > 0),
  expiry_days           integer not null check (expiry_days between 1 and 90), -- an undecided request expires after
  authorization_minutes integer not null check (authorization_minutes between 5 and 10080), -- an approval lapses after
  days                  text not null default '' check (days ~ '^[0-6]*$'), -- business days, 0 is Sunday; '': every hour of every day counts
  opens                 integer check (opens >= 0),  -- minutes since midnight in time_zone
  closes                integer check (closes <= 1440),
  time_zone             text not null default 'UTC',
  person_id             bigint not null references people,
  at                    timestamptz not null default now(),
  check ((days = '') = (opens is null) and (opens is null) = (closes is null)),
  check (opens < closes)
);
create unique index policy_versions_number on policy_versions (policy_id, number);
create trigger policy_versions_append_only before update or delete on policy_versions for each row execute function refuse_change();

create table policy_levels (
  version_id      bigint not null references policy_versions,
  number          integer not null check (number between 1 and 5),
  respond_minutes integer not null check (respond_minutes between 1 and 43200),
  primary key (version_id, number)
);
create trigger policy_levels_append_only before update or delete on policy_levels for each row execute function refuse_change();

create table level_people (
  version_id bigint not null,
  level      integer not null,
  person_id  bigint not null references people,
  primary key (version_id, level, person_id),
  foreign key (version_id, level) references policy_levels
);
create index level_people_by_person on level_people (person_id);
create trigger level_people_append_only before update or delete on level_people for each row execute function refuse_change();

alter table workflows add column escalation_policy_id bigint references escalation_policies;
create index workflows_by_policy on workflows (escalation_policy_id);

-- +goose Down
alter table workflows drop column escalation_policy_id;
drop table level_people, policy_levels, policy_versions, escalation_policies;
