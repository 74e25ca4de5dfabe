package control

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

// Show is the page of one control. NotFound.
func Show(ctx context.Context, db *models.DB, slug string) (Detail, error) {
	q := db.Query(ctx)
	d, approved, err := loadFrame(q, slug)
	if err != nil {
		return d, err
	}
	if d.Revisions, err = revisionsOf(q, d.ID); err != nil {
		return d, err
	}
	d.Latest = d.Revisions[0]
	for i, r := range d.Revisions {
		if r.ID == approved {
			d.Approved = &d.Revisions[i]
		}
	}
	answers, err := current(q, d.ID)
	if err != nil {
		return d, err
	}
	threads, err := threads(q, d.ID)
	if err != nil {
		return d, err
	}
	d.Sections = sections(answers, threads)
	if err := d.withSuggestions(q); err != nil {
		return d, err
	}
	if d.Rules, err = readRules(q, d.ID, answers); err != nil {
		return d, err
	}
	if d.Accounts, err = accountsOf(q, d.ID, answers["operation"]); err != nil {
		return d, err
	}
	d.Covered, err = covered(q, answers["environment"])
	return d, err
}

// covered are the environments that an answer names.
func covered(q *gorm.DB, a Answer) (list []Ref, err error) {
	var data struct{ Environments []string }
	if a.State != Answered || json.Unmarshal(a.Data, &data) != nil || len(data.Environments) == 0 {
		return nil, nil
	}
	err = q.Raw("select id, slug, name from environments where slug in ? order by name, id", data.Environments).Scan(&list).Error
	return list, err
}

func loadFrame(q *gorm.DB, slug string) (d Detail, approved int64, err error) {
	var r struct {
		ID                                 int64
		Slug, Name, Effect                 string
		WorkflowID                         int64
		WorkflowSlug, WorkflowName         string
		Unresolved, OpenQuestions          int
		ApprovedRevisionID                 int64
		OwnerID, ImplementerID, ReviewerID int64
		OwnerName, ImplementerName         string
		ReviewerName                       string
		CreatedBy                          int64
		CreatedName                        string
		CreatedAt, ChangedAt, Now          time.Time
	}
	found, err := one(q.Raw(`select c.id, c.slug, c.name, c.effect, c.workflow_id, w.slug as workflow_slug, w.name as workflow_name,
			c.unresolved, c.open_questions, c.approved_revision_id, c.business_owner_id as owner_id, c.implementer_id, c.reviewer_id,
			o.name as owner_name, i.name as implementer_name, v.name as reviewer_name,
			c.created_by, p.name as created_name, c.created_at, c.changed_at, now() as now
		from controls c join workflows w on w.id = c.workflow_id join people p on p.id = c.created_by
		left join people o on o.id = c.business_owner_id left join people i on i.id = c.implementer_id left join people v on v.id = c.reviewer_id
		where c.slug = ?`, Plain(slug)), &r)
	if err == nil && !found {
		err = notFound(slug)
	}
	return Detail{ID: r.ID, Slug: r.Slug, Name: r.Name, Effect: r.Effect, Workflow: Ref{ID: r.WorkflowID, Slug: r.WorkflowSlug, Name: r.WorkflowName},
		Parties:    Parties{Owner: Ref{ID: r.OwnerID, Name: r.OwnerName}, Implementer: Ref{ID: r.ImplementerID, Name: r.ImplementerName}, Reviewer: Ref{ID: r.ReviewerID, Name: r.ReviewerName}},
		Unresolved: r.Unresolved, OpenQuestions: r.OpenQuestions, CreatedBy: Ref{ID: r.CreatedBy, Name: r.CreatedName},
		CreatedAt: r.CreatedAt.UTC(), ChangedAt: r.ChangedAt.UTC(), Now: r.Now.UTC()}, r.ApprovedRevisionID, err
}

func sections(answers map[string]Answer, threads map[string][]Comment) []SectionAnswers {
	var all []SectionAnswers
	for _, s := range Sections {
		view := SectionAnswers{Section: s}
		for _, f := range s.Fields {
			a, ok := answers[f.Key]
			if !ok {
				a = Answer{Field: f.Key, State: Unresolved}
			}
			field := FieldAnswer{Field: f, Answer: a, Thread: threads[f.Key]}
			if f.Required && !field.Resolved() {
				view.Unresolved++
			}
			for _, c := range field.Thread {
				if c.Open() {
					view.Open++
				}
			}
			view.Answers = append(view.Answers, field)
		}
		all = append(all, view)
	}
	return all
}

type threadRow struct {
	ID                    int64
	Field, Kind, Body     string
	ParentID              int64
	InReview, ByActive    bool
	PersonID, ForPersonID int64
	PersonName, ForName   string
	At                    time.Time
	Revision              int
	ClosedBy              int64
	ClosedName            string
	ClosedAt              *time.Time
}

// threads are the questions and comments of each field, oldest first.
func threads(q *gorm.DB, controlID int64) (map[string][]Comment, error) {
	var rows []threadRow
	err := q.Raw(`select c.id, c.field, c.kind, c.body, c.parent_id, c.in_review, c.person_id, p.name as person_name, p.active as by_active,
			c.for_person_id, f.name as for_name, c.at, r.number as revision, k.person_id as closed_by, kp.name as closed_name, k.at as closed_at
		from comments c join people p on p.id = c.person_id join revisions r on r.id = c.revision_id
		left join people f on f.id = c.for_person_id
		left join question_closings k on k.comment_id = c.id left join people kp on kp.id = k.person_id
		where c.control_id = ? order by c.id`, controlID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	replies := map[int64][]Comment{}
	for _, r := range rows {
		if r.ParentID != 0 {
			replies[r.ParentID] = append(replies[r.ParentID], r.comment())
		}
	}
	all := map[string][]Comment{}
	for _, r := range rows {
		if r.ParentID == 0 {
			c := r.comment()
			c.Replies = replies[r.ID]
			all[r.Field] = append(all[r.Field], c)
		}
	}
	return all, nil
}

func (r threadRow) comment() Comment {
	return Comment{ID: r.ID, Field: r.Field, Kind: r.Kind, ParentID: r.ParentID, Body: r.Body, InReview: r.InReview,
		By: Ref{ID: r.PersonID, Name: r.PersonName}, ByActive: r.ByActive, For: Ref{ID: r.ForPersonID, Name: r.ForName}, At: r.At.UTC(), Revision: r.Revision,
		Closed: r.ClosedAt != nil, ClosedBy: Ref{ID: r.ClosedBy, Name: r.ClosedName}, ClosedAt: r.ClosedAt}
}

// OpenQuestions lists the questions of a control that nobody closed yet, in the
// order of the record; those about test cases come last.
func OpenQuestions(q *gorm.DB, controlID int64) ([]Comment, error) {
	byField, err := threads(q, controlID)
	var keys []string
	for _, f := range Fields() {
		keys = append(keys, f.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(byField)) {
		if strings.HasPrefix(key, CasePrefix) {
			keys = append(keys, key)
		}
	}
	var open []Comment
	for _, key := range keys {
		for _, c := range byField[key] {
			if c.Open() {
				open = append(open, c)
			}
		}
	}
	return open, err
}

// accountsOf are where the effect happens, with the operations an answer names.
func accountsOf(q *gorm.DB, controlID int64, operation Answer) ([]Account, error) {
	var rows []struct {
		EnvironmentID                          int64
		EnvironmentSlug, EnvironmentName, Kind string
		ReachesCustomers                       bool
		DestinationID                          int64
		DestinationSlug, System, Account       string
	}
	err := q.Raw(`select e.id as environment_id, e.slug as environment_slug, e.name as environment_name, e.kind,
			e.reaches_customers or e.reach_confirmed_at is null as reaches_customers,
			d.id as destination_id, d.slug as destination_slug, d.system, d.account
		from control_accounts a join environments e on e.id = a.environment_id join destinations d on d.id = a.destination_id
		where a.control_id = ? order by e.name, e.id`, controlID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	operations, err := operationRows(q, operation)
	if err != nil {
		return nil, err
	}
	var all []Account
	for _, r := range rows {
		a := Account{Environment: Ref{ID: r.EnvironmentID, Slug: r.EnvironmentSlug, Name: r.EnvironmentName}, Kind: r.Kind, ReachesCustomers: r.ReachesCustomers,
			Destination: Ref{ID: r.DestinationID, Slug: r.DestinationSlug, Name: r.System}, Account: r.Account}
		for _, o := range operations {
			if o.Environment == r.EnvironmentSlug {
				a.Operation = &OperationFacts{ID: o.ID, Slug: o.Slug, Name: o.Name, Behaviour: o.Behaviour, DocURL: o.DocURL, DocumentedAt: o.DocumentedAt, Notes: o.Notes,
					CheckedOn: o.CheckedOn, CheckedBy: Ref{ID: o.CheckedBy, Name: o.CheckedName}}
			}
		}
		all = append(all, a)
	}
	return all, nil
}
