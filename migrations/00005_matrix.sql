-- +goose Up

create table test_cases (                            -- a scenario for a control
  id         bigint generated always as identity primary key,
  control_id bigint not null references controls,
  key        text not null check (key ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(key) <= 80),
  position   integer not null check (position > 0),
  title      text not null check (length(title) between 1 and 200),
  custom     boolean not null default false,
  needs      jsonb not null default '[]',            -- evidence slots of a custom scenario; built-in ones have theirs in code
  created_by bigint references people,               -- null: built in
  created_at timestamptz not null default now()
);
create unique index test_cases_key on test_cases (control_id, key);
create unique index test_cases_position on test_cases (control_id, position);

create table expectations (                          -- append-only; what somebody proposes for a case
  id           bigint generated always as identity primary key,
  case_id      bigint not null references test_cases,
  version      integer not null check (version > 0),
  applies      boolean not null default true,        -- false: the scenario is not applicable
  expected     text not null default '' check (length(expected) <= 4000),
  reason       text not null default '' check (length(reason) <= 4000), -- why not applicable, or why it changes
  proposed_by  bigint not null references people,
  proposed_for bigint references people,
  at           timestamptz not null default now(),
  check (applies = (expected <> '')),
  check (applies or reason <> '')
);
create unique index expectations_version on expectations (case_id, version);
create trigger expectations_append_only before update or delete on expectations for each row execute function refuse_change();

create table expectation_effects (                   -- the watched effects and the agreed change of their count
  expectation_id bigint not null references expectations,
  control_id     bigint not null references controls, -- the control whose effect it is
  change         integer not null check (change between -1000000 and 1000000),
  primary key (expectation_id, control_id)
);
create trigger expectation_effects_append_only before update or delete on expectation_effects for each row execute function refuse_change();

create table expectation_decisions (                 -- append-only; the owner's word on one proposal
  expectation_id bigint primary key references expectations,
  decision       text not null check (decision in ('agreed','declined')),
  note           text not null default '' check (length(note) <= 4000),
  exception      boolean not null default false,     -- agreed while a discrepancy was open; shown at sign-off for good
  person_id      bigint not null references people,
  for_person_id  bigint references people,
  at             timestamptz not null default now(),
  check (decision = 'agreed' or note <> ''),
  check (not exception or note <> '')
);
create trigger expectation_decisions_append_only before update or delete on expectation_decisions for each row execute function refuse_change();

create table discrepancies (                         -- what a failed run opened
  id            bigint generated always as identity primary key,
  control_id    bigint not null references controls,
  case_id       bigint not null references test_cases,
  opened_at     timestamptz not null default now(),
  closed_by_run bigint,
  closed_at     timestamptz,
  check ((closed_by_run is null) = (closed_at is null))
);
create unique index discrepancies_one_open on discrepancies (case_id) where closed_at is null;
create index discrepancies_by_control on discrepancies (control_id, id);

create table runs (                                  -- the start, written before anything happens; append-only
  id             bigint generated always as identity primary key,
  control_id     bigint not null references controls,
  case_id        bigint not null references test_cases,
  revision_id    bigint not null references revisions,
  design_hash    text not null check (design_hash ~ '^[0-9a-f]{64}$'),
  expectation_id bigint not null references expectations,
  environment_id bigint not null references environments,
  retest_of      bigint references runs,             -- the failed run that this one answers
  discrepancy_id bigint references discrepancies,    -- of a retest: the one it may close
  correction     text not null default '' check (length(correction) <= 4000), -- of a retest: what was corrected
  starting_state text not null check (length(starting_state) between 1 and 4000),
  started_by     bigint not null references people,
  started_for    bigint references people,
  at             timestamptz not null default now(),
  check ((retest_of is null) = (correction = '')),
  check ((retest_of is null) = (discrepancy_id is null))
);
create index runs_by_case on runs (case_id, id);
create index runs_by_control on runs (control_id, id);
create trigger runs_append_only before update or delete on runs for each row execute function refuse_change();
alter table discrepancies add foreign key (closed_by_run) references runs;

create table run_counts (                            -- each watched effect: where, what was agreed, how many before
  run_id         bigint not null references runs,
  control_id     bigint not null references controls,
  destination_id bigint not null references destinations,
  change         integer not null,
  before         bigint not null check (before >= 0),
  primary key (run_id, control_id)
);
create trigger run_counts_append_only before update or delete on run_counts for each row execute function refuse_change();

create table run_results (                           -- what became of a started run; append-only
  run_id         bigint primary key references runs,
  outcome        text not null check (outcome in ('passed','failed','inconclusive','abandoned')), -- as the rules allow
  claimed        text not null check (claimed in ('passed','failed','inconclusive','abandoned')), -- as the button said
  observed       text not null default '' check (length(observed) <= 4000),
  log_reference  text not null default '' check (length(log_reference) <= 500),
  inspected      boolean not null default false,
  inspected_what text not null default '' check (length(inspected_what) <= 500),
  reason         text not null default '' check (length(reason) <= 4000), -- why abandoned
  discrepancy_id bigint references discrepancies,    -- of a failed run: the one it opened or joined
  person_id      bigint not null references people,
  for_person_id  bigint references people,
  at             timestamptz not null default now(),
  check (outcome <> 'abandoned' or reason <> ''),
  check (outcome = 'abandoned' or observed <> ''),
  check ((outcome = 'failed') = (discrepancy_id is not null))
);
create index run_results_by_discrepancy on run_results (discrepancy_id, run_id);
create trigger run_results_append_only before update or delete on run_results for each row execute function refuse_change();

create table run_after (                             -- counts after, of the effects of run_counts
  run_id     bigint not null references run_results,
  control_id bigint not null references controls,
  after      bigint not null check (after >= 0),
  primary key (run_id, control_id),
  foreign key (run_id, control_id) references run_counts
);
create trigger run_after_append_only before update or delete on run_after for each row execute function refuse_change();

create table run_evidence (
  run_id      bigint not null references runs,
  evidence_id bigint not null references evidence,
  slot        text not null check (length(slot) between 1 and 80),
  primary key (run_id, evidence_id)
);
create trigger run_evidence_append_only before update or delete on run_evidence for each row execute function refuse_change();

create table run_reviews (                           -- somebody else's word on a recorded run; one stands
  run_id        bigint primary key references run_results,
  decision      text not null check (decision in ('accepted','returned')),
  reason        text not null default '' check (length(reason) <= 4000),
  person_id     bigint not null references people,
  for_person_id bigint references people,
  at            timestamptz not null default now(),
  check (decision = 'accepted' or reason <> '')
);
create trigger run_reviews_append_only before update or delete on run_reviews for each row execute function refuse_change();

create table waivers (                               -- a scenario that cannot be run, signed by owner and reviewer
  id           bigint generated always as identity primary key,
  case_id      bigint not null references test_cases,
  control_id   bigint not null references controls,
  reason       text not null check (length(reason) between 1 and 4000),
  until        date not null,                        -- in force through the end of that day, UTC; 90 days at most
  asked_by     bigint not null references people,
  asked_for    bigint references people,
  at           timestamptz not null default now(),
  owner_by     bigint references people,
  owner_for    bigint references people,
  owner_at     timestamptz,
  reviewer_by  bigint references people,
  reviewer_for bigint references people,
  reviewer_at  timestamptz,
  ended_by     bigint references people,             -- declined, or taken back
  ended_at     timestamptz,
  end_reason   text not null default '' check (length(end_reason) <= 4000),
  check (owner_by <> reviewer_by),
  check ((owner_by is null) = (owner_at is null)),
  check ((reviewer_by is null) = (reviewer_at is null)),
  check ((ended_at is null) = (end_reason = ''))
);
create unique index waivers_one_open on waivers (case_id) where ended_at is null;
create index waivers_by_control on waivers (control_id, id);

create table case_cells (                            -- each case as lists show it; kept by every command of the matrix
  case_id     bigint primary key references test_cases,
  control_id  bigint not null references controls,
  position    integer not null,
  state       text not null check (state in ('no_expectation','not_agreed','not_applicable','waived','not_run','started','to_review','returned','passed','failed','inconclusive','earlier_design')),
  failures    integer not null default 0,            -- failed runs, ever
  run_id      bigint references runs,                -- what the state rests on
  retest_of   bigint references runs,
  discrepancy_id bigint references discrepancies     -- the open one
);
create unique index case_cells_in_order on case_cells (control_id, position);
create index case_cells_by_state on case_cells (state, control_id);

alter table controls
  add column design_hash        text not null default '', -- of the record as it stands; kept by every answer
  add column open_discrepancies integer not null default 0 check (open_discrepancies >= 0), -- on the approved design
  add column waived_until       date,                -- the first waiver to end of those the approved revision rests on
  add column proven_until       date;                -- the first required evidence to expire of the accepted runs it rests on

-- +goose Down
alter table controls drop column design_hash, drop column open_discrepancies, drop column waived_until, drop column proven_until;
drop table case_cells, waivers, run_reviews, run_evidence, run_after, run_results, run_counts;
alter table discrepancies drop constraint discrepancies_closed_by_run_fkey;
drop table runs, discrepancies, expectation_decisions, expectation_effects, expectations, test_cases;
