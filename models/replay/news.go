package replay

import (
	"context"
	"fmt"

	"countersign/models"
	"countersign/models/ledger"
)

// Shown is what a page showed of a request.
type Shown struct {
	State   State
	Version int64
	Seen    string // SeenText
}

// News says in words what became of a request since it was shown, "" when nothing
// did. A level that moved is no news: it takes no decision away. NotFound.
func News(ctx context.Context, db *models.DB, ref string, was Shown) (string, error) {
	q := db.Query(ctx)
	r, err := find(q, ref)
	if err != nil {
		return "", err
	}
	facts, err := ledger.LoadFacts(q, r.ActionID)
	if err != nil {
		return "", err
	}
	record, err := recordOf(q, r, facts)
	if err != nil {
		return "", models.Classify(err)
	}
	now := r.At(record)
	switch {
	case now.State != was.State || now.Version != was.Version:
		return news(ctx, db, now)
	case was.State == Pending && SeenText(facts.Seen) != was.Seen:
		seen, _ := ParseSeen(was.Seen)
		return "Something is newer than what you see. " + Newer(seen, facts.Seen), nil
	}
	return "", nil
}

// news says who brought a request to where it is.
func news(ctx context.Context, db *models.DB, r Request) (string, error) {
	if r.Ending != "" {
		return fmt.Sprintf("%s is %s. %s", r.Ref(), r.State.Words(), r.Ending), nil
	}
	if r.State == Started {
		return r.Ref() + " was started.", nil
	}
	var last struct{ Decision, Who string }
	err := db.Query(ctx).Raw("select d.decision, p.name as who from decisions d join people p on p.id = d.person_id where d.request_id = ? order by d.id desc limit 1", r.ID).Scan(&last).Error
	if err != nil || last.Who == "" {
		return fmt.Sprintf("%s is %s.", r.Ref(), r.State.Words()), models.Classify(err)
	}
	words := map[Decision]string{Approve: "approved", Reject: "rejected", Return: "returned for evidence", Supply: "sent back with evidence", Withdraw: "withdrawn"}[Decision(last.Decision)]
	return fmt.Sprintf("%s was %s by %s.", r.Ref(), words, last.Who), nil
}
