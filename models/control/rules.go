package control

import (
	"encoding/json"
	"slices"
	"time"

	"countersign/models"
	"countersign/models/identity"

	"gorm.io/gorm"
)

// Rules are the identity rules of a control as its answers have them, and what
// the checker finds in them.
type Rules struct {
	Rules    []identity.Rule // in the order of identity.Kinds, without those nobody wrote
	Set      identity.Set
	Findings []Finding
	Sender   *ContentSender // what the sender that is named documents; nil: none is
	moved    bool           // settling gave an answer another state
}

// Finding is what the checker found, and why the owner keeps it.
type Finding struct {
	identity.Finding
	Kept *KeptReason // nil: nobody keeps it
}

// KeptReason is why a finding is kept.
type KeptReason struct {
	Reason  string
	By, For Ref
	At      time.Time
}

// Blocks reports whether the rule cannot be signed because of the finding.
func (f Finding) Blocks() bool {
	return f.Severity == identity.Block || f.Severity == identity.ReasonAllowed && f.Kept == nil
}

// Keepable reports whether a reason would do.
func (f Finding) Keepable() bool { return f.Severity == identity.ReasonAllowed }

// Of lists the findings about one rule; "" is about the control as a whole.
func (r Rules) Of(k identity.Kind) []Finding {
	var list []Finding
	for _, f := range r.Findings {
		if f.Rule == k {
			list = append(list, f)
		}
	}
	return list
}

// ShownAt lists what a page shows below one rule. What is about the control as a
// whole, such as too short a memory, stands below the transport event.
func (r Rules) ShownAt(k identity.Kind) []Finding {
	if k == identity.TransportEvent {
		return append(r.Of(k), r.Of("")...)
	}
	return r.Of(k)
}

// Blocking lists the findings that block.
func (r Rules) Blocking() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !f.Blocks() })
}

func (r Rules) blocking(k identity.Kind) (n int) {
	for _, f := range r.Blocking() {
		if f.Rule == k && k != "" {
			n++
		}
	}
	return n
}

// RulesOf reads and checks the rules of a control as they stand.
func RulesOf(q *gorm.DB, controlID int64) (Rules, error) {
	answers, err := current(q, controlID)
	if err != nil {
		return Rules{}, err
	}
	return readRules(q, controlID, answers)
}

func readRules(q *gorm.DB, controlID int64, answers map[string]Answer) (r Rules, err error) {
	for _, f := range ruleFields {
		rule, ok := answers[f.Field].Rule()
		if !ok || answers[f.Field].State == NotApplicable {
			continue
		}
		r.Rules = append(r.Rules, rule)
		if one, err := identity.NewSet(rule); err == nil { // an answer of an older shape derives no key
			r.add(f.Kind, one.Of(f.Kind))
		}
	}
	if r.Sender, err = contentSender(q, controlID, answers["sender"]); err != nil || len(r.Rules) == 0 {
		return r, err
	}
	about, err := aboutRules(q, controlID, answers, r.Sender)
	if err != nil {
		return r, err
	}
	kept, err := keptReasons(q, controlID)
	if err != nil {
		return r, err
	}
	for _, f := range identity.Check(r.Rules, about) {
		found := Finding{Finding: f}
		if k, ok := kept[f.Key]; ok && f.Severity == identity.ReasonAllowed {
			found.Kept = &k
		}
		r.Findings = append(r.Findings, found)
	}
	return r, nil
}

func (r *Rules) add(k identity.Kind, c *identity.Compiled) {
	switch k {
	case identity.TransportEvent:
		r.Set.Transport = c
	case identity.BusinessRecord:
		r.Set.Record = c
	case identity.IntendedEffect:
		r.Set.Effect = c
	case identity.LegitimateRepeat:
		r.Set.Repeat = c
	}
}

// aboutRules gathers what the checker needs from the other answers.
func aboutRules(q *gorm.DB, controlID int64, answers map[string]Answer, sender *ContentSender) (identity.CheckContext, error) {
	operations, err := contentOperations(q, answers["operation"])
	if err != nil {
		return identity.CheckContext{}, err
	}
	about := windowOf(sender, operations, span(answers["retry_window"]), span(answers["evidence_retention"]))
	err = q.Raw("select w.version_order from controls c join workflows w on w.id = c.workflow_id where c.id = ?", controlID).Scan(&about.VersionOrder).Error
	return about, err
}

// windowOf is what the checker knows of sender and operations. Where an
// operation documents a key without its lifetime, the agreed retry window, in
// hours, stands for it.
func windowOf(sender *ContentSender, operations []ContentOperation, retryWindow, evidenceDays *int) identity.CheckContext {
	about := identity.CheckContext{EvidenceDays: evidenceDays}
	if sender != nil {
		about.Senders = []identity.SenderFacts{{Name: sender.Name, EventIDField: sender.EventIDField, VersionField: sender.VersionField,
			RetryHours: sender.RetryHorizonHours, ResendHours: sender.ResendHorizonHours}}
	}
	for _, o := range operations {
		lifetime := o.KeyLifetimeHours
		if lifetime == nil {
			lifetime = retryWindow
		}
		about.Operations = append(about.Operations, identity.OperationFacts{Name: o.Name + " in " + o.Environment, Documented: o.Mechanism == "documented", KeyLifetimeHours: lifetime})
	}
	return about
}

// Window is what the checker finds about the whole control in its content: too
// short a memory for what the sender may send again, or no word about it.
func (c Content) Window() []identity.Finding {
	spanOf := func(field string) *int {
		a, _ := c.Answer(field)
		return span(Answer{State: a.State, Data: a.Data})
	}
	return identity.Check(nil, windowOf(c.Sender, c.Operations, spanOf("retry_window"), spanOf("evidence_retention")))
}

// span is the number of an answer in hours or days; nil while it is open.
func span(a Answer) *int {
	var data struct{ Hours, Days *int }
	if a.State != Answered || json.Unmarshal(a.Data, &data) != nil {
		return nil
	}
	if data.Hours != nil {
		return data.Hours
	}
	return data.Days
}

// keptReasons are the newest reasons by the key of their finding.
func keptReasons(q *gorm.DB, controlID int64) (map[string]KeptReason, error) {
	var rows []struct {
		Finding, Reason       string
		PersonID, ForPersonID int64
		PersonName, ForName   string
		At                    time.Time
	}
	err := q.Raw(`select distinct on (r.finding) r.finding, r.reason, r.person_id, p.name as person_name, r.for_person_id, f.name as for_name, r.at
		from rule_reasons r join people p on p.id = r.person_id left join people f on f.id = r.for_person_id
		where r.control_id = ? order by r.finding, r.id desc`, controlID).Scan(&rows).Error
	kept := map[string]KeptReason{}
	for _, r := range rows {
		kept[r.Finding] = KeptReason{Reason: r.Reason, By: Ref{ID: r.PersonID, Name: r.PersonName}, For: Ref{ID: r.ForPersonID, Name: r.ForName}, At: r.At.UTC()}
	}
	return kept, err
}

func (r Rules) contentKept() []ContentKept {
	var list []ContentKept
	for _, f := range r.Findings {
		if f.Kept != nil {
			list = append(list, ContentKept{Field: RuleField(f.Rule).Key, Finding: f.Key, Words: f.Words, Reason: f.Kept.Reason,
				KeptBy: contentPerson(f.Kept.By), KeptFor: contentPerson(f.Kept.For), KeptAt: f.Kept.At.Format(time.RFC3339Nano)})
		}
	}
	return list
}

// stateOfRule is what a rule that somebody saves counts as: unresolved while
// findings block it. Nothing typed is lost.
func stateOfRule(q *gorm.DB, c Locked, field Field, a draftAnswer) (AnswerState, error) {
	answers, err := current(q, c.ID)
	if err != nil {
		return "", err
	}
	answers[field.Key] = Answer{Field: field.Key, State: Answered, Data: a.Data}
	rules, err := readRules(q, c.ID, answers)
	if rules.blocking(field.Recognises()) > 0 {
		return Unresolved, err
	}
	return Answered, err
}

// settle checks every rule and saved pair of the control again and keeps what
// lists and submission read. A rule whose findings are gone counts as answered,
// one that another answer made questionable as unresolved; either is a version
// of its own. Without a draft (revision 0) answers stay as they are. The caller
// holds the lock and recounts.
func settle(tx *models.Tx, c Locked, revision, forPerson int64) (Rules, error) {
	answers, err := current(tx.DB, c.ID)
	if err != nil {
		return Rules{}, err
	}
	rules, err := readRules(tx.DB, c.ID, answers)
	if err != nil {
		return rules, err
	}
	for _, f := range ruleFields {
		a := answers[f.Field]
		blocking := rules.blocking(f.Kind)
		if revision != 0 {
			version := a.Version
			if a, err = settleRule(tx, c, revision, forPerson, a, blocking); err != nil {
				return rules, err
			}
			rules.moved = rules.moved || a.Version != version
		}
		if err := keepRuleState(tx, c.ID, f.Field, a, blocking, len(rules.ShownAt(f.Kind))-blocking); err != nil {
			return rules, err
		}
	}
	broken, err := recheckPairs(tx, c, rules.Set)
	if err != nil {
		return rules, err
	}
	return rules, tx.Exec("update controls set rule_findings = ?, broken_pairs = ?, rules_checked_at = ? where id = ?", len(rules.Blocking()), broken, tx.Now, c.ID).Error
}

func settleRule(tx *models.Tx, c Locked, revision, forPerson int64, a Answer, blocking int) (Answer, error) {
	want := Answered
	if blocking > 0 {
		want = Unresolved
	}
	if _, ok := a.Rule(); !ok || a.State == NotApplicable || a.State == want {
		return a, nil
	}
	before := map[string]any{"field": a.Field, "state": a.State, "value": a.Value, "reason": ""}
	a.State, a.Version = want, a.Version+1
	tx.AuditFor(forPerson, "control.answered", c.Object(), before, map[string]any{"field": a.Field, "state": a.State, "value": a.Value, "reason": ""})
	return a, insertAnswer(tx, c.ID, revision, a.Field, a.Version, draftAnswer{State: a.State, Value: a.Value, Data: a.Data}, forPerson)
}

func keepRuleState(tx *models.Tx, controlID int64, field string, a Answer, findings, others int) error {
	state := string(a.State)
	switch {
	case a.Flagged():
		state = "flagged"
	case state == "":
		state = string(Unresolved)
	}
	return tx.Exec("update rule_states set state = ?, version = ?, findings = ?, warnings = ? where control_id = ? and field = ?",
		state, a.Version, findings, others, controlID, field).Error
}

func insertRuleStates(tx *models.Tx, controlID int64) error {
	for i, f := range ruleFields {
		if err := tx.Exec("insert into rule_states (control_id, field, position) values (?, ?, ?)", controlID, f.Field, i+1).Error; err != nil {
			return err
		}
	}
	return nil
}
