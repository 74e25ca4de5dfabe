package home

import (
	"fmt"

	"countersign/models"
	"countersign/models/control"
)

// toSign: a slot is open, and nobody signs two.
func (r reader) toSign() ([]Need, error) {
	return r.needs(`select c.slug, c.name, r.number, r.submitted_at at, slot.whom,
			(select count(*) from signatures s where s.revision_id = r.id and s.voided_at is null) count
		from controls c join revisions r on r.control_id = c.id and r.state = 'in_review'
		join lateral (select v.whom from (values (c.business_owner_id, 'business_owner'), (c.implementer_id, 'implementer'), (c.reviewer_id, 'reviewer')) v(whom, slot)
			where (v.slot = 'business_owner' and v.whom in @owners or v.slot = 'implementer' and v.whom in @implementers or v.slot = 'reviewer' and v.whom in @reviewers)
				and not exists (select 1 from signatures s where s.revision_id = r.id and s.voided_at is null
					and (s.slot = v.slot or s.person_id = v.whom or s.for_person_id = v.whom))
			order by v.whom <> @me limit 1) slot on true
		where (c.business_owner_id in @ids or c.implementer_id in @ids or c.reviewer_id in @ids)
			and not exists (select 1 from signatures s where s.revision_id = r.id and s.voided_at is null and (s.person_id = @me or s.for_person_id = @me))
		order by r.submitted_at`, map[string]any{"owners": r.as(models.BusinessOwner), "implementers": r.as(models.Implementer), "reviewers": r.as(models.Reviewer)}, func(f found) Need {
		line := [...]string{"Nobody has signed yet.", "One of three signatures is in.", "Two of three signatures are in. Yours is the last."}
		return Need{Kind: "sign", Title: fmt.Sprintf("Sign revision %d of %s", f.Number, f.Name), Verb: "Review and sign",
			Path: "/controls/" + f.Slug + "/sign-off", Line: line[min(f.Count, 2)], Urgent: true}
	})
}

func (r reader) toConfirm() ([]Need, error) {
	return r.needs(`select c.slug, c.name, a.value text, a.at, c.business_owner_id whom
		from controls c join lateral (select * from answers a where a.control_id = c.id and a.field = 'duplicate_in_plain_words' order by version desc limit 1) a on true
		where c.business_owner_id in @ids and c.unresolved > 0 and a.state = 'unresolved' and a.value <> '' order by a.at`, nil, func(f found) Need {
		return Need{Kind: "confirm", Title: "Confirm your words for " + f.Name, Verb: "Read and confirm",
			Path: "/controls/" + f.Slug + "#f-duplicate_in_plain_words", Line: "Somebody wrote for you: “" + shorten(f.Text) + "”"}
	})
}

// openQuestions have had their last word either from whoever asked, and wait
// for an answer then, or from somebody else, and wait for the asker.
const openQuestions = `
	from controls c join comments q on q.control_id = c.id and q.kind = 'question' join people asker on asker.id = q.person_id
	join revisions v on v.id = c.latest_revision_id
	left join lateral (select r.person_id, r.for_person_id, r.at from comments r where r.parent_id = q.id order by r.id desc limit 1) last on true
	cross join lateral (select last.at is not null and last.person_id <> q.person_id
		and coalesce(last.for_person_id, last.person_id) <> coalesce(q.for_person_id, q.person_id) yes) answered
	where c.open_questions > 0 and not exists (select 1 from question_closings z where z.comment_id = q.id) `

// toAnswer: a question waits for the people named, other than who asked it.
func (r reader) toAnswer() ([]Need, error) {
	return r.needs(`select c.slug, c.name, q.id, q.field, v.state, q.body text, coalesce(last.at, q.at) at,
			case when @me in (c.business_owner_id, c.implementer_id, c.reviewer_id) then @me
				when c.implementer_id in @ids then c.implementer_id when c.business_owner_id in @ids then c.business_owner_id else c.reviewer_id end whom`+
		openQuestions+`and not answered.yes and q.person_id <> @me
			and (c.business_owner_id in @ids or c.implementer_id in @ids or c.reviewer_id in @ids) order by q.at`, nil, func(f found) Need {
		return Need{Kind: "question", Title: "Answer a question about " + f.Name, Verb: "Answer", Urgent: true,
			Path: control.ReplyPath(f.Slug, f.Field, f.ID), Line: questionLine(f)}
	})
}

// toClose: an answer waits for who asked, or, once they left, for the owner.
func (r reader) toClose() ([]Need, error) {
	return r.needs(`select c.slug, c.name, q.id, q.field, v.state, q.body text, last.at,
			case when q.person_id = @me then @me when q.person_id in @ids then q.person_id when q.for_person_id in @ids then q.for_person_id else c.business_owner_id end whom`+
		openQuestions+`and answered.yes and (q.person_id in @ids or q.for_person_id in @ids or (not asker.active and c.business_owner_id in @ids))
		order by last.at`, nil, func(f found) Need {
		return Need{Kind: "question", Title: "Read the answer about " + f.Name, Verb: "Read and close", Urgent: true,
			Path: control.ThreadPath(f.Slug, f.Field), Line: questionLine(f)}
	})
}

func questionLine(f found) string {
	blocks := "submission"
	switch f.State {
	case "in_review":
		blocks = "approval"
	case "approved":
		blocks = "the next submission"
	}
	return "“" + shorten(f.Text) + "” It blocks " + blocks + " until its asker closes it."
}

// toRework is the implementer's: they change what was asked for.
func (r reader) toRework() ([]Need, error) {
	return r.needs(`select c.slug, c.name, r.number, r.decided_at at, c.implementer_id whom,
			coalesce((select s.note from signatures s where s.revision_id = r.id and s.decision = 'changes' order by s.id desc limit 1), '') text
		from controls c join revisions r on r.id = c.latest_revision_id and r.state = 'changes_requested'
		where c.implementer_id in @ids order by r.decided_at`, nil, func(f found) Need {
		return Need{Kind: "rework", Title: fmt.Sprintf("Change revision %d of %s", f.Number, f.Name), Verb: "Open",
			Path: "/controls/" + f.Slug + "#requested", Line: "Changes were requested: “" + shorten(f.Text) + "”"}
	})
}

func (r reader) toFinish() ([]Need, error) {
	return r.needs(`select c.slug, c.name, r.number, c.changed_at at, c.unresolved count, c.implementer_id whom, missing.n id
		from controls c join revisions r on r.control_id = c.id and r.state = 'draft'
		cross join lateral (select count(*) filter (where not k.pending and k.expectation_id is null) n, bool_or(k.pending) waits from case_cells k
			where k.control_id = c.id and (k.waived_until is null or k.waived_until < (now() at time zone 'utc')::date)) missing
		where c.implementer_id in @ids and (c.unresolved > 0 or c.open_questions = 0 and (missing.n > 0 or missing.waits is not true)) order by c.changed_at desc`, nil, func(f found) Need {
		n := Need{Kind: "finish", Title: fmt.Sprintf("Answer %s of %s", plural(f.Count, "field"), f.Name), Verb: "Answer", Path: "/controls/" + f.Slug,
			Line: fmt.Sprintf("Revision %d cannot be submitted while a field is unresolved.", f.Number)}
		switch {
		case f.Count == 0 && f.ID > 0:
			n.Kind, n.Title, n.Verb, n.Path = "propose", fmt.Sprintf("Propose what %s of %s must show", plural(int(f.ID), "scenario"), f.Name), "Propose", "/controls/"+f.Slug+"/matrix"
			n.Line = fmt.Sprintf("Revision %d cannot be submitted before the business owner agreed every one.", f.Number)
		case f.Count == 0:
			n.Kind, n.Title, n.Verb = "submit", fmt.Sprintf("Submit revision %d of %s", f.Number, f.Name), "Open"
			n.Line = "Every field is answered, and what every scenario must show is agreed."
		}
		return n
	})
}

func (r reader) toCheckReach() ([]Need, error) {
	if !r.by.Has(models.BusinessOwner) {
		return nil, nil
	}
	return r.needs(`select slug, name, created_at at, case when reaches_customers then 1 else 0 end count
		from environments where reach_confirmed_at is null and archived_at is null and reach_set_by not in @ids order by created_at`, nil, func(f found) Need {
		line := "Your administrator says that it cannot reach real customers. Until you confirm, it is treated as if it could."
		if f.Count == 1 {
			line = "Your administrator says that it can reach real customers."
		}
		return Need{Kind: "reach", Title: "Confirm what " + f.Name + " can reach", Verb: "Read and confirm", Path: "/admin/environments/" + f.Slug, Line: line}
	})
}

// reviewNotice is how many days before its review date a control is brought up.
const reviewNotice = 30

func (r reader) toReview() ([]Need, error) {
	return r.needs(`select c.slug, c.name, r.number, r.decided_at at, r.review_date date, c.business_owner_id whom
		from controls c join revisions r on r.id = c.approved_revision_id
		where c.business_owner_id in @ids and r.review_date <= @by order by r.review_date`, map[string]any{"by": r.today.AddDate(0, 0, reviewNotice)}, func(f found) Need {
		n := Need{Kind: "review_date", Title: "Review " + f.Name + " again", Verb: "Open", Path: "/controls/" + f.Slug, Due: f.Date,
			Line: "After its review date automatic retries stop."}
		if f.Date.Before(r.today) {
			n.Urgent, n.Line = true, "Its review date has passed, so nothing is tried again automatically."
		}
		return n
	})
}

func (r reader) toLift() ([]Need, error) {
	return r.needs(`select w.slug, w.name, s.reason text, s.stopped_at at, w.business_owner_id whom
		from stops s join workflows w on w.id = s.workflow_id where s.lifted_at is null and w.business_owner_id in @ids order by s.stopped_at`, nil, func(f found) Need {
		return Need{Kind: "stopped", Title: f.Name + " is stopped", Verb: "Open", Path: "/workflows/" + f.Slug, Line: "“" + shorten(f.Text) + "” Only you can lift the stop.", Urgent: true, Head: 2}
	})
}

// toReplace: a workflow names somebody whose account is no longer active. For
// whoever may edit it.
func (r reader) toReplace() ([]Need, error) {
	all, owners := r.by.Has(models.Admin, models.Implementer), r.ids
	if !r.by.Has(models.BusinessOwner) {
		owners = r.by.StandIns() // who lost the role edits for others only
	}
	return r.needs(`select w.slug, w.name, p.name text, d.field, case when @all then 0 else w.business_owner_id end whom,
			coalesce((select max(e.at) from audit_events e where e.object_type = 'person' and e.object_id = p.id and e.action = 'person.deactivated'), w.created_at) at
		from workflows w cross join lateral (values (1, 'business_owner', w.business_owner_id), (2, 'implementer', w.implementer_id), (3, 'reviewer', w.reviewer_id)) d(place, field, id)
		join people p on p.id = d.id and not p.active
		where w.archived_at is null and (@all or w.business_owner_id in @owners) order by w.name, w.id, d.place`, map[string]any{"all": all, "owners": owners}, func(f found) Need {
		return Need{Kind: "replace", Title: "Name a new " + models.Role(f.Field).Word() + " for " + f.Name, Verb: "Name somebody",
			Path: "/workflows/" + f.Slug + "/edit#" + f.Field, Line: f.Text + " no longer has an active account, so nobody signs in their place.", Urgent: true}
	})
}
