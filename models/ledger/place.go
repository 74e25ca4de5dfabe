package ledger

import (
	"context"
	"fmt"

	"countersign/models"
	"countersign/models/identity"
	"countersign/models/signoff"
	"countersign/models/workflow"

	"gorm.io/gorm"
)

// place is a control in one environment, ready to derive keys. It is kept in
// memory; every claim has the database confirm its stamp.
type place struct {
	serving
	rules       []placeRule // the serving one first, then every other that may have actions
	record      *identity.Compiled
	versionPath string // where an input states its version, as the sender documents; "" nowhere
	observe     bool
}

type placeRule struct {
	id       int64
	compiled *identity.Compiled
}

// loadPlace reads a place and registers the rule that serves there, so that keys
// under it are looked for from now on whatever serves later.
func loadPlace(ctx context.Context, db *models.DB, controlSlug, environment string) (*place, error) {
	for range 5 {
		q := db.Query(ctx)
		s, err := loadServing(q, controlSlug, environment)
		if err != nil {
			return nil, err
		}
		p := &place{serving: s, observe: s.observes(), record: s.recordRule()}
		if s.VersionOrder != workflow.VersionsNone && s.Content.Sender != nil {
			p.versionPath = s.Content.Sender.VersionField
		}
		if !s.HasRule {
			return p, nil
		}
		registered, err := p.loadRules(q)
		if err != nil || registered {
			return p, err
		}
		if err := registerRule(q, s); err != nil {
			return nil, err
		}
	}
	return nil, models.Conflictf("This control is being changed right now. Send the claim again.")
}

// loadRules reads every rule that may have keys here; registered is false while
// the serving one is not among them.
func (p *place) loadRules(q *gorm.DB) (registered bool, err error) {
	var rows []struct {
		ID           int64
		Digest, Rule string
	}
	if err := q.Raw("select id, digest, rule::text as rule from claim_rules where control_id = ? and environment_id = ? order by id desc",
		p.Control, p.Environment).Scan(&rows).Error; err != nil {
		return false, err
	}
	var others []placeRule
	for _, r := range rows {
		rule, err := ruleFromJSON(r.Rule)
		if err != nil {
			return false, err
		}
		if r.Digest == p.Digest {
			p.rules = []placeRule{{r.ID, rule}}
		} else {
			others = append(others, placeRule{r.ID, rule})
		}
	}
	registered = len(p.rules) == 1
	p.rules = append(p.rules, others...)
	return registered, nil
}

// warnings is what a claimant should know although the claim goes on.
func (p *place) warnings(live gateRow) []Warning {
	var list []Warning
	gate, warned := p.gate(live)
	for _, r := range warned {
		list = append(list, Warning{r.Key, r.Words})
	}
	switch gate.State {
	case signoff.GateObserving:
		list = append(list, Warning{"observing", "Mode observe: this control refuses nothing."})
	case signoff.GateManual:
		for _, r := range gate.Reasons {
			list = append(list, Warning{r.Key, "Manual replay only: " + r.Words})
		}
	}
	return list
}

// gate is what the control allows here now, and what stands against it besides.
func (s serving) gate(live gateRow) (signoff.Gate, []signoff.Reason) {
	retries, _ := s.number("automatic_retries")
	f := signoff.GateFacts{ControlPath: "/controls/" + s.ControlSlug, WorkflowPath: workflow.Path(s.WorkflowSlug), Stopped: live.Stopped, StopReason: live.StopReason,
		Approved: s.Approved, Mode: s.mode(), Retries: retries, ReviewDate: s.Revision.ReviewDate, WaivedUntil: live.WaivedUntil.time(), ProvenUntil: live.ProvenUntil.time(),
		Discrepancies: live.OpenDiscrepancies, Now: live.Now}
	return signoff.DecideIn(f, s.Reaches, signoff.Serving{ID: s.Revision.ID, Number: s.Revision.Number, State: s.Revision.State, Mode: s.mode(), Retries: retries})
}

func (p *place) blockedWords(why string) string {
	if why == "no_rule" {
		return fmt.Sprintf("%s has no rule for the intended effect here, so nothing can be told apart. Write the rule first.", p.ControlName)
	}
	return fmt.Sprintf("No revision of %s was ever approved, and %s can reach customers.", p.ControlName, p.EnvironmentName)
}
