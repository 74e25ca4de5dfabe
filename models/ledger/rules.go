package ledger

import (
	"encoding/json"

	"countersign/models/identity"

	"gorm.io/gorm"
)

// ruleFromJSON compiles a rule as claim_rules keeps it.
func ruleFromJSON(text string) (*identity.Compiled, error) {
	var rule identity.Rule
	if err := json.Unmarshal([]byte(text), &rule); err != nil {
		return nil, err
	}
	return identity.Compile(rule)
}

// registerRule notes that keys under the serving rule may exist from now on.
func registerRule(q *gorm.DB, s serving) error {
	text, err := json.Marshal(s.Rule)
	if err != nil {
		return err
	}
	return q.Exec(`insert into claim_rules (control_id, environment_id, digest, number, rule)
		select @control, @environment, @digest, coalesce(max(a.version), 0), cast(@rule as jsonb)
		from answers a join revisions r on r.id = a.revision_id and r.number <= @revision
		where a.control_id = @control and a.field = 'action_identity'
		on conflict (control_id, environment_id, digest) do nothing`,
		map[string]any{"control": s.Control, "environment": s.Environment, "digest": s.Digest, "rule": string(text), "revision": s.Revision.Number}).Error
}
