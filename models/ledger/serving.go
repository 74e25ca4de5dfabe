package ledger

import (
	"encoding/hex"
	"encoding/json"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/identity"

	"gorm.io/gorm"
)

// serving is what a control says in one environment: the revision that serves
// there, its rule and what the gate needs of it. It holds while stamp does.
//
// In an environment that can reach customers the approved revision serves; in
// any other the newest with an intended-effect rule, drafts included.
type serving struct {
	Control, Workflow, Environment, Destination int64
	ControlSlug, ControlName                    string
	WorkflowSlug, WorkflowName                  string
	EnvironmentSlug, EnvironmentName            string
	Account, Effect                             string
	VersionOrder                                string
	Reaches                                     bool
	Approved                                    int // number of the approved revision; 0: none
	Revision                                    control.Revision
	Content                                     control.Content
	Stamp                                       string

	Rule    identity.Rule // of the intended effect; zero when no revision has one
	HasRule bool
	Digest  string // of the rule
}

// placeRow is what a control's place is read from.
const placeQuery = `select c.id as control, c.slug as control_slug, c.name as control_name, c.workflow_id as workflow, w.slug as workflow_slug, w.name as workflow_name,
		w.version_order, c.effect, c.approved_revision_id, c.latest_revision_id,
		e.id as environment, e.slug as environment_slug, e.name as environment_name, e.reaches_customers or e.reach_confirmed_at is null as reaches,
		d.id as destination, d.slug as account, claim_stamp(c.id, e.id) as stamp
	from controls c join workflows w on w.id = c.workflow_id cross join environments e
	left join control_accounts a on a.control_id = c.id and a.environment_id = e.id left join destinations d on d.id = a.destination_id `

type placeRow struct {
	Control, Workflow, Environment, Destination int64
	ControlSlug, ControlName                    string
	WorkflowSlug, WorkflowName                  string
	EnvironmentSlug, EnvironmentName            string
	Account, Effect, VersionOrder, Stamp        string
	Reaches                                     bool
	ApprovedRevisionID, LatestRevisionID        int64
}

// loadServing reads what serves for a control in an environment, by slug.
// NotFound for either; Invalid when the control has no account there.
func loadServing(q *gorm.DB, controlSlug, environment string) (serving, error) {
	var r placeRow
	done := q.Raw(placeQuery+"where c.slug = ? and e.slug = ?", control.Plain(controlSlug), control.Plain(environment)).Scan(&r)
	if done.Error == nil && done.RowsAffected == 0 {
		return serving{}, placeMissing(q, controlSlug, environment)
	}
	if done.Error != nil {
		return serving{}, done.Error
	}
	return r.serving(q)
}

// servingOf is loadServing by id, for an action that exists.
func servingOf(q *gorm.DB, controlID, environmentID int64) (serving, error) {
	var r placeRow
	if err := q.Raw(placeQuery+"where c.id = ? and e.id = ?", controlID, environmentID).Scan(&r).Error; err != nil {
		return serving{}, err
	}
	return r.serving(q)
}

func placeMissing(q *gorm.DB, controlSlug, environment string) error {
	var there bool
	if err := q.Raw("select exists (select 1 from controls where slug = ?)", control.Plain(controlSlug)).Row().Scan(&there); err != nil {
		return err
	}
	if !there {
		return models.NotFoundf("There is no control named “%s”.", control.Plain(controlSlug))
	}
	return models.NotFoundf("There is no environment named “%s”.", control.Plain(environment))
}

func (r placeRow) serving(q *gorm.DB) (serving, error) {
	s := serving{Control: r.Control, Workflow: r.Workflow, Environment: r.Environment, Destination: r.Destination, ControlSlug: r.ControlSlug, ControlName: r.ControlName,
		WorkflowSlug: r.WorkflowSlug, WorkflowName: r.WorkflowName, EnvironmentSlug: r.EnvironmentSlug, EnvironmentName: r.EnvironmentName,
		Account: r.Account, Effect: r.Effect, VersionOrder: r.VersionOrder, Reaches: r.Reaches, Stamp: r.Stamp}
	if r.Destination == 0 {
		return s, models.Invalid("environment", "%s has no account in %s. Answer its operation there first.", r.ControlName, r.EnvironmentName)
	}
	if r.ApprovedRevisionID != 0 {
		approved, err := control.RevisionByID(q, r.ApprovedRevisionID)
		if err != nil {
			return s, err
		}
		s.Approved = approved.Number
		if s.Reaches {
			s.Revision = approved
			if s.Content, err = control.FrozenContent(q, approved.ID); err != nil {
				return s, err
			}
			s.takeRule()
		}
	}
	if s.Reaches {
		return s, nil
	}
	return s, s.newestWithRule(q)
}

// newestWithRule goes back from the latest revision to one that has a rule.
func (s *serving) newestWithRule(q *gorm.DB) error {
	var revisions []struct {
		ID    int64
		State control.RevisionState
	}
	if err := q.Raw("select id, state from revisions where control_id = ? order by number desc limit 50", s.Control).Scan(&revisions).Error; err != nil {
		return err
	}
	for _, r := range revisions {
		var err error
		if r.State == control.Draft {
			s.Content, err = control.Snapshot(q, s.Control, nil)
		} else {
			s.Content, err = control.FrozenContent(q, r.ID)
		}
		if err != nil {
			return err
		}
		if s.takeRule() {
			s.Revision, err = control.RevisionByID(q, r.ID)
			return err
		}
	}
	return nil
}

// takeRule reads the intended-effect rule of the content, if it makes keys.
func (s *serving) takeRule() bool {
	a, _ := s.Content.Answer("action_identity")
	rule, ok := a.Rule()
	if !ok || a.State == control.NotApplicable {
		return false
	}
	if _, err := identity.Compile(rule); err != nil {
		return false
	}
	digest := identity.KeyDigestOfRule(rule)
	s.Rule, s.HasRule, s.Digest = rule, true, hex.EncodeToString(digest[:])
	return true
}

// mode is observe or enforce, as the serving revision says; enforce while it
// says nothing.
func (s serving) mode() string {
	var data struct{ Mode string }
	if a, _ := s.Content.Answer("mode"); a.State == control.Answered && json.Unmarshal(a.Data, &data) == nil && data.Mode != "" {
		return data.Mode
	}
	return "enforce"
}

func (s serving) observes() bool { return s.mode() == "observe" }

// number is an answer that is a whole number: automatic_retries, or the hours of
// retry_window.
func (s serving) number(field string) (n int, ok bool) {
	var data struct{ Number, Hours *int }
	a, _ := s.Content.Answer(field)
	if a.State != control.Answered || json.Unmarshal(a.Data, &data) != nil {
		return 0, false
	}
	switch {
	case data.Number != nil:
		return *data.Number, true
	case data.Hours != nil:
		return *data.Hours, true
	}
	return 0, false
}

// operation is what the call's documentation says in this environment.
func (s serving) operation() control.ContentOperation {
	for _, o := range s.Content.Operations {
		if o.Environment == s.EnvironmentSlug {
			return o
		}
	}
	return control.ContentOperation{}
}

// recordRule is the rule that recognises the business record; nil without one.
func (s serving) recordRule() *identity.Compiled {
	a, _ := s.Content.Answer("business_record")
	rule, ok := a.Rule()
	if !ok {
		return nil
	}
	compiled, err := identity.Compile(rule)
	if err != nil {
		return nil
	}
	return compiled
}

func (s serving) scope() identity.Scope {
	return identity.Scope{Environment: s.EnvironmentSlug, Account: s.Account, Effect: s.Effect}
}
