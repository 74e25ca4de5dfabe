package workflow

import (
	"context"
	"time"

	"countersign/models"
)

// shown is how many rows a page shows of something that has its own list.
const shown = 20

// Details is everything the page of one workflow shows.
type Details struct {
	Workflow
	Owner       string
	Implementer string
	Reviewer    string
	// Whether each has an active account; whoever has not can be replaced.
	OwnerActive, ImplementerActive, ReviewerActive bool
	Stop                                           *StopRecord   `gorm:"-"` // in force; nil while it runs
	Stops                                          []StopRecord  `gorm:"-"` // lifted ones, newest first
	MoreStops                                      bool          `gorm:"-"` // older ones are only in the audit log
	Senders                                        []Sender      `gorm:"-"` // archived ones last
	Environments                                   []Environment `gorm:"-"`
	Controls                                       []ControlLine `gorm:"-"`
	MoreControls                                   bool          `gorm:"-"`
	Policy                                         Policy        `gorm:"-"` // zero while none is chosen
}

// ControlLine is a control where something else lists what uses it.
type ControlLine struct {
	Slug       string
	Name       string
	Workflow   string
	Effect     string
	State      string // of the latest revision, "" before the first
	Number     int
	Approved   bool // a revision is in force
	Unresolved int
}

const controlLines = `select c.slug, c.name, w.name as workflow, c.effect, coalesce(r.state, '') as state,
	coalesce(r.number, 0) as number, c.approved_revision_id is not null as approved, c.unresolved
	from controls c join workflows w on w.id = c.workflow_id left join revisions r on r.id = c.latest_revision_id `

// Find returns the workflow with slug; NotFound when there is none.
func Find(ctx context.Context, db *models.DB, slug string) (Workflow, error) {
	var w Workflow
	err := db.Query(ctx).Raw("select * from workflows where slug = ?", slug).Scan(&w).Error
	if err == nil && w.ID == 0 {
		err = models.NotFoundf("There is no such workflow.")
	}
	return w, err
}

// FindDetails returns the workflow with slug and what belongs to it; NotFound
// when there is none.
func FindDetails(ctx context.Context, db *models.DB, slug string) (Details, error) {
	var d Details
	err := db.Query(ctx).Raw(`select w.*, o.name as owner, i.name as implementer, r.name as reviewer,
			o.active as owner_active, i.active as implementer_active, r.active as reviewer_active
		from workflows w join people o on o.id = w.business_owner_id join people i on i.id = w.implementer_id
		join people r on r.id = w.reviewer_id where w.slug = ?`, slug).Scan(&d).Error
	if err == nil && d.ID == 0 {
		err = models.NotFoundf("There is no such workflow.")
	}
	if err != nil {
		return d, err
	}
	var stops []StopRecord
	if err := db.Query(ctx).Raw(stopColumns+`where s.workflow_id = ? order by s.lifted_at desc nulls first, s.id desc limit ?`,
		d.ID, shown+2).Scan(&stops).Error; err != nil {
		return d, err
	}
	if len(stops) > 0 && stops[0].LiftedAt == nil {
		d.Stop, stops = &stops[0], stops[1:]
	}
	d.Stops, d.MoreStops = cut(stops)
	if err := db.Query(ctx).Raw(`select * from senders where workflow_id = ? order by archived_at is not null, name, id`, d.ID).
		Scan(&d.Senders).Error; err != nil {
		return d, err
	}
	if err := db.Query(ctx).Raw(`select e.* from environments e where exists (select 1 from control_accounts a
		join controls c on c.id = a.control_id where a.environment_id = e.id and c.workflow_id = ?) order by e.name, e.id`, d.ID).
		Scan(&d.Environments).Error; err != nil {
		return d, err
	}
	if err := db.Query(ctx).Raw("select * from escalation_policies where id = ?", d.EscalationPolicyID).Scan(&d.Policy).Error; err != nil {
		return d, err
	}
	d.Controls, d.MoreControls, err = controlsOf(ctx, db, "where c.workflow_id = ?", d.ID)
	return d, err
}

func controlsOf(ctx context.Context, db *models.DB, where string, id int64) ([]ControlLine, bool, error) {
	var lines []ControlLine
	err := db.Query(ctx).Raw(controlLines+where+" order by c.name, c.id limit ?", id, shown+1).Scan(&lines).Error
	lines, more := cut(lines)
	return lines, more, err
}

func cut[T any](rows []T) ([]T, bool) {
	if len(rows) > shown {
		return rows[:shown], true
	}
	return rows, false
}

// SenderDetails is a sender with its workflow and who checked it.
type SenderDetails struct {
	Sender
	CheckedByName string
	Workflow      Workflow `gorm:"-"`
}

// FindSender returns a sender of a workflow; NotFound when there is none.
func FindSender(ctx context.Context, db *models.DB, workflowSlug, slug string) (SenderDetails, error) {
	var d SenderDetails
	w, err := Find(ctx, db, workflowSlug)
	if err != nil {
		return d, err
	}
	err = db.Query(ctx).Raw(`select s.*, coalesce(p.name, '') as checked_by_name from senders s
		left join people p on p.id = s.checked_by where s.workflow_id = ? and s.slug = ?`, w.ID, slug).Scan(&d).Error
	if err == nil && d.ID == 0 {
		err = models.NotFoundf("This workflow has no such sender.")
	}
	d.Workflow = w
	return d, err
}

// DestinationDetails is everything the page of one destination shows.
type DestinationDetails struct {
	Destination
	Environment  Environment   `gorm:"-"`
	Operations   []Operation   `gorm:"-"` // archived ones last
	Controls     []ControlLine `gorm:"-"`
	MoreControls bool          `gorm:"-"`
}

// FindDestination returns a destination; NotFound when there is none.
func FindDestination(ctx context.Context, db *models.DB, slug string) (DestinationDetails, error) {
	var d DestinationDetails
	err := db.Query(ctx).Raw("select * from destinations where slug = ?", slug).Scan(&d.Destination).Error
	if err == nil && d.ID == 0 {
		err = models.NotFoundf("There is no such destination.")
	}
	if err != nil {
		return d, err
	}
	if err := db.Query(ctx).Raw("select * from environments where id = ?", d.EnvironmentID).Scan(&d.Environment).Error; err != nil {
		return d, err
	}
	if err := db.Query(ctx).Raw("select * from operations where destination_id = ? order by archived_at is not null, name, id", d.ID).
		Scan(&d.Operations).Error; err != nil {
		return d, err
	}
	d.Controls, d.MoreControls, err = controlsOf(ctx, db,
		"where exists (select 1 from control_accounts a where a.control_id = c.id and a.destination_id = ?)", d.ID)
	return d, err
}

// OperationDetails is an operation with its destination and who checked it.
type OperationDetails struct {
	Operation
	CheckedByName string
	Destination   Destination `gorm:"-"`
	Environment   Environment `gorm:"-"`
}

// FindOperation returns an operation of a destination; NotFound when there is none.
func FindOperation(ctx context.Context, db *models.DB, destinationSlug, slug string) (OperationDetails, error) {
	var o OperationDetails
	d, err := FindDestination(ctx, db, destinationSlug)
	if err != nil {
		return o, err
	}
	err = db.Query(ctx).Raw(`select o.*, coalesce(p.name, '') as checked_by_name from operations o
		left join people p on p.id = o.checked_by where o.destination_id = ? and o.slug = ?`, d.ID, slug).Scan(&o).Error
	if err == nil && o.ID == 0 {
		err = models.NotFoundf("This destination has no such operation.")
	}
	o.Destination, o.Environment = d.Destination, d.Environment
	return o, err
}

// LastEdit says who changed an object last and when, for a page that shows a
// conflict. The name is "" when nobody did.
func LastEdit(ctx context.Context, db *models.DB, kind string, id int64) (name string, at time.Time, err error) {
	row := struct {
		Name string
		At   time.Time
	}{}
	err = db.Query(ctx).Raw(`select coalesce(p.name, '') as name, e.at from audit_events e left join people p on p.id = e.person_id
		where e.object_type = ? and e.object_id = ? and not e.refused order by e.id desc limit 1`, kind, id).Scan(&row).Error
	return row.Name, row.At, err
}
