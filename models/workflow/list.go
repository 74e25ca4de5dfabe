package workflow

import (
	"context"
	"strings"
	"time"

	"countersign/models"
)

// Filter narrows a list. After is a page cursor, "" for the first page.
type Filter struct {
	Q        string
	Archived bool // the archived ones instead of the others
	After    string
}

func (f Filter) like() string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(models.Clean(f.Q)) + "%"
}

func (f Filter) archived() string {
	if f.Archived {
		return "is not null"
	}
	return "is null"
}

// Row is one workflow in the list.
type Row struct {
	ID         int64
	Slug       string
	Name       string
	Owner      string
	ReviewDate *time.Time
	StoppedBy  string // "" while it runs
	StoppedAt  *time.Time
	ArchivedAt *time.Time
	Controls   int
	Approved   int // controls with an approved revision in force
}

// List returns workflows by name. Q looks in the name and the slug.
func List(ctx context.Context, db *models.DB, f Filter) (models.Page[Row], error) {
	q := db.Query(ctx).Table("workflows w").Select(`w.id, w.slug, w.name, o.name as owner, w.review_date, w.archived_at,
			coalesce(p.name, '') as stopped_by, s.stopped_at,
			(select count(*) from controls c where c.workflow_id = w.id) as controls,
			(select count(*) from controls c where c.workflow_id = w.id and c.approved_revision_id is not null) as approved`).
		Joins("join people o on o.id = w.business_owner_id").
		Joins("left join stops s on s.workflow_id = w.id and s.lifted_at is null").
		Joins("left join people p on p.id = s.stopped_by").
		Where("w.archived_at " + f.archived())
	if models.Clean(f.Q) != "" {
		q = q.Where("(w.name ilike ? or w.slug ilike ?)", f.like(), f.like())
	}
	return models.Keyset(q, f.After, models.PageSize, models.Order{Columns: []string{"w.name", "w.id"}},
		func(r Row) []any { return []any{r.Name, r.ID} })
}

// EnvironmentRow is one environment in the list.
type EnvironmentRow struct {
	Environment
	SetBy        string
	ConfirmedBy  string // "" while nobody confirmed
	Destinations int
	Controls     int
}

const environmentColumns = `e.*, p.name as set_by, coalesce(c.name, '') as confirmed_by,
	(select count(*) from destinations d where d.environment_id = e.id and d.archived_at is null) as destinations,
	(select count(*) from control_accounts a where a.environment_id = e.id) as controls`

// ListEnvironments returns environments by name.
func ListEnvironments(ctx context.Context, db *models.DB, f Filter) (models.Page[EnvironmentRow], error) {
	q := db.Query(ctx).Table("environments e").Select(environmentColumns).
		Joins("join people p on p.id = e.reach_set_by").
		Joins("left join people c on c.id = e.reach_confirmed_by").
		Where("e.archived_at " + f.archived())
	return models.Keyset(q, f.After, models.PageSize, models.Order{Columns: []string{"e.name", "e.id"}},
		func(r EnvironmentRow) []any { return []any{r.Name, r.ID} })
}

// FindEnvironment returns one environment; NotFound when there is none.
func FindEnvironment(ctx context.Context, db *models.DB, slug string) (EnvironmentRow, error) {
	var row EnvironmentRow
	err := db.Query(ctx).Table("environments e").Select(environmentColumns).
		Joins("join people p on p.id = e.reach_set_by").
		Joins("left join people c on c.id = e.reach_confirmed_by").
		Where("e.slug = ?", slug).Limit(1).Scan(&row).Error
	if err == nil && row.ID == 0 {
		err = models.NotFoundf("There is no such environment.")
	}
	return row, err
}

// EnvironmentChoices are the environments a form offers, by name.
func EnvironmentChoices(ctx context.Context, db *models.DB) ([]Environment, error) {
	var rows []Environment
	err := db.Query(ctx).Raw("select * from environments where archived_at is null order by name, id").Scan(&rows).Error
	return rows, err
}

// DestinationRow is one destination in the list.
type DestinationRow struct {
	ID          int64
	Slug        string
	System      string
	Account     string
	Environment string
	ArchivedAt  *time.Time
	Operations  int
	NotChecked  int // operations whose documentation nobody has checked
	Controls    int
}

// ListDestinations returns destinations by system. Q looks in the system, the
// account and the slug.
func ListDestinations(ctx context.Context, db *models.DB, f Filter) (models.Page[DestinationRow], error) {
	q := db.Query(ctx).Table("destinations d").Select(`d.id, d.slug, d.system, d.account, e.name as environment, d.archived_at,
			(select count(*) from operations o where o.destination_id = d.id and o.archived_at is null) as operations,
			(select count(*) from operations o where o.destination_id = d.id and o.archived_at is null and o.checked_on is null) as not_checked,
			(select count(*) from control_accounts a where a.destination_id = d.id) as controls`).
		Joins("join environments e on e.id = d.environment_id").
		Where("d.archived_at " + f.archived())
	if models.Clean(f.Q) != "" {
		q = q.Where("(d.system ilike ? or d.account ilike ? or d.slug ilike ?)", f.like(), f.like(), f.like())
	}
	return models.Keyset(q, f.After, models.PageSize, models.Order{Columns: []string{"d.system", "d.id"}},
		func(r DestinationRow) []any { return []any{r.System, r.ID} })
}

// choices is how many a form offers to choose from.
const choices = 500

// DestinationChoice is a destination that a form offers.
type DestinationChoice struct{ Slug, System, Account, Environment string }

// DestinationChoices are the first destinations by system, and the one called
// wanted wherever it comes.
func DestinationChoices(ctx context.Context, db *models.DB, wanted string) ([]DestinationChoice, error) {
	var rows []DestinationChoice
	err := db.Query(ctx).Raw(`select d.slug, d.system, d.account, e.name as environment from destinations d
		join environments e on e.id = d.environment_id where d.archived_at is null
		order by d.slug = ? desc, d.system, d.id limit ?`, wanted, choices).Scan(&rows).Error
	return rows, err
}

// Choices are the first workflows by name, and the one called wanted wherever it comes.
func Choices(ctx context.Context, db *models.DB, wanted string) ([]Workflow, error) {
	var rows []Workflow
	err := db.Query(ctx).Raw("select * from workflows where archived_at is null order by slug = ? desc, name, id limit ?", wanted, choices).
		Scan(&rows).Error
	return rows, err
}
