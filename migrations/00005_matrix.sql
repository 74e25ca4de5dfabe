-- +goose Up

create table test_cases (                            -- a scenario for a control; the six built-in ones exist from its creation
  id         bigint generated always as identity primary key,
  control_id bigint not null references controls,
  key        text not null check (key ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(key) <= 75), -- its thread is the field case.<key>
  position   integer not null check (position > 0),
  title      text not null check (length(title) between 1 and 200),
  custom     boolean not null default false,
  needs      jsonb not null default '[]',            -- evidence slots of a custom scenario; built-in ones have theirs in code
  created_by bigint references people,               -- null: built in
  created_for bigint references people,
  created_at timestamptz not null default now(),
  check (custom = (created_by is not null))
);
create unique index test_cases_key on test_cases (control_id, key);
create unique index test_cases_position on test_cases (control_id, position);
create trigger test_cases_fixed before update or delete on test_cases for each row execute function refuse_change();

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
  check (not exception or (decision = 'agreed' and note <> ''))
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
create index discrepancies_by_case on discrepancies (case_id, id);
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
create index runs_that_count on runs (case_id, expectation_id, design_hash, id);
create index runs_by_control on runs (control_id, id);
create index runs_by_discrepancy on runs (discrepancy_id, id) where discrepancy_id is not null;
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
  number         bigint generated always as identity, -- in the order of recording
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
  check ((outcome = 'abandoned') = (reason <> '')),
  check ((outcome = 'abandoned') = (claimed = 'abandoned')),
  check (outcome = 'abandoned' or observed <> ''),
  check (outcome <> 'passed' or inspected),
  check ((outcome = 'failed') = (discrepancy_id is not null))
);
create index run_results_by_discrepancy on run_results (discrepancy_id, number) where discrepancy_id is not null;
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
  slot        text not null check (length(slot) between 1 and 80), -- of the case, or other
  primary key (run_id, evidence_id)
);
create index run_evidence_by_evidence on run_evidence (evidence_id);
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

create table open_runs (                             -- runs that wait: for a result, or for a review; gone once neither
  run_id     bigint primary key references runs,
  control_id bigint not null references controls,
  case_id    bigint not null references test_cases,
  waits_for  text not null check (waits_for in ('result','review'))
);
create index open_runs_by_control on open_runs (control_id, run_id);
create index open_runs_waiting on open_runs (waits_for, run_id);

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
  ended_by     bigint references people,             -- declined, or taken back; null: its date had passed
  ended_for    bigint references people,
  ended_at     timestamptz,
  end_reason   text not null default '' check (length(end_reason) <= 4000),
  check (owner_by <> reviewer_by),
  check ((owner_by is null) = (owner_at is null)),
  check ((reviewer_by is null) = (reviewer_at is null)),
  check ((ended_at is null) = (end_reason = ''))
);
create unique index waivers_one_open on waivers (case_id) where ended_at is null;
create index waivers_by_case on waivers (case_id, id);
create index waivers_by_control on waivers (control_id, id);

-- Each case as lists show it, kept by derive_cells: by every command of the
-- matrix, and when the design of the record changes. What the clock does,
-- a waiver or evidence running out, is read from the dates.
create table case_cells (
  case_id        bigint primary key references test_cases,
  control_id     bigint not null references controls,
  position       integer not null,
  state          text not null check (state in ('no_expectation','not_agreed','not_applicable','not_run','started','to_review','returned','passed','failed','inconclusive','earlier_design')),
  pending        boolean not null default false,     -- a proposal waits for the owner
  expectation_id bigint references expectations,     -- the one agreed
  failures       integer not null default 0,         -- failed runs, ever
  run_id         bigint references runs,             -- what the state rests on
  retest_id      bigint references runs,             -- of an open discrepancy: the newest answer to its latest failure
  discrepancy_id bigint references discrepancies,    -- the open one
  waived_until   date,                               -- of a waiver that both signed
  proven_until   date                                -- passed: when the first required evidence expires
);
create unique index case_cells_in_order on case_cells (control_id, position);
create index case_cells_by_state on case_cells (state, control_id);
create index case_cells_pending on case_cells (control_id) where pending;
create index case_cells_waived on case_cells (control_id) where waived_until is not null;
create index case_cells_failing on case_cells (control_id) where discrepancy_id is not null;

alter table controls
  add column design_hash        text not null default '', -- of the record as it stands; kept with every answer
  add column open_discrepancies integer not null default 0 check (open_discrepancies >= 0), -- on the approved design
  add column waived_until       date,                -- the first waiver to end of those the approved revision rests on
  add column proven_until       date;                -- the first required evidence to expire of the accepted runs it rests on

-- A run counts while the design and its own case's agreement are unchanged.
-- An open discrepancy outweighs whatever ran since.
-- +goose StatementBegin
create function derive_cells(of_control bigint) returns void language sql as $$
  insert into case_cells (case_id, control_id, position, state, pending, expectation_id, failures, run_id, retest_id, discrepancy_id, waived_until, proven_until)
  select t.id, t.control_id, t.position,
    case when agreed.id is null then case when newest.id is null then 'no_expectation' else 'not_agreed' end
         when open.id is not null then 'failed'
         when not agreed.applies then 'not_applicable'
         when latest.id is null then case when earlier.id is null then 'not_run' else 'earlier_design' end
         when latest.outcome is null then 'started'
         when latest.outcome = 'failed' then 'failed'
         when latest.decision is null then 'to_review'
         when latest.decision = 'returned' then 'returned'
         else latest.outcome end,
    newest.id is not null and newest.decision is null, agreed.id, failed.n,
    case when agreed.id is not null and (agreed.applies or open.id is not null) then coalesce(failure.id, latest.id, earlier.id) end, retest.id, open.id, waiver.until,
    case when open.id is null and latest.outcome = 'passed' and latest.decision = 'accepted' then proof.until end
  from test_cases t join controls c on c.id = t.control_id
  left join lateral (select e.id, d.decision from expectations e left join expectation_decisions d on d.expectation_id = e.id
    where e.case_id = t.id order by e.version desc limit 1) newest on true
  left join lateral (select e.id, e.applies from expectations e join expectation_decisions d on d.expectation_id = e.id and d.decision = 'agreed'
    where e.case_id = t.id order by e.version desc limit 1) agreed on true
  left join discrepancies open on open.case_id = t.id and open.closed_at is null
  left join lateral (select s.run_id as id from run_results s where s.discrepancy_id = open.id order by s.number desc limit 1) failure on true
  left join lateral (select r.id from runs r left join run_results s on s.run_id = r.id
    where r.discrepancy_id = open.id and r.retest_of = failure.id and s.outcome is distinct from 'abandoned' order by r.id desc limit 1) retest on true
  left join lateral (select r.id, s.outcome, v.decision from runs r left join run_results s on s.run_id = r.id left join run_reviews v on v.run_id = r.id
    where r.case_id = t.id and r.expectation_id = agreed.id and r.design_hash = c.design_hash and s.outcome is distinct from 'abandoned'
    order by r.id desc limit 1) latest on true
  left join lateral (select r.id from runs r left join run_results s on s.run_id = r.id
    where r.case_id = t.id and s.outcome is distinct from 'abandoned' order by r.id desc limit 1) earlier on true
  left join lateral (select min(slots.until) as until from (select max(e.keep_until) as until from run_evidence x join evidence e on e.id = x.evidence_id
    where x.run_id = latest.id and x.slot <> 'other' group by x.slot) slots) proof on true
  left join lateral (select count(*)::integer as n from discrepancies d join run_results s on s.discrepancy_id = d.id where d.case_id = t.id) failed on true
  left join waivers waiver on waiver.case_id = t.id and waiver.ended_at is null and waiver.owner_at is not null and waiver.reviewer_at is not null
  where t.control_id = of_control
  on conflict (case_id) do update set (state, pending, expectation_id, failures, run_id, retest_id, discrepancy_id, waived_until, proven_until) =
    (excluded.state, excluded.pending, excluded.expectation_id, excluded.failures, excluded.run_id, excluded.retest_id, excluded.discrepancy_id, excluded.waived_until, excluded.proven_until)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create function cases_follow_control() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into test_cases (control_id, key, position, title) values
      (new.id, 'repeated-delivery', 1, 'Repeated delivery'), (new.id, 'simultaneous-workers', 2, 'Simultaneous workers'),
      (new.id, 'timeout-after-success', 3, 'Timeout after success'), (new.id, 'out-of-order-update', 4, 'Out-of-order update'),
      (new.id, 'partial-success', 5, 'Partial success'), (new.id, 'legitimate-second-request', 6, 'Legitimate second request');
  end if;
  perform derive_cells(new.id);
  return null;
end $$;
-- +goose StatementEnd
create trigger controls_have_cases after insert on controls for each row execute function cases_follow_control();
create trigger controls_change_design after update of design_hash on controls for each row
  when (old.design_hash is distinct from new.design_hash) execute function cases_follow_control();

insert into test_cases (control_id, key, position, title)
select c.id, s.key, s.position, s.title from controls c cross join (values
  ('repeated-delivery', 1, 'Repeated delivery'), ('simultaneous-workers', 2, 'Simultaneous workers'),
  ('timeout-after-success', 3, 'Timeout after success'), ('out-of-order-update', 4, 'Out-of-order update'),
  ('partial-success', 5, 'Partial success'), ('legitimate-second-request', 6, 'Legitimate second request')) s(key, position, title);
insert into case_cells (case_id, control_id, position, state) select id, control_id, position, 'no_expectation' from test_cases;

-- What was recorded stays: no table of runs, agreements and waivers is emptied,
-- a discrepancy is closed once, by a retest of its own, and a waiver keeps every
-- signature that it has.
-- +goose StatementBegin
do $$
declare name text;
begin
  foreach name in array array['test_cases','expectations','expectation_effects','expectation_decisions','discrepancies','runs','run_counts','run_results','run_after','run_evidence','run_reviews','waivers'] loop
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', name || '_no_truncate', name);
  end loop;
end $$;

create function discrepancy_closes_once() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.closed_at is not null or (old.id, old.control_id, old.case_id, old.opened_at) is distinct from (new.id, new.control_id, new.case_id, new.opened_at)
    or not exists (select 1 from runs r join run_results s on s.run_id = r.id and s.outcome = 'passed' join run_reviews v on v.run_id = r.id and v.decision = 'accepted'
      where r.id = new.closed_by_run and r.discrepancy_id = new.id) then
    raise exception 'a discrepancy is closed once, by an accepted retest of its own' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger discrepancies_close_once before update or delete on discrepancies for each row execute function discrepancy_closes_once();

create function waiver_keeps_signatures() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.ended_at is not null
    or (old.id, old.case_id, old.control_id, old.reason, old.until, old.asked_by, old.asked_for, old.at) is distinct from (new.id, new.case_id, new.control_id, new.reason, new.until, new.asked_by, new.asked_for, new.at)
    or old.owner_at is not null and (old.owner_by, old.owner_for, old.owner_at) is distinct from (new.owner_by, new.owner_for, new.owner_at)
    or old.reviewer_at is not null and (old.reviewer_by, old.reviewer_for, old.reviewer_at) is distinct from (new.reviewer_by, new.reviewer_for, new.reviewer_at) then
    raise exception 'a waiver keeps what was signed' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger waivers_keep_signatures before update or delete on waivers for each row execute function waiver_keeps_signatures();
-- +goose StatementEnd

-- +goose Down
drop trigger controls_change_design on controls;
drop trigger controls_have_cases on controls;
drop function cases_follow_control, derive_cells;
drop trigger discrepancies_close_once on discrepancies;
drop trigger waivers_keep_signatures on waivers;
drop function discrepancy_closes_once, waiver_keeps_signatures;
alter table controls drop column design_hash, drop column open_discrepancies, drop column waived_until, drop column proven_until;
drop table case_cells, waivers, open_runs, run_reviews, run_evidence, run_after, run_results, run_counts;
alter table discrepancies drop constraint discrepancies_closed_by_run_fkey;
drop table runs, discrepancies, expectation_decisions, expectation_effects, expectations, test_cases;
