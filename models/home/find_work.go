package home

import (
	"fmt"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/replay"
)

// queueShown is how many items of the queue are listed one by one.
const queueShown = 5

// toDecide is what waits for the person in the queue, in its order.
func (r reader) toDecide() ([]Need, error) {
	page, err := replay.Queue(r.ctx, r.db, r.by, replay.QueueFilter{View: replay.Waiting})
	if err != nil {
		return nil, err
	}
	var all []Need
	for i, item := range page.Items {
		if i == queueShown {
			more := fmt.Sprint(len(page.Items) - i)
			if page.Next != "" {
				more = fmt.Sprintf("%d or more", len(page.Items)-i)
			}
			all = append(all, Need{Kind: "queue", Title: more + " more in the queue", Verb: "Open the queue", Path: "/queue", Line: "The queue shows what comes first.", Since: item.Since})
			break
		}
		all = append(all, queued(item))
	}
	return all, nil
}

func queued(i replay.Item) Need {
	about := i.Control
	if i.Record != "" {
		about += " for " + i.Record
	}
	n := Need{Kind: "queue", Path: i.Path, Line: i.Environment + ". " + i.NextStep, Since: i.Since, Urgent: i.Overdue, Verb: "Open"}
	switch i.Kind {
	case replay.ConfirmedDuplicate, replay.PossibleDuplicate:
		n.Title, n.Verb, n.Urgent = "Settle what may be two effects of "+about, "Settle", true
		if i.Kind == replay.ConfirmedDuplicate {
			n.Title, n.Head = "Settle two effects of "+about, 1
		}
	case replay.Replay:
		n.Title, n.Urgent = i.Ref+": "+about, true
		switch i.State {
		case string(replay.Pending):
			n.Title, n.Verb = "Try "+about+" again?", "Decide "+i.Ref
		case string(replay.EvidenceWanted):
			n.Title, n.Verb = "Supply evidence for "+i.Ref+", "+about, "Supply"
		}
	case replay.UnknownOutcome:
		n.Title, n.Verb = "Find out what became of "+about, "Look up"
	case replay.ReviewItem:
		n.Title, n.Verb, n.Urgent = "Settle "+i.Ref+", "+about, "Settle", true
	case replay.StalledOwner:
		n.Title, n.Verb = "Look into "+about+", held for over an hour", "Open"
	}
	return n
}

// toProve: a revision in review has scenarios that nobody ran on its design.
func (r reader) toProve() ([]Need, error) {
	return r.needs(`select c.slug, c.name, v.number, v.submitted_at at, open.n count, c.implementer_id whom
		from controls c join revisions v on v.id = c.latest_revision_id and v.state = 'in_review'
		cross join lateral (select count(*) n from case_cells k where k.control_id = c.id and k.state in ('not_run','earlier_design','inconclusive') and k.discrepancy_id is null
			and (k.waived_until is null or k.waived_until < (now() at time zone 'utc')::date)) open
		where c.implementer_id in @implementers and open.n > 0 order by v.submitted_at`, map[string]any{"implementers": r.as(models.Implementer)}, func(f found) Need {
		return Need{Kind: "prove", Title: fmt.Sprintf("Run %s of %s", plural(f.Count, "scenario"), f.Name), Verb: "Open the matrix", Urgent: true,
			Path: "/controls/" + f.Slug + "/matrix", Line: fmt.Sprintf("Revision %d is in review and cannot be approved before each was passed and accepted.", f.Number)}
	})
}

// renewNotice is how many days before evidence expires a control is brought up.
const renewNotice = 14

// toRenew: the evidence that an approved control rests on ends soon, or has ended.
func (r reader) toRenew() ([]Need, error) {
	return r.needs(`select c.slug, c.name, v.decided_at at, c.proven_until date, c.implementer_id whom
		from controls c join revisions v on v.id = c.approved_revision_id
		where c.implementer_id in @ids and c.proven_until <= @by order by c.proven_until`, map[string]any{"by": r.today.AddDate(0, 0, renewNotice)}, func(f found) Need {
		n := Need{Kind: "renew", Title: "Renew the evidence of " + f.Name, Verb: "Open the matrix", Path: "/controls/" + f.Slug + "/matrix", Due: f.Date,
			Line: "After that day nothing is tried again automatically. A new run renews it."}
		if f.Date.Before(r.today) {
			n.Urgent, n.Line = true, "Required evidence has expired, so nothing is tried again automatically. A new run renews it."
		}
		return n
	})
}

// toClear: a file with personal data in it waits for who sent it, or for a
// reviewer, and is removed when its hour is over.
func (r reader) toClear() ([]Need, error) {
	sender := r.by.ID
	if r.by.Has(models.Reviewer) {
		sender = 0
	}
	uploads, err := evidence.Waiting(r.ctx, r.db, sender)
	var all []Need
	for i, u := range uploads {
		if i == mostOfAKind {
			break
		}
		n := Need{Kind: "upload", Title: "Decide about " + u.SafeName(), Verb: "Look at it", Path: evidence.PathOfUpload(u.ID), Since: u.At, Urgent: true,
			Line: fmt.Sprintf("Personal data was found in what %s sent. It is removed at %s UTC unless somebody decides.", u.Person, u.ExpiresAt.UTC().Format("15:04"))}
		if u.PersonID == r.by.ID {
			n.Line = fmt.Sprintf("Personal data was found in it. It is removed at %s UTC unless you decide.", u.ExpiresAt.UTC().Format("15:04"))
		}
		all = append(all, n)
	}
	return all, err
}
