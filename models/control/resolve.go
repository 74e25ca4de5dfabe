package control

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/models"
	"countersign/models/workflow"
)

// resolve turns what was typed into an answer. Invalid names the member of
// Input that must change; for operations it is operations.<environment slug>.
func resolve(tx *models.Tx, c Locked, f Field, in Input) (draftAnswer, error) {
	in = in.clean()
	a, done, err := in.check(f, tx.Now.Format(time.DateOnly))
	if done || err != nil {
		return a, err
	}
	switch f.Kind {
	case Person:
		err = a.person(tx, f, in.Person)
	case Environments:
		err = a.environments(tx, in.Environments)
	case Sender:
		err = a.sender(tx, c.WorkflowID, in.Sender)
	case Operations:
		err = a.operations(tx, c.ID, in.Operations)
	case Policy:
		err = a.policy(tx, in.Policy)
	}
	return a, err
}

func (a *draftAnswer) person(tx *models.Tx, f Field, id int64) error {
	var p struct {
		Name          string
		Active, Holds bool
	}
	found, err := one(tx.Raw(`select name, active, exists (select 1 from role_grants g where g.person_id = p.id and g.role = ?) as holds
		from people p where id = ?`, f.Role, id), &p)
	switch {
	case err != nil:
		return err
	case !found:
		return models.Invalid("person", "Choose a person.")
	case !p.Active:
		return models.Invalid("person", "%s no longer has an active account. Choose somebody else.", p.Name)
	case !p.Holds:
		return models.Invalid("person", "%s does not hold the role %s. Choose somebody who does.", p.Name, models.Role(f.Role).Word())
	}
	a.Value = p.Name
	return a.data(map[string]int64{"person": id})
}

func (a *draftAnswer) environments(tx *models.Tx, slugs []string) error {
	slugs = slices.Clone(slugs)
	for i := range slugs {
		slugs[i] = Plain(slugs[i])
	}
	slices.Sort(slugs)
	slugs = slices.Compact(slugs)
	if len(slugs) == 0 {
		return models.Invalid("environments", "Choose at least one environment.")
	}
	var names []string
	err := tx.Raw("select name from environments where slug in ? and archived_at is null order by name, id", slugs).Scan(&names).Error
	if err != nil {
		return err
	}
	if len(names) != len(slugs) {
		return models.Invalid("environments", "Choose environments from the list. One of these does not exist or is archived.")
	}
	if a.Value = strings.Join(names, ", "); utf8.RuneCountInString(a.Value) > maxValue {
		return models.Invalid("environments", "Choose fewer environments. Their names together are too long.")
	}
	return a.data(map[string][]string{"environments": slugs})
}

func (a *draftAnswer) sender(tx *models.Tx, workflow int64, slug string) error {
	found, err := one(tx.Raw("select name from senders where workflow_id = ? and slug = ? and archived_at is null", workflow, Plain(slug)), &a.Value)
	if err == nil && !found {
		err = models.Invalid("sender", "Choose a sender of this workflow.")
	}
	if err != nil {
		return err
	}
	return a.data(map[string]string{"sender": slug})
}

func (a *draftAnswer) policy(tx *models.Tx, chosen string) error {
	ref, ok := workflow.ParsePolicyVersion(chosen)
	if !ok {
		return models.Invalid("policy", "Choose an escalation policy.")
	}
	name, v, ok, err := workflow.VersionChosen(tx.DB, ref)
	if err == nil && !ok {
		err = models.Invalid("policy", "Choose an escalation policy from the list. This one does not exist or is archived.")
	}
	if err != nil {
		return err
	}
	if a.Value = v.Words(name); utf8.RuneCountInString(a.Value) > maxValue {
		return models.Invalid("policy", "Choose another escalation policy. The names of the people on this one are too long together.")
	}
	return a.data(map[string]any{"policy": ref.Slug, "version": ref.Number})
}

// PolicyVersion is the version of an escalation policy that an answer names; ok
// is false for one that was answered in words.
func PolicyVersion(data json.RawMessage) (r workflow.PolicyVersionRef, ok bool) {
	var d struct {
		Policy  string
		Version int
	}
	if len(data) == 0 || json.Unmarshal(data, &d) != nil || d.Policy == "" || d.Version < 1 {
		return r, false
	}
	return workflow.PolicyVersionRef{Slug: d.Policy, Number: d.Version}, true
}

type operationChoice struct {
	ID, EnvironmentID, DestinationID int64
	Name, System, Account            string
	EnvironmentSlug, EnvironmentName string
	Archived                         bool
}

func (a *draftAnswer) operations(tx *models.Tx, control int64, chosen map[string]int64) error {
	var ids []int64
	for _, id := range chosen {
		if id != 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return models.Invalid("operations", "Choose the operation in at least one environment.")
	}
	var found []operationChoice
	err := tx.Raw(`select o.id, o.name, d.id as destination_id, d.system, d.account, e.id as environment_id, e.slug as environment_slug, e.name as environment_name,
			o.archived_at is not null or d.archived_at is not null or e.archived_at is not null as archived
		from operations o join destinations d on d.id = o.destination_id join environments e on e.id = d.environment_id where o.id in ?`, ids).Scan(&found).Error
	if err != nil {
		return err
	}
	var c models.Check
	kept := map[string]int64{}
	for _, environment := range slices.Sorted(maps.Keys(chosen)) {
		id := chosen[environment]
		if id == 0 {
			continue
		}
		i := slices.IndexFunc(found, func(o operationChoice) bool { return o.ID == id })
		if i < 0 || found[i].EnvironmentSlug != environment || found[i].Archived {
			c.Add("operations."+environment, "Choose an operation of a destination in this environment.")
			continue
		}
		kept[environment] = id
	}
	if err := c.Err(); err != nil {
		return err
	}
	slices.SortFunc(found, func(x, y operationChoice) int { return cmp.Compare(x.EnvironmentName, y.EnvironmentName) })
	var lines []string
	for _, o := range found {
		lines = append(lines, fmt.Sprintf("%s: %s at %s, %s", o.EnvironmentName, o.Name, o.System, o.Account))
		a.accounts = append(a.accounts, accountChoice{Field: "operations." + o.EnvironmentSlug, EnvironmentID: o.EnvironmentID,
			EnvironmentName: o.EnvironmentName, DestinationID: o.DestinationID})
	}
	if a.Value = strings.Join(lines, "\n"); utf8.RuneCountInString(a.Value) > maxValue {
		return models.Invalid("operations", "Choose fewer environments. Their names together are too long.")
	}
	return a.data(map[string]any{"operations": kept})
}
