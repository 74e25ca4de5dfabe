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

------------------------------------------------------------- requests

create table requests (                              -- to try one action again; see models/replay
  id             bigint generated always as identity primary key,
  action_id      bigint not null references actions,
  workflow_id    bigint not null references workflows,
  environment_id bigint not null references environments,
  control_id     bigint not null references controls,
  state          text not null default 'pending' check (state in ('pending','evidence_wanted','approved','started','finished','rejected','withdrawn','expired','lapsed','overtaken')),
  reason         text not null check (length(reason) between 1 and 4000),
  uncertain      text not null check (length(uncertain) between 1 and 4000),
  policy_id      bigint not null references policy_versions, -- frozen: what counts for this request
  asked_by       bigint not null references people,  -- the person, or the creator of the token
  asked_for      bigint references people,
  token_id       bigint references tokens,
  asked_at       timestamptz not null default now(),
  level          integer not null default 1,         -- the highest whose people were told
  unanswered     boolean not null default false,     -- the time of the last level passed
  next_at        timestamptz not null,               -- pending: when the level is due; evidence wanted: when it would expire if the clock ran; approved: when it lapses
  expires_at     timestamptz,                        -- null while evidence is wanted, and once decided
  paused_at      timestamptz,
  paused_minutes integer not null default 0,         -- that the level had left, of the policy's hours
  paused_seconds bigint not null default 0,          -- until it would have expired
  authorization_id bigint references authorizations,
  attempt_id     bigint references attempts,
  ending         text not null default '' check (length(ending) <= 1000), -- why it ended without a decision
  closed_at      timestamptz,
  version        bigint not null default 1,
  check ((closed_at is null) = (state in ('pending','evidence_wanted','approved','started'))),
  check ((state = 'evidence_wanted') = (paused_at is not null)),
  check (state <> 'pending' or expires_at is not null),
  check (authorization_id is not null or state not in ('approved','started','finished','lapsed')),
  check (attempt_id is not null or state not in ('started','finished'))
);
create unique index requests_one_open on requests (action_id) where closed_at is null;
create index requests_by_action on requests (action_id, id);
create index requests_open on requests (next_at, id) where closed_at is null;
create index requests_for_level on requests (policy_id, level, next_at, id) where state = 'pending';
create index requests_due on requests (next_at) where state = 'pending' and not unanswered;
create index requests_to_expire on requests (expires_at) where state = 'pending';
create index requests_to_start on requests (next_at) where state = 'approved';
create index requests_started on requests (id) where state = 'started';
create index requests_of_asker on requests (asked_by, id) where state in ('evidence_wanted','approved');
create index requests_closed on requests (closed_at, id) where closed_at is not null;
create index requests_by_workflow on requests (workflow_id, id);

-- +goose StatementBegin
create function requests_stay() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.closed_at is not null
     or (new.id, new.action_id, new.reason, new.uncertain, new.policy_id, new.asked_by, new.asked_for, new.token_id, new.asked_at)
        is distinct from (old.id, old.action_id, old.reason, old.uncertain, old.policy_id, old.asked_by, old.asked_for, old.token_id, old.asked_at) then
    raise exception 'a request keeps what was asked, and its end: % refused', tg_op using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
-- +goose StatementEnd
create trigger requests_stay before update or delete on requests for each row execute function requests_stay();

create table request_levels (                        -- when each level is due
  request_id bigint not null references requests,
  number     integer not null check (number > 0),
  minutes    integer not null check (minutes > 0),   -- to respond, of the policy's hours
  due_at     timestamptz not null,
  told_at    timestamptz,                            -- when its people were told
  primary key (request_id, number)
);

create table decisions (                             -- append-only; what people did to a request
  id            bigint generated always as identity primary key,
  request_id    bigint not null references requests,
  decision      text not null check (decision in ('approve','reject','return','supply','withdraw')),
  note          text not null default '' check (length(note) <= 4000),
  acknowledged  jsonb not null default '[]',         -- of an approval: what was ticked, in words
  seen          text not null default '',            -- of an approval: what stood then
  level         integer not null default 0,          -- reached then
  person_id     bigint not null references people,
  for_person_id bigint references people,
  at            timestamptz not null default now(),
  check (decision = 'approve' or note <> '')
);
create index decisions_by_request on decisions (request_id, id);
create trigger decisions_append_only before update or delete on decisions for each row execute function refuse_change();

create table refused_tries (                         -- append-only; decisions and starts that were refused
  id         bigint generated always as identity primary key,
  request_id bigint not null references requests,
  what       text not null check (what in ('approve','reject','return','supply','withdraw','start')),
  why        text not null check (length(why) between 1 and 2000),
  person_id  bigint references people,
  token_id   bigint references tokens,
  at         timestamptz not null default now()
);
create index refused_tries_by_request on refused_tries (request_id, id);
create trigger refused_tries_append_only before update or delete on refused_tries for each row execute function refuse_change();

create table request_views (                         -- who was shown what, the first time each
  request_id bigint not null references requests,
  person_id  bigint not null references people,
  seen       text not null check (length(seen) <= 300),
  at         timestamptz not null default now(),
  primary key (request_id, person_id, seen)
);
create trigger request_views_append_only before update or delete on request_views for each row execute function refuse_change();

alter table actions add column request_id bigint references requests; -- the open one; kept by its commands
create index actions_unasked on actions (changed_at, id) where state = 'unknown' and request_id is null; -- unknown, and nobody asked yet
create index actions_settled on actions (id) where state = 'succeeded' and request_id is not null; -- their requests are overtaken

-- +goose Down
alter table actions drop column request_id;
drop table request_views, refused_tries, decisions, request_levels, requests;
drop function requests_stay;
alter table workflows drop column escalation_policy_id;
drop table level_people, policy_levels, policy_versions, escalation_policies;
