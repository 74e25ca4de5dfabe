package signoff

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// GateIn is the gate of a control in one environment, with the revision whose
// rules and terms serve there.
type GateIn struct {
	Gate
	ControlID        int64
	EnvironmentID    int64
	ReachesCustomers bool    // also while nobody has confirmed that it cannot
	Serving          Serving // zero: no revision serves
	Warnings         []Reason
}

// Serving is the revision that an environment goes by.
type Serving struct {
	ID      int64
	Number  int                   // 0: none serves
	State   control.RevisionState // of a draft, the answers as they stand serve
	Mode    string                // "" while it is not answered
	Retries int
}

// DecideIn says what the control allows in an environment. Where real customers
// can be reached it is Decide. Elsewhere the newest revision with an identity of
// the action serves, drafts included: only a stop blocks, and what Decide holds
// against the approved revision is a warning, a missing approval too. Without
// such a revision nothing is tried again, and no key can be derived.
func DecideIn(f GateFacts, reaches bool, s Serving) (Gate, []Reason) {
	switch {
	case reaches:
		return Decide(f), nil
	case f.Stopped:
		return Gate{State: GateBlocked, Reasons: []Reason{f.stop()}}, nil
	case s.Number == 0:
		return Gate{State: GateManual, Reasons: []Reason{{"no_identity", "No revision says yet which values make two requests the same action.", f.ControlPath + "#f-action_identity"}}}, nil
	}
	warnings := f.warnings(s)
	switch {
	case s.Mode == "observe":
		return Gate{State: GateObserving, Reasons: []Reason{f.observing(s.Number)}}, warnings
	case s.Retries == 0:
		return Gate{State: GateManual, Reasons: []Reason{f.noRetries(s.Number)}}, warnings
	}
	return Gate{State: GateAutomatic, N: s.Retries,
		Reasons: []Reason{{"serving", fmt.Sprintf("Revision %d allows up to %d.", s.Number, s.Retries), f.ControlPath}}}, warnings
}

// warnings are what stands against the revision that serves where no customer
// can be reached.
func (f GateFacts) warnings(s Serving) []Reason {
	if s.State == control.Approved {
		return f.lapsed()
	}
	return []Reason{{"not_approved", fmt.Sprintf("Revision %d is not approved. It is %s.", s.Number, s.State.Words()), f.ControlPath + "/sign-off"}}
}

// LoadGateIn decides the gate of a control in an environment. NotFound for
// either.
func LoadGateIn(ctx context.Context, db *models.DB, slug, environment string) (GateIn, error) {
	q := db.Query(ctx)
	r, f, err := loadGate(q, slug)
	if err != nil {
		return GateIn{}, err
	}
	g := GateIn{ControlID: r.ID}
	var e struct {
		ID      int64
		Reaches bool
	}
	done := q.Raw("select id, reaches_customers or reach_confirmed_at is null as reaches from environments where slug = ?", control.Plain(environment)).Scan(&e)
	if done.Error == nil && done.RowsAffected == 0 {
		done.Error = models.NotFoundf("There is no environment named “%s”.", control.Plain(environment))
	}
	if done.Error != nil {
		return g, done.Error
	}
	g.EnvironmentID, g.ReachesCustomers = e.ID, e.Reaches
	if g.Serving, err = serving(q, r.ID, e.Reaches); err != nil {
		return g, err
	}
	g.Gate, g.Warnings = DecideIn(f, e.Reaches, g.Serving)
	return g, nil
}

// serving finds the revision that serves: the approved one where customers can
// be reached, elsewhere the newest that has an identity of the action.
func serving(q *gorm.DB, controlID int64, reaches bool) (Serving, error) {
	which := "r.control_id = @id and r.number < @below"
	if reaches {
		which = "r.id = (select approved_revision_id from controls where id = @id) and r.number < @below"
	}
	for below := math.MaxInt32; ; {
		var r servingRow
		done := q.Raw(selectServing+"where "+which+" order by r.number desc limit 1", map[string]any{"id": controlID, "below": below}).Scan(&r)
		if done.Error != nil || done.RowsAffected == 0 {
			return Serving{}, done.Error
		}
		if _, ok := (control.Answer{Field: "action_identity", Data: json.RawMessage(r.Rule)}).Rule(); ok || reaches {
			return Serving{r.ID, r.Number, r.State, r.Mode, r.Retries}, nil
		}
		below = r.Number
	}
}

type servingRow struct {
	ID      int64
	Number  int
	State   control.RevisionState
	Mode    string
	Retries int
	Rule    string // JSON; "" while there is none
}

// selectServing reads a revision's terms and its identity of the action: of a
// draft from the answers, of a submitted one from what was frozen.
const selectServing = `select r.id, r.number, r.state, coalesce(r.mode, mode.data->>'mode', '') as mode, coalesce(r.automatic_retries, (retries.data->>'number')::integer, 0) as retries,
		case when r.state = 'draft' then rule.data::text else (select a->>'data' from jsonb_array_elements(r.content::jsonb->'answers') a where a->>'field' = 'action_identity') end as rule
	from revisions r
	left join lateral (select data from answers a where a.control_id = r.control_id and a.field = 'action_identity' order by a.version desc limit 1) rule on r.state = 'draft'
	left join lateral (select data from answers a where a.control_id = r.control_id and a.field = 'mode' order by a.version desc limit 1) mode on r.state = 'draft'
	left join lateral (select data from answers a where a.control_id = r.control_id and a.field = 'automatic_retries' order by a.version desc limit 1) retries on r.state = 'draft' `
