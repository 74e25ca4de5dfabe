package control

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/identity"
)

// RuleFilter narrows the list of identity rules. Zero values do not.
type RuleFilter struct {
	Q        string // part of the control's name or slug
	Kind     identity.Kind
	State    string // unresolved, flagged, answered or not_applicable
	Workflow string // slug
	Broken   bool   // only controls with a broken pair
	Cursor   string
}

// RuleRow is one rule in the list.
type RuleRow struct {
	ControlID                  int64
	Position                   int
	Field                      string
	State                      string // flagged: written, unresolved because of findings
	Version                    int
	Findings, Warnings         int // Findings block
	ControlSlug, ControlName   string
	WorkflowSlug, WorkflowName string
	BrokenPairs                int // of the control
	RulesCheckedAt             *time.Time
}

// Kind is which identity the rule recognises.
func (r RuleRow) Kind() identity.Kind {
	f, _ := FieldByKey(r.Field)
	return f.Recognises()
}

// ListRules is a page of all identity rules: control after control in the order
// they were made, four rules each. BadRequest for a damaged cursor.
func ListRules(ctx context.Context, db *models.DB, f RuleFilter) (models.Page[RuleRow], error) {
	q := db.Query(ctx).Table("rule_states r").Select(`r.control_id, r.position, r.field, r.state, r.version, r.findings, r.warnings, c.slug as control_slug, c.name as control_name,
			w.slug as workflow_slug, w.name as workflow_name, c.broken_pairs, c.rules_checked_at`).
		Joins("join controls c on c.id = r.control_id").
		Joins("join workflows w on w.id = c.workflow_id")
	if f.Q = Plain(f.Q); f.Q != "" {
		q = q.Where("strpos(lower(c.name), lower(@q)) > 0 or strpos(c.slug, lower(@q)) > 0", map[string]any{"q": f.Q})
	}
	if f.Kind != "" {
		q = q.Where("r.field = ?", RuleField(f.Kind).Key)
	}
	if f.State != "" {
		q = q.Where("r.state = ?", Plain(f.State))
	}
	if f.Workflow != "" {
		q = q.Where("c.workflow_id = (select id from workflows where slug = ?)", Plain(f.Workflow))
	}
	if f.Broken {
		q = q.Where("c.broken_pairs > 0")
	}
	return models.Keyset(q, f.Cursor, models.PageSize, models.Order{Columns: []string{"r.control_id", "r.position"}},
		func(r RuleRow) []any { return []any{r.ControlID, r.Position} })
}
