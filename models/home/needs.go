// Package home gathers what waits for one person, across everything below it.
package home

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/models"
)

// Need is one thing that waits for a person, with the verb that settles it.
type Need struct {
	Kind   string // sign, confirm, question, rework, finish, submit, reach, review_date, stopped
	Title  string
	Line   string // why, in one line
	Verb   string
	Path   string
	Since  time.Time  // when it began to wait
	Due    *time.Time // a calendar date, UTC
	Urgent bool       // somebody else is blocked by it, or a date has come
}

// mostOfAKind bounds what one kind contributes; the lists behind show the rest.
const mostOfAKind = 20

// Needs lists what waits for by, or for somebody they stand in for: urgent
// things first, then the longest waiting. Only what they may do is listed.
func Needs(ctx context.Context, db *models.DB, by models.Actor) ([]Need, error) {
	ids := append([]int64{by.ID}, by.StandsFor...)
	now, err := db.Now(ctx)
	if err != nil {
		return nil, err
	}
	var all []Need
	for _, find := range []func(context.Context, *models.DB, models.Actor, []int64, time.Time) ([]Need, error){
		toSign, toConfirm, toAnswer, toRework, toFinish, toCheckReach, toReview, toLift,
	} {
		some, err := find(ctx, db, by, ids, now)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b Need) int {
		if a.Urgent != b.Urgent {
			if a.Urgent {
				return -1
			}
			return 1
		}
		return a.Since.Compare(b.Since)
	})
	return all, nil
}

// found is a control that one of the queries names.
type found struct {
	Slug, Name, Text string
	Number, Count    int
	At               time.Time
	Date             *time.Time
}

func scan(ctx context.Context, db *models.DB, sql string, args ...any) ([]found, error) {
	var rows []found
	err := db.Query(ctx).Raw(sql+fmt.Sprintf(" limit %d", mostOfAKind), args...).Scan(&rows).Error
	return rows, err
}

func toSign(ctx context.Context, db *models.DB, by models.Actor, ids []int64, _ time.Time) ([]Need, error) {
	rows, err := scan(ctx, db, `select c.slug, c.name, r.number, r.submitted_at at,
			(select count(*) from signatures s where s.revision_id = r.id and s.voided_at is null) count
		from controls c join revisions r on r.control_id = c.id and r.state = 'in_review'
		where ((c.business_owner_id in ? and not exists (select 1 from signatures s where s.revision_id = r.id and s.voided_at is null and s.slot = 'business_owner'))
			or (c.implementer_id in ? and not exists (select 1 from signatures s where s.revision_id = r.id and s.voided_at is null and s.slot = 'implementer'))
			or (c.reviewer_id in ? and not exists (select 1 from signatures s where s.revision_id = r.id and s.voided_at is null and s.slot = 'reviewer')))
			and not exists (select 1 from signatures s where s.revision_id = r.id and s.voided_at is null and s.person_id = ?)
		order by r.submitted_at`, ids, ids, ids, by.ID)
	return needs(rows, err, func(f found) Need {
		line := [...]string{"Nobody has signed yet.", "One of three signatures is in.", "Two of three signatures are in. Yours is the last."}
		return Need{Kind: "sign", Title: fmt.Sprintf("Sign revision %d of %s", f.Number, f.Name), Verb: "Review and sign",
			Path: "/controls/" + f.Slug + "/sign-off", Line: line[min(f.Count, 2)], Urgent: true}
	})
}

func toConfirm(ctx context.Context, db *models.DB, _ models.Actor, ids []int64, _ time.Time) ([]Need, error) {
	rows, err := scan(ctx, db, `select c.slug, c.name, a.value text, a.at
		from controls c join lateral (select * from answers a where a.control_id = c.id and a.field = 'duplicate_in_plain_words' order by version desc limit 1) a on true
		where c.business_owner_id in ? and c.unresolved > 0 and a.state = 'unresolved' and a.value <> '' order by a.at`, ids)
	return needs(rows, err, func(f found) Need {
		return Need{Kind: "confirm", Title: "Confirm your words for " + f.Name, Verb: "Read and confirm",
			Path: "/controls/" + f.Slug + "#f-duplicate_in_plain_words", Line: "Somebody wrote for you: “" + shorten(f.Text) + "”"}
	})
}

func toAnswer(ctx context.Context, db *models.DB, by models.Actor, ids []int64, _ time.Time) ([]Need, error) {
	rows, err := scan(ctx, db, `select c.slug, c.name, q.body text, q.at, case when q.person_id in ? then 1 else 0 end count
		from controls c join comments q on q.control_id = c.id and q.kind = 'question'
		where c.open_questions > 0 and (c.business_owner_id in ? or c.implementer_id in ? or c.reviewer_id in ?)
			and not exists (select 1 from question_closings z where z.comment_id = q.id)
			and (q.person_id in ?) = exists (select 1 from comments r where r.parent_id = q.id and r.person_id not in ?)
		order by q.at`, ids, ids, ids, ids, ids, ids)
	return needs(rows, err, func(f found) Need {
		n := Need{Kind: "question", Title: "Answer a question about " + f.Name, Verb: "Answer", Path: "/controls/" + f.Slug,
			Line: "“" + shorten(f.Text) + "” It blocks submission until its asker closes it.", Urgent: true}
		if f.Count == 1 {
			n.Title, n.Verb = "Read the answer about "+f.Name, "Read and close"
		}
		return n
	})
}

func toRework(ctx context.Context, db *models.DB, _ models.Actor, ids []int64, _ time.Time) ([]Need, error) {
	rows, err := scan(ctx, db, `select c.slug, c.name, r.number, r.decided_at at,
			coalesce((select s.note from signatures s where s.revision_id = r.id and s.decision = 'changes' order by s.id desc limit 1), '') text
		from controls c join revisions r on r.id = c.latest_revision_id and r.state = 'changes_requested'
		where c.implementer_id in ? or c.business_owner_id in ? order by r.decided_at`, ids, ids)
	return needs(rows, err, func(f found) Need {
		return Need{Kind: "rework", Title: fmt.Sprintf("Change revision %d of %s", f.Number, f.Name), Verb: "Open",
			Path: "/controls/" + f.Slug, Line: "Changes were requested: “" + shorten(f.Text) + "”"}
	})
}

func toFinish(ctx context.Context, db *models.DB, _ models.Actor, ids []int64, _ time.Time) ([]Need, error) {
	rows, err := scan(ctx, db, `select c.slug, c.name, r.number, c.changed_at at, c.unresolved count
		from controls c join revisions r on r.control_id = c.id and r.state = 'draft'
		where c.implementer_id in ? and c.open_questions = 0 order by c.changed_at desc`, ids)
	return needs(rows, err, func(f found) Need {
		n := Need{Kind: "finish", Title: fmt.Sprintf("Answer %s of %s", plural(f.Count, "field"), f.Name), Verb: "Answer", Path: "/controls/" + f.Slug,
			Line: fmt.Sprintf("Revision %d cannot be submitted while a field is unresolved.", f.Number)}
		if f.Count == 0 {
			n.Kind, n.Title, n.Verb = "submit", fmt.Sprintf("Submit revision %d of %s", f.Number, f.Name), "Open"
			n.Line = "Every field is answered."
		}
		return n
	})
}

func toCheckReach(ctx context.Context, db *models.DB, by models.Actor, ids []int64, _ time.Time) ([]Need, error) {
	if !by.Has(models.BusinessOwner) {
		return nil, nil
	}
	rows, err := scan(ctx, db, `select slug, name, created_at at, case when reaches_customers then 1 else 0 end count
		from environments where reach_confirmed_at is null and archived_at is null and reach_set_by not in ? order by created_at`, ids)
	return needs(rows, err, func(f found) Need {
		line := "Your administrator says that it cannot reach real customers. Until you confirm, it is treated as if it could."
		if f.Count == 1 {
			line = "Your administrator says that it can reach real customers."
		}
		return Need{Kind: "reach", Title: "Confirm what " + f.Name + " can reach", Verb: "Read and confirm", Path: "/admin/environments", Line: line}
	})
}

// reviewNotice is how long before its review date a control is brought up.
const reviewNotice = 30

func toReview(ctx context.Context, db *models.DB, _ models.Actor, ids []int64, now time.Time) ([]Need, error) {
	today := now.Truncate(24 * time.Hour)
	rows, err := scan(ctx, db, `select c.slug, c.name, r.number, r.decided_at at, r.review_date date
		from controls c join revisions r on r.id = c.approved_revision_id
		where c.business_owner_id in ? and r.review_date <= ? order by r.review_date`, ids, today.AddDate(0, 0, reviewNotice))
	return needs(rows, err, func(f found) Need {
		n := Need{Kind: "review_date", Title: "Review " + f.Name + " again", Verb: "Open", Path: "/controls/" + f.Slug, Due: f.Date,
			Line: "On its review date automatic retries stop."}
		if f.Date.Before(today) {
			n.Urgent, n.Line = true, "Its review date has passed, so nothing is tried again automatically."
		}
		return n
	})
}

func toLift(ctx context.Context, db *models.DB, _ models.Actor, ids []int64, _ time.Time) ([]Need, error) {
	rows, err := scan(ctx, db, `select w.slug, w.name, s.reason text, s.stopped_at at
		from stops s join workflows w on w.id = s.workflow_id where s.lifted_at is null and w.business_owner_id in ? order by s.stopped_at`, ids)
	return needs(rows, err, func(f found) Need {
		return Need{Kind: "stopped", Title: f.Name + " is stopped", Verb: "Open", Path: "/workflows/" + f.Slug, Line: "“" + shorten(f.Text) + "” Only you can lift the stop.", Urgent: true}
	})
}

func needs(rows []found, err error, as func(found) Need) ([]Need, error) {
	all := make([]Need, len(rows))
	for i, r := range rows {
		all[i] = as(r)
		all[i].Since = r.At
	}
	return all, err
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// shorten keeps the first 160 characters on one line.
func shorten(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > 160 {
		return string(r[:157]) + "..."
	}
	return string(r)
}
