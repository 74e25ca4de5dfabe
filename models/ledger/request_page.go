package ledger

import (
	"context"
	"net/url"
	"strings"

	"countersign/models"
)

// RequestPath is the page of everything about one business record. The record
// may be any text.
func RequestPath(workflow, environment, record string) string {
	return "/ledger/requests?" + url.Values{"workflow": {workflow}, "environment": {environment}, "record": {record}}.Encode()
}

// RequestPage is every effect of one business record side by side.
type RequestPage struct {
	Record                 string
	Workflow, WorkflowSlug string
	Environment, EnvSlug   string
	Newest                 string // version; "" when none was stated
	Actions                []ActionRow
	Deliveries             []DeliveryRow  // newest first
	Refused                []RefusedClaim // newest first, 100 at most
	Missing                []Effect       // controls of the workflow without an action of this record
	More                   bool           // there are more than are shown
}

// Effect is a control that was not claimed for a record.
type Effect struct{ Slug, Name string }

const shownOfRecord = 100

// RequestOf reads the page of a business record. NotFound when nothing of this
// record was ever seen there.
func RequestOf(ctx context.Context, db *models.DB, workflow, environment, record string) (RequestPage, error) {
	var place struct {
		WorkflowID, EnvironmentID int64
		Workflow, WorkflowSlug    string
		Environment, EnvSlug      string
	}
	q := db.Query(ctx)
	missing := models.NotFoundf("Nothing of this request was seen here.")
	var c models.Check
	c.Line("record", record, MaxID)
	c.Line("workflow", workflow, MaxID)
	c.Line("environment", environment, MaxID)
	if c.Err() != nil || record == "" {
		return RequestPage{}, missing
	}
	done := q.Raw("select w.id as workflow_id, w.name as workflow, w.slug as workflow_slug, e.id as environment_id, e.name as environment, e.slug as env_slug from workflows w, environments e where w.slug = ? and e.slug = ?",
		workflow, environment).Scan(&place)
	if done.Error != nil || done.RowsAffected == 0 {
		return RequestPage{}, orError(done.Error, missing)
	}
	p := RequestPage{Record: record, Workflow: place.Workflow, WorkflowSlug: place.WorkflowSlug, Environment: place.Environment, EnvSlug: place.EnvSlug}
	at := map[string]any{"record": record, "workflow": place.WorkflowID, "environment": place.EnvironmentID, "n": shownOfRecord + 1}
	where := "record_id = @record and %.workflow_id = @workflow and %.environment_id = @environment"
	for _, read := range []struct {
		to  any
		sql string
	}{
		{&p.Actions, "select " + actionRows + ", t.worker from actions a" + actionPlaces + " join attempts t on t.id = a.attempt_id where a." + in("a", where) + " order by a.id limit @n"},
		{&p.Deliveries, "select " + deliveryRows + " from deliveries d" + deliveryPlaces + " where d." + in("d", where) + " order by d.id desc limit @n"},
		{&p.Newest, "select version from record_versions v where v." + in("v", where)},
		{&p.Missing, `select c.slug, c.name from controls c where c.workflow_id = @workflow and not exists (select 1 from actions a where a.control_id = c.id and a.` + in("a", where) + ") order by c.name, c.id limit 50"},
	} {
		if err := db.Query(ctx).Raw(read.sql, at).Scan(read.to).Error; err != nil {
			return p, models.Classify(err)
		}
	}
	var err error
	if p.Refused, err = refusedOfRecord(db.Query(ctx), place.WorkflowID, place.EnvironmentID, record); err != nil {
		return p, models.Classify(err)
	}
	if len(p.Actions)+len(p.Deliveries)+len(p.Refused) == 0 {
		return p, missing
	}
	if len(p.Actions) > shownOfRecord {
		p.Actions, p.More = p.Actions[:shownOfRecord], true
	}
	if len(p.Deliveries) > shownOfRecord {
		p.Deliveries, p.More = p.Deliveries[:shownOfRecord], true
	}
	for i := range p.Deliveries {
		p.Deliveries[i].name()
	}
	return p, nil
}

// in puts a table's name into a condition.
func in(table, where string) string { return strings.ReplaceAll(where, "%", table) }

func orError(err, other error) error {
	if err != nil {
		return models.Classify(err)
	}
	return other
}
