-- A workspace grown large, written straight into the tables. :many is the
-- number of controls to add to the demo's. Controls spread over people as they
-- would: one owner, implementer and reviewer for about 200 controls, the demo
-- people among them; one workflow for 500. Foreign keys are not looked up and
-- indexes are built at the end: otherwise this takes minutes.

set local session_replication_role = replica;

create temp table indexes on commit drop as
select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
where indrelid in ('controls'::regclass, 'control_accounts'::regclass, 'revisions'::regclass, 'answers'::regclass, 'signatures'::regclass, 'test_cases'::regclass, 'case_cells'::regclass)
  and not exists (select 1 from pg_constraint k where k.conindid = indexrelid);
do $$ declare name text; begin
  for name in select i.name from indexes i loop execute 'drop index ' || name; end loop;
end $$;

create temp table seed on commit drop as
select n, greatest(1, n / 200) as parties, n / 500 + 1 as workflows, now() as at,
       (select id from environments where slug = 'sandbox') as sandbox,
       (select id from environments where slug = 'production') as production,
       (select max(id) from people) as people, (select max(id) from workflows) as flows, (select max(id) from controls) as controls,
       (select max(id) from revisions) as revisions,
       (select max(id) from destinations) as destinations
from (select :many as n) s;

------------------------------------------------------------------ people

insert into people (email, name)
select role || '-' || i || '@example.test', initcap(replace(role, '_', ' ')) || ' ' || i
from seed, unnest(array['business_owner', 'implementer', 'reviewer']) with ordinality r(role, k), generate_series(1, parties) i
order by i, k;
insert into role_grants (person_id, role)
select p.id, split_part(p.email, '-', 1) from people p, seed where p.id > seed.people;

-- who is named by the i-th group of controls; group 0 is the demo people
create temp table party on commit drop as
select i, o.id as owner, m.id as implementer, r.id as reviewer
from seed, generate_series(1, parties) i join people o on o.email = 'business_owner-' || i || '@example.test'
join people m on m.email = 'implementer-' || i || '@example.test' join people r on r.email = 'reviewer-' || i || '@example.test'
union all
select 0, (select id from people where email = 'owner@example.test'), (select id from people where email = 'implementer@example.test'),
       (select id from people where email = 'reviewer@example.test');

-------------------------------------------------- workflows, destinations

insert into workflows (slug, name, business_owner_id, implementer_id, reviewer_id, review_date, version_order, created_by)
select 'workflow-' || k, 'Workflow ' || k, p.owner, p.implementer, p.reviewer, current_date + 90, 'integer', p.implementer
from seed, generate_series(1, workflows) k join party p on true where p.i = k % (parties + 1) order by k;
insert into stops (workflow_id, reason, stopped_by)
select w.id, 'Two tasks for one request were found. Nothing starts until the cause is known.', w.reviewer_id
from workflows w, seed where w.id > seed.flows and (w.id - seed.flows) % 50 = 25;
insert into senders (workflow_id, slug, name, event_id_field)
select w.id, 'web-form', 'Web form', '$.event_id' from workflows w, seed where w.id > seed.flows;
insert into destinations (slug, system, account, environment_id)
select 'system-' || i || '-' || e.slug, 'System ' || i, 'system-' || i || '-' || e.slug, e.id
from seed, environments e, generate_series(1, workflows) i where e.slug in ('sandbox', 'production');
insert into operations (destination_id, slug, name, call, mechanism, doc_url)
select d.id, 'create', 'Create', 'POST /records', 'documented', 'https://docs.example.test/records'
from destinations d, seed where d.id > seed.destinations;

-- one row for each control to come; kind: how far it has come
create temp table made on commit drop as
select seed.controls + k as id, k as i, k % 20 as kind,
       (array['Create','Send','Update','Cancel','Book','Renew','Refund','Assign','Close','Archive','Notify','Import'])[1 + (k / 20) % 12] || ' '
         || (array['task','invoice','visit','contract','order','message','shipment','account','ticket','offer','payment','appointment','record'])[1 + (k / 240) % 13]
         || ' ' || k as name,
       seed.flows + 1 + k % workflows as workflow, p.owner, p.implementer, p.reviewer, at - k * interval '1 minute' as born
from seed, generate_series(1, n) k join party p on true where p.i = (k / 20) % (parties + 1);

--------------------------------------------------------------- revisions

-- 10 % a first draft, 5 % a first revision in review, 5 % with changes requested,
-- the others approved; of these every second is in its second revision or later,
-- one in sixteen has a draft open and one in sixteen a revision in review.
create temp table step on commit drop as
select m.*, m.id as control, s.number, s.state, seed.revisions + row_number() over (order by m.i, s.number) as revision from seed, made m
cross join lateral (
  select 1, case when kind < 2 then 'draft' when kind = 2 then 'in_review' when kind = 3 then 'changes_requested' when kind >= 10 then 'superseded' else 'approved' end
  union all select 2, 'approved' where kind >= 10
  union all select 3, case kind when 10 then 'draft' else 'in_review' end where kind in (10, 11)
) s(number, state);

insert into revisions (id, control_id, number, state, started_by, started_at, submitted_by, submitted_at, content, design_hash, full_hash, review_date, mode, automatic_retries, decided_at) overriding system value
select revision, control, number, state, implementer, born - interval '30 days', case when done then implementer end, case when done then born - interval '20 days' end,
       case when done then f.content end, case when done then hash end, case when done then hash end,
       case when done then current_date - 60 + i % 420 end, case when done then case when i % 10 = 0 then 'observe' else 'enforce' end end,
       case when done then i % 4 end, case when state in ('approved', 'superseded', 'changes_requested') then born - interval '10 days' end
from step cross join lateral (select state <> 'draft' as done, md5(i || '/' || number) || md5(number || '.' || i) as hash) h
cross join (select left(max(content), 40) as content from revisions) f order by i, number; -- real ones are kept out of the row
select setval(pg_get_serial_sequence('revisions', 'id'), max(id)) from revisions;

---------------------------------------------------------------- controls

insert into controls (id, slug, name, workflow_id, effect, unresolved, open_questions, latest_revision_id, approved_revision_id,
  business_owner_id, implementer_id, reviewer_id, created_by, created_at, changed_at) overriding system value
select id, 'control-' || i, name, workflow, 'effect-' || i, case when kind in (0, 1, 10) then i % 12 else 0 end,
       case when kind = 0 and i % 3 = 0 then 1 else 0 end, max(revision), max(revision) filter (where state = 'approved'),
       owner, implementer, reviewer, implementer, born - interval '90 days', born
from step group by id, i, name, workflow, kind, owner, implementer, reviewer, born order by id;
select setval(pg_get_serial_sequence('controls', 'id'), max(id)) from controls;
insert into control_accounts (control_id, environment_id, destination_id, effect)
select c.id, d.environment_id, d.id, c.effect
from controls c, seed join destinations d on d.id > seed.destinations
where c.id > seed.controls and d.system = 'System ' || (c.workflow_id - seed.flows);

-------------------------------------------------------------- signatures

-- of the decided ones only every fifth control's: no page reads them in bulk
insert into signatures (revision_id, slot, person_id, decision, note, full_hash, at)
select r.id, s.slot, s.person, case when r.state = 'changes_requested' then 'changes' else 'approve' end,
       case when r.state = 'changes_requested' then 'Say what happens to a repeat after the first day.' else '' end, r.full_hash, r.submitted_at + interval '1 day'
from revisions r join controls c on c.id = r.control_id, seed,
     lateral (values (1, 'implementer', c.implementer_id), (2, 'reviewer', c.reviewer_id), (3, 'business_owner', c.business_owner_id)) s(k, slot, person)
where c.id > seed.controls and ((r.state in ('approved', 'superseded') and r.control_id % 5 = 0) or (r.state = 'in_review' and s.k <= r.id % 3) or (r.state = 'changes_requested' and s.k = 1));

------------------------------------------------------- answers, questions

-- every control has its owner's sentence; one in fifty all the answers that the
-- demo's first control has, a third of them given twice
insert into answers (control_id, revision_id, field, version, state, value, person_id, at)
select c.id, c.latest_revision_id, 'duplicate_in_plain_words', 1, case when c.unresolved > 6 then 'unresolved' else 'answered' end,
       'If the same request arrives twice, our team must see one record, not two.', c.business_owner_id, c.created_at
from controls c, seed where c.id > seed.controls and c.id % 50 <> 0;
insert into answers (control_id, revision_id, field, version, state, value, data, reason, person_id, at)
select c.id, c.latest_revision_id, a.field, v, a.state, a.value, a.data, a.reason, c.implementer_id, c.created_at
from controls c, seed, answers a join controls d on d.id = a.control_id and d.slug = 'create-crm-task' and a.version = 1, generate_series(1, 2) v
where c.id > seed.controls and c.id % 50 = 0 and (v = 1 or a.id % 3 = 0);
insert into comments (control_id, revision_id, field, kind, body, person_id, at)
select c.id, c.latest_revision_id, 'exact_effect', 'question', 'Is a moved appointment the same visit, or a new one?', c.business_owner_id, c.changed_at
from controls c, seed where c.id > seed.controls and c.open_questions > 0;

------------------------------------------------------------- test matrix

-- every control's six scenarios; those of a draft have no expectation, the
-- others are not run, and one control in five thousand has a failed one
insert into test_cases (control_id, key, position, title)
select c.id, s.key, s.position, s.title from controls c, seed, (select key, position, title from test_cases where control_id = (select id from controls where slug = 'create-crm-task')) s
where c.id > seed.controls order by c.id, s.position;
insert into case_cells (case_id, control_id, position, state)
select t.id, t.control_id, t.position, case when m.kind < 2 then 'no_expectation' when m.i % 5000 = 0 and t.position = 2 then 'failed' else 'not_run' end
from test_cases t join made m on m.id = t.control_id order by t.id;

-- one control with 10 runs and one with 10,000: one in a hundred failed, and
-- the sixth after it is its retest
create temp table tested on commit drop as
select c.id as control, c.latest_revision_id as revision, t.id as case_id, t.position, c.implementer_id as implementer, c.business_owner_id as owner, c.reviewer_id as reviewer,
       a.environment_id as environment, a.destination_id as destination, x.n, x.skip
from (values ('control-1', 10, 0), ('control-2', 10000, 10)) x(slug, n, skip) join controls c on c.slug = x.slug join test_cases t on t.control_id = c.id
join control_accounts a on a.control_id = c.id and a.environment_id = (select sandbox from seed);
update controls set design_hash = repeat('a', 64) where id in (select control from tested);
insert into expectations (case_id, version, expected, proposed_by) select case_id, 1, 'One record, not two.', implementer from tested;
insert into expectation_effects (expectation_id, control_id, change) select e.id, t.control, 1 from expectations e join tested t on t.case_id = e.case_id;
insert into expectation_decisions (expectation_id, decision, person_id) select e.id, 'agreed', t.owner from expectations e join tested t on t.case_id = e.case_id;
create temp table ran on commit drop as
select t.*, e.id as expectation, g, b.run + skip + g as run, g % 100 = 2 as failed, g % 100 = 8 as retest, b.discrepancy + skip + (g + 98) / 100 as discrepancy
from (select coalesce((select max(id) from runs), 0) as run, coalesce((select max(id) from discrepancies), 0) as discrepancy) b
cross join tested t cross join lateral generate_series(1, t.n) g join expectations e on e.case_id = t.case_id
where t.position = 1 + g % 6;
insert into runs (id, control_id, case_id, revision_id, design_hash, expectation_id, environment_id, retest_of, discrepancy_id, correction, starting_state, started_by, at) overriding system value
select run, control, case_id, revision, repeat('a', 64), expectation, environment, case when retest then run - 6 end, case when retest then discrepancy end,
       case when retest then 'It claims first.' else '' end, 'Nothing is there for this request.', implementer, now() - (n - g) * interval '1 minute' from ran order by run;
insert into run_counts (run_id, control_id, destination_id, change, before) select run, control, destination, 1, g from ran;
insert into discrepancies (id, control_id, case_id, closed_by_run, closed_at) overriding system value select discrepancy, control, case_id, run + 6, now() from ran where failed;
insert into run_results (run_id, outcome, claimed, observed, inspected, inspected_what, discrepancy_id, person_id)
select run, o, o, 'One record was seen.', true, 'The account, by request ID', case when failed then discrepancy end, implementer from ran, lateral (select case when failed then 'failed' else 'passed' end) x(o) order by run;
insert into run_after (run_id, control_id, after) select run, control, g + case when failed then 2 else 1 end from ran;
insert into run_reviews (run_id, decision, person_id) select run, 'accepted', reviewer from ran;
insert into evidence (kind, url, name, about, path, slot, scanned, keep_until, keep_basis, attached_by)
select 'link', 'https://proof.example.test/' || run || '/' || k, 'Proof ' || k, 'Run ' || run, '/runs/' || run, 'other', false, current_date + 90, 'As agreed', implementer from ran, generate_series(1, 3) k;
insert into run_evidence (run_id, evidence_id, slot) select r.run, e.id, e.slot from ran r join evidence e on e.path = '/runs/' || r.run;
select setval(pg_get_serial_sequence('runs', 'id'), max(id)), (select setval(pg_get_serial_sequence('discrepancies', 'id'), max(id)) from discrepancies) from runs;

do $$ declare definition text; begin
  for definition in select i.definition from indexes i loop execute definition; end loop;
end $$;
select derive_cells(control) from (select distinct control from tested) t;
