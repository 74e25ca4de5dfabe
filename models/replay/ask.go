package replay

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/ledger"
	"countersign/models/notice"
	"countersign/models/workflow"

	"gorm.io/gorm"
)

// AskCmd asks to try an action again.
type AskCmd struct {
	models.Once
	Action    int64
	Reason    string // why it should be tried again; required
	Uncertain string // what is not known about its result; required
}

// Object names the action when the command is refused.
func (c AskCmd) Object() models.Object { return ledgerObject(c.Action) }

// Asked is a request that was made, or the open one of its action. HTTP: 201
// when New, else 200.
type Asked struct {
	Ref    string       `json:"ref"`
	State  State        `json:"state"`
	New    bool         `json:"-"`
	Action int64        `json:"action_id,string"`
	Stands ledger.State `json:"action_state"`
	Result string       `json:"destination_result_id"`
	First  bool         `json:"first"` // New, as it is stored for a repeated call
}

// Codes of the refusals of Ask; the others are the ledger's.
const CodeNoPolicy = "no_policy" // nobody is named who could decide

// Ask makes a request, or answers with the open one of the action. A token
// counts as its creator.
//
// NotFound; Forbidden by MayAsk, or outside the token's place; Invalid for
// reason and uncertain; Conflict with CodePending or CodeSucceeded when there is
// nothing to try again, and CodeNoPolicy when nobody could decide.
func Ask(ctx context.Context, db *models.DB, by ledger.Caller, cmd AskCmd) (Asked, error) {
	if err := settleAction(ctx, db, cmd.Action); err != nil {
		return Asked{}, err
	}
	return models.Do(ctx, db, actor(by), cmd, func(tx *models.Tx) (Asked, error) {
		facts, err := ledger.LockFacts(tx, cmd.Action)
		if err != nil {
			return Asked{}, err
		}
		if err := within(by, facts); err != nil {
			return Asked{}, err
		}
		var implementer int64
		if err := tx.Raw("select implementer_id from workflows where id = ?", facts.Workflow).Row().Scan(&implementer); err != nil {
			return Asked{}, err
		}
		if by.Token == 0 {
			if err := MayAsk(by.Person, Parties{Implementer: implementer}); err != nil {
				return Asked{}, err
			}
		}
		a := Asked{Action: facts.Action, Stands: facts.State, Result: facts.Result}
		var first Request
		if err := tx.Raw("select * from requests where action_id = ? and closed_at is null", cmd.Action).Scan(&first).Error; err != nil {
			return Asked{}, err
		}
		if first.ID != 0 {
			a.Ref, a.State = first.Ref(), first.State
			return a, nil
		}
		if err := cmd.check(); err != nil {
			return Asked{}, err
		}
		if err := canBeAsked(facts); err != nil {
			return Asked{}, err
		}
		r, err := insert(tx, by, cmd, facts, implementer)
		a.Ref, a.State, a.First, a.New = r.Ref(), r.State, true, true
		return a, err
	})
}

// Again keeps New for a repeated call.
func (a *Asked) Again(*models.Tx, models.Once) error {
	a.New = a.First
	return nil
}

func (cmd *AskCmd) check() error {
	var c models.Check
	cmd.Reason, cmd.Uncertain = models.Clean(cmd.Reason), models.Clean(cmd.Uncertain)
	c.Required("reason", cmd.Reason, 4000, "Say why the action should be tried again.")
	c.Required("uncertain_result", cmd.Uncertain, 4000, "Say what is not known about its result.")
	return c.Err()
}

// canBeAsked: only what failed or is unknown can be tried again.
func canBeAsked(f ledger.Facts) error {
	switch f.State {
	case ledger.Succeeded:
		return models.Coded(models.KindConflict, string(ledger.CodeSucceeded), "This action succeeded. It is never tried again; a real second request is a new action, with its own reason.")
	case ledger.Pending:
		return models.Coded(models.KindConflict, string(ledger.CodePending), "A worker holds this action. Wait for what it reports, or for the end of its lease.")
	}
	return nil
}

// insert writes the request with its levels and tells whoever is asked first.
func insert(tx *models.Tx, by ledger.Caller, cmd AskCmd, facts ledger.Facts, implementer int64) (Request, error) {
	v, err := policyFor(tx.DB, facts)
	if err != nil {
		return Request{}, err
	}
	r := Request{ActionID: facts.Action, WorkflowID: facts.Workflow, EnvironmentID: facts.Environment, ControlID: facts.Control, State: Pending, Reason: cmd.Reason,
		Uncertain: cmd.Uncertain, PolicyID: v.ID, AskedBy: by.Person.ID, TokenID: by.Token, AskedAt: tx.Now, Level: 1, Version: 1}
	if by.Token == 0 && !by.Person.Has(models.Implementer) {
		r.AskedFor, _ = by.Person.ActsFor(implementer)
	}
	steps := make([]Step, len(v.Levels))
	for i, l := range v.Levels {
		steps[i] = Step{Number: l.Number, Minutes: l.RespondMinutes}
	}
	steps = Schedule(steps, v.Hours, tx.Now, 1, steps[0].Minutes)
	expires := tx.Now.Add(time.Duration(v.ExpiryDays) * 24 * time.Hour)
	parties := Parties{Levels: v.Levels, Asked: []int64{r.AskedBy, r.AskedFor}}
	r.Level, _ = r.Reached(steps, parties, tx.Now)
	r.NextAt, r.ExpiresAt = steps[r.Level-1].DueAt, &expires
	err = tx.Raw(`insert into requests (action_id, workflow_id, environment_id, control_id, reason, uncertain, policy_id, asked_by, asked_for, token_id, asked_at, level, next_at, expires_at)
		values (?,?,?,?,?,?,?,?,nullif(?, 0),nullif(?, 0),?,?,?,?) returning id`, r.ActionID, r.WorkflowID, r.EnvironmentID, r.ControlID, r.Reason, r.Uncertain, r.PolicyID,
		r.AskedBy, r.AskedFor, r.TokenID, r.AskedAt, r.Level, r.NextAt, expires).Scan(&r.ID).Error
	if err != nil {
		return r, err
	}
	for _, s := range steps {
		if err := tx.Exec("insert into request_levels (request_id, number, minutes, due_at) values (?,?,?,?)", r.ID, s.Number, s.Minutes, s.DueAt).Error; err != nil {
			return r, err
		}
	}
	if err := tx.Exec("update actions set request_id = ? where id = ?", r.ID, r.ActionID).Error; err != nil {
		return r, err
	}
	doc := map[string]any{"action": facts.Action, "control": facts.ControlName, "reason": r.Reason, "uncertain": r.Uncertain, "outcome": facts.State}
	if by.Token != 0 {
		doc["token"], doc["counts_as"] = by.Token, by.Person.Name
	}
	tx.AuditFor(r.AskedFor, "replay.requested", r.object(), nil, doc)
	return r, tellLevels(tx, r, facts, v.Levels, 1, notice.ReplayRequested)
}

// policyFor is the version of an escalation policy that counts: the one that the
// approved revision names, or the newest of the workflow's policy.
func policyFor(q *gorm.DB, facts ledger.Facts) (v workflow.PolicyVersion, err error) {
	var signed struct{ Content string }
	err = q.Raw("select r.content from controls c join revisions r on r.id = c.approved_revision_id where c.id = ?", facts.Control).Scan(&signed).Error
	if err != nil {
		return v, err
	}
	if signed.Content != "" {
		content, err := control.ParseContent(signed.Content)
		if err != nil {
			return v, err
		}
		a, _ := content.Answer("manual_approver")
		if ref, ok := control.PolicyVersion(a.Data); ok && a.State == control.Answered {
			var id int64
			err := q.Raw("select v.id from policy_versions v join escalation_policies p on p.id = v.policy_id where p.slug = ? and v.number = ?", ref.Slug, ref.Number).Scan(&id).Error
			if err != nil {
				return v, err
			}
			if id != 0 {
				return workflow.PolicyVersionByID(q, id)
			}
		}
	}
	var newest int64
	err = q.Raw(`select v.id from workflows w join escalation_policies p on p.id = w.escalation_policy_id
		join policy_versions v on v.policy_id = p.id and v.number = p.latest where w.id = ?`, facts.Workflow).Scan(&newest).Error
	if err == nil && newest == 0 {
		err = models.Coded(models.KindConflict, CodeNoPolicy, "Nobody is named who could decide this. Choose an escalation policy for %s first.", facts.WorkflowName)
	}
	if err != nil {
		return v, err
	}
	return workflow.PolicyVersionByID(q, newest)
}
