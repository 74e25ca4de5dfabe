package control

import (
	"encoding/json"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

// Snapshot is the content of the control as it stands, the way a submission
// freezes it. expectations are the agreed results of the test matrix; nil
// while there are none.
func Snapshot(q *gorm.DB, controlID int64, expectations json.RawMessage) (Content, error) {
	content := Content{Format: contentFormat, Expectations: expectations}
	if expectations == nil {
		content.Expectations = json.RawMessage("null")
	}
	if err := content.loadFrame(q, controlID); err != nil {
		return content, err
	}
	answers, err := current(q, controlID)
	if err != nil {
		return content, err
	}
	content.Answers = contentAnswers(answers)
	content.People = ContentPeople{named(answers["business_owner"]), named(answers["implementer"]), named(answers["reviewer"])}
	if content.Accounts, err = contentAccounts(q, controlID); err != nil {
		return content, err
	}
	if content.Operations, err = contentOperations(q, answers["operation"]); err != nil {
		return content, err
	}
	rules, err := readRules(q, controlID, answers)
	content.Sender, content.Kept = rules.Sender, rules.contentKept()
	return content, err
}

func (c *Content) loadFrame(q *gorm.DB, controlID int64) error {
	var r struct {
		Slug, Name, Effect                      string
		WorkflowSlug, WorkflowName, Description string
		VersionOrder                            string
		IncidentPlanURL                         string `gorm:"column:incident_plan_url"`
		HelpContact                             string
	}
	found, err := one(q.Raw(`select c.slug, c.name, c.effect, w.slug as workflow_slug, w.name as workflow_name, w.description,
		w.version_order, w.incident_plan_url, w.help_contact from controls c join workflows w on w.id = c.workflow_id where c.id = ?`, controlID), &r)
	if err == nil && !found {
		err = models.NotFoundf("There is no such control.")
	}
	c.Control = ContentControl{r.Slug, r.Name, r.Effect}
	c.Workflow = ContentWorkflow{r.WorkflowSlug, r.WorkflowName, r.Description, r.VersionOrder, r.IncidentPlanURL, r.HelpContact}
	return err
}

func contentAnswers(answers map[string]Answer) (all []ContentAnswer) {
	for _, f := range Fields() {
		all = append(all, contentAnswer(f, answers[f.Key]))
	}
	return all
}

func contentAnswer(f Field, a Answer) ContentAnswer {
	if a.Version == 0 {
		return ContentAnswer{Section: f.Section, Field: f.Key, State: Unresolved, Data: json.RawMessage("null")}
	}
	data := a.Data
	if len(data) == 0 {
		data = json.RawMessage("null")
	}
	return ContentAnswer{Section: f.Section, Field: f.Key, State: a.State, Value: a.Value, Data: data, Reason: a.Reason,
		AnsweredBy: contentPerson(a.By), AnsweredFor: contentPerson(a.For), AnsweredAt: a.At.UTC().Format(time.RFC3339Nano)}
}

func contentPerson(r Ref) *ContentPerson {
	if r.ID == 0 {
		return nil
	}
	return &ContentPerson{ID: r.ID, Name: r.Name}
}

// named is the person an answer names; zero while it is unresolved.
func named(a Answer) ContentPerson {
	var data struct{ Person int64 }
	if a.State != Answered || json.Unmarshal(a.Data, &data) != nil {
		return ContentPerson{}
	}
	return ContentPerson{ID: data.Person, Name: a.Value}
}

func contentAccounts(q *gorm.DB, controlID int64) ([]ContentAccount, error) {
	all := []ContentAccount{}
	err := q.Raw(`select e.slug as environment, e.name as environment_name, e.kind as environment_kind,
			e.reaches_customers or e.reach_confirmed_at is null as reaches_customers, d.slug as destination, d.system, d.account
		from control_accounts a join environments e on e.id = a.environment_id join destinations d on d.id = a.destination_id
		where a.control_id = ? order by e.slug`, controlID).Scan(&all).Error
	return all, err
}

// chosenOperations are the operation ids of an answer by environment slug.
func chosenOperations(a Answer) map[string]int64 {
	var data struct{ Operations map[string]int64 }
	if a.State != Answered || json.Unmarshal(a.Data, &data) != nil {
		return nil
	}
	return data.Operations
}

type operationRow struct {
	ID                       int64
	Environment, Destination string
	Slug, Name               string
	Behaviour                `gorm:"embedded"`
	DocURL                   string `gorm:"column:doc_url"`
	DocumentedAt             string
	Notes                    string
	CheckedOn                *time.Time
	CheckedBy                int64
	CheckedName              string
}

func operationRows(q *gorm.DB, a Answer) (rows []operationRow, err error) {
	ids := []int64{}
	for _, id := range chosenOperations(a) {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	err = q.Raw(`select o.id, e.slug as environment, d.slug as destination, o.slug, o.name, o.call, o.mechanism, o.key_field, o.key_lifetime_hours,
			o.repeat_returns, o.same_key_other_data, o.lookup_method, o.doc_url, o.documented_at, o.notes, o.checked_on, o.checked_by, p.name as checked_name
		from operations o join destinations d on d.id = o.destination_id join environments e on e.id = d.environment_id
		left join people p on p.id = o.checked_by where o.id in ? order by e.slug`, ids).Scan(&rows).Error
	return rows, err
}

func contentOperations(q *gorm.DB, a Answer) ([]ContentOperation, error) {
	rows, err := operationRows(q, a)
	all := []ContentOperation{}
	for _, r := range rows {
		all = append(all, ContentOperation{Environment: r.Environment, Destination: r.Destination, Operation: r.Slug, Name: r.Name, Behaviour: r.Behaviour,
			DocURL: r.DocURL, DocumentedAt: r.DocumentedAt, Notes: r.Notes, CheckedOn: day(r.CheckedOn), CheckedBy: contentPerson(Ref{ID: r.CheckedBy, Name: r.CheckedName})})
	}
	return all, err
}

func day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.DateOnly)
}

func contentSender(q *gorm.DB, controlID int64, a Answer) (*ContentSender, error) {
	var data struct{ Sender string }
	if a.State != Answered || json.Unmarshal(a.Data, &data) != nil {
		return nil, nil
	}
	var r struct {
		ContentSender `gorm:"embedded"`
		CheckedDay    *time.Time
		CheckerID     int64
		CheckerName   string
	}
	found, err := one(q.Raw(`select s.slug, s.name, s.event_id_field, s.duplicates, s.ordering, s.retry_schedule, s.retry_horizon_hours,
			s.resend_horizon_hours, s.signature, s.version_field, s.changing_fields, s.doc_url, s.documented_at, s.notes, s.checked_on as checked_day,
			s.checked_by as checker_id, p.name as checker_name
		from senders s join controls c on c.workflow_id = s.workflow_id left join people p on p.id = s.checked_by
		where c.id = ? and s.slug = ?`, controlID, data.Sender), &r)
	if err != nil || !found {
		return nil, err
	}
	s := r.ContentSender
	s.CheckedOn, s.CheckedBy = day(r.CheckedDay), contentPerson(Ref{ID: r.CheckerID, Name: r.CheckerName})
	return &s, nil
}
