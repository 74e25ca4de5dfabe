package replay

import (
	"context"
	"errors"
	"fmt"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/notice"
)

// sweep is how many requests one run takes up at most of each kind.
const sweep = 500

type escalateCmd struct{ models.Once }

// Escalate tells the people of each level that the clock has come to, once, and
// stores what became of requests that ended without a decision. Who may decide
// goes by the clock and does not wait for it. Several servers may run it at
// once. It returns how many requests it moved; one that fails keeps no other
// from being moved.
func Escalate(ctx context.Context, db *models.DB) (moved int, err error) {
	var due, ended []int64
	q := db.Query(ctx)
	if err := q.Raw(toMove, map[string]any{"limit": sweep}).Scan(&due).Error; err != nil {
		return 0, err
	}
	for _, id := range due {
		done, e := escalate(ctx, db, id)
		if done {
			moved++
		}
		err = errors.Join(err, e)
	}
	if e := db.Query(ctx).Raw(toSettle, map[string]any{"limit": sweep}).Scan(&ended).Error; e != nil {
		return moved, errors.Join(err, e)
	}
	for _, id := range ended {
		done, e := Settle(ctx, db, Ref(id))
		if done {
			moved++
		}
		err = errors.Join(err, e)
	}
	return moved, err
}

// toMove are the requests whose level is over, and those that wait on a level
// whose people all left or lost the role.
const toMove = `(select id from requests where state = 'pending' and not unanswered and next_at <= now() and expires_at > now() order by next_at limit @limit)
union (select r.id from (select lp.version_id, lp.level from level_people lp join people p on p.id = lp.person_id
		left join role_grants g on g.person_id = p.id and g.role = 'approver' group by lp.version_id, lp.level having not bool_or(p.active and g.role is not null)) gone
	cross join lateral (select q.id from requests q where q.state = 'pending' and q.policy_id = gone.version_id and q.level = gone.level
		and q.level < (select max(number) from policy_levels l where l.version_id = gone.version_id) limit @limit) r)`

// toSettle are the requests whose end an index tells.
const toSettle = `(select id from requests where state = 'pending' and expires_at <= now() order by expires_at limit @limit)
union (select id from requests where state = 'approved' and next_at <= now() order by next_at limit @limit)
union (select r.id from requests r join authorizations z on z.id = r.authorization_id where r.state = 'approved' and (z.used_at is not null or z.ended_at is not null) limit @limit)
union (select r.id from requests r join attempts t on t.id = r.attempt_id where r.state = 'started' and (t.outcome is not null or t.lease_until <= now()) limit @limit)
union (select a.request_id from actions a join requests r on r.id = a.request_id
	where a.state = 'succeeded' and a.request_id is not null and r.state in ('pending','evidence_wanted','approved') limit @limit)`

// escalate moves one request to the level that the clock has come to.
func escalate(ctx context.Context, db *models.DB, id int64) (bool, error) {
	return models.Do(ctx, db, models.Actor{}, escalateCmd{}, func(tx *models.Tx) (bool, error) {
		var r Request
		err := tx.Raw("select * from requests where id = ? and state = 'pending' and not unanswered for update skip locked", id).Scan(&r).Error
		if err != nil || r.ID == 0 {
			return false, err
		}
		facts, err := ledger.LoadFacts(tx.DB, r.ActionID)
		if err != nil {
			return false, err
		}
		f, err := open(tx.DB, r, facts)
		if err != nil || f.State != Pending {
			return false, err
		}
		next := r
		next.Level, next.Unanswered = f.Parties.Reached, f.Unanswered
		for _, s := range f.Steps {
			if s.Number == next.Level {
				next.NextAt = s.DueAt
			}
		}
		if next.Level == r.Level && next.Unanswered == r.Unanswered {
			return false, nil
		}
		// The version stays: an approver who reads the page may still decide.
		if err := tx.Exec("update requests set level = ?, unanswered = ?, next_at = ? where id = ?", next.Level, next.Unanswered, next.NextAt, r.ID).Error; err != nil {
			return false, err
		}
		tx.Audit("replay.escalated", r.object(), map[string]any{"level": r.Level}, map[string]any{"level": next.Level, "unanswered": next.Unanswered})
		if err := tellLevels(tx, next, f.Facts, f.Parties.Levels, r.Level+1, notice.ReplayEscalated); err != nil {
			return false, err
		}
		if !next.Unanswered {
			return true, nil
		}
		return true, f.tellUnanswered(tx, next)
	})
}

// tellUnanswered tells the workflow's people that the last level's time is over.
func (f *file) tellUnanswered(tx *models.Tx, r Request) error {
	var owner int64
	if err := tx.Raw("select business_owner_id from workflows where id = ?", r.WorkflowID).Row().Scan(&owner); err != nil {
		return err
	}
	people := append([]int64{owner, f.Parties.Implementer}, f.Parties.Asked...)
	words := notice.Words{Title: r.Ref() + " is unanswered: nobody on its levels decided", Text: Title(f.Facts) + " Everybody on its levels may still decide, until it expires."}
	return notice.Tell(tx, notice.ReplayEscalated, people, words, Path(r.Ref()), fmt.Sprintf("%s version %d unanswered", r.Ref(), r.Version))
}
