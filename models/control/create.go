package control

import (
	"context"
	"maps"
	"slices"

	"countersign/models"
)

// CreateCmd makes a control of a workflow with its first draft.
type CreateCmd struct {
	models.Once
	Workflow string // slug
	Name     string
	Slug     string            // "" takes it from the name
	Effect   string            // slug of the effect; fixed
	Sentence string            // what must not happen twice, in plain words
	Accounts map[string]string // environment slug to destination slug; fixed, may be empty
}

// Object names the control when the command is refused.
func (c CreateCmd) Object() models.Object {
	return models.Object{Type: "control", Label: Plain(c.Name), Path: "/controls"}
}

// Created names the new control.
type Created struct {
	ID   int64
	Slug string
}

// Create makes a control with draft 1 and what its workflow answers already.
// The sentence is an answer when the workflow's business owner, or their
// delegate, wrote it, and a proposal otherwise.
//
// Invalid fields: workflow, name, slug, effect, sentence, accounts.<environment slug>.
func Create(ctx context.Context, db *models.DB, by models.Actor, cmd CreateCmd) (Created, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Created, error) { return create(tx, by, cmd) })
}

func create(tx *models.Tx, by models.Actor, cmd CreateCmd) (Created, error) {
	if err := MayCreate(by); err != nil {
		return Created{}, err
	}
	cmd.Name, cmd.Sentence = models.Clean(cmd.Name), models.Clean(cmd.Sentence)
	cmd.Slug, cmd.Effect = models.Clean(cmd.Slug), models.Clean(cmd.Effect)
	if cmd.Slug == "" {
		cmd.Slug = models.Slugify(cmd.Name)
	}
	w, err := cmd.check(tx)
	if err != nil {
		return Created{}, err
	}
	c := Locked{WorkflowID: w.ID, Slug: cmd.Slug, Name: cmd.Name, Effect: cmd.Effect}
	r := tx.Raw(`insert into controls (slug, name, workflow_id, effect, unresolved, created_by, created_at, changed_at)
			values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (slug) do nothing returning id`,
		c.Slug, c.Name, c.WorkflowID, c.Effect, RequiredFields(), by.ID, tx.Now, tx.Now).Scan(&c.ID)
	if r.Error != nil {
		return Created{}, r.Error
	}
	if r.RowsAffected == 0 {
		return Created{}, models.Invalid("slug", "Another control has the short name %s. Choose another one.", c.Slug)
	}
	revision, err := insertRevision(tx, c.ID, 1)
	if err != nil {
		return Created{}, err
	}
	tx.Audit("control.created", c.Object(), nil, map[string]any{"name": c.Name, "workflow": w.Slug, "effect": c.Effect, "accounts": cmd.Accounts})
	if err := prefill(tx, c, revision, w, cmd); err != nil {
		return Created{}, err
	}
	if err := insertRuleStates(tx, c.ID); err != nil {
		return Created{}, err
	}
	return Created{ID: c.ID, Slug: c.Slug}, Recount(tx, c.ID)
}

type createWorkflow struct {
	ID                                         int64
	Slug, Name                                 string
	BusinessOwnerID, ImplementerID, ReviewerID int64
	Archived                                   bool
}

func (cmd CreateCmd) check(tx *models.Tx) (createWorkflow, error) {
	var c models.Check
	c.Required("name", cmd.Name, 200, "Enter a name, such as Create CRM task.")
	c.Line("name", cmd.Name, 200)
	c.Slug("slug", cmd.Slug)
	c.Slug("effect", cmd.Effect)
	c.Required("sentence", cmd.Sentence, maxSentence, "Say in one sentence what must not happen twice.")
	var w createWorkflow
	found, err := one(tx.Raw(`select id, slug, name, business_owner_id, implementer_id, reviewer_id, archived_at is not null as archived
		from workflows where slug = ? for share`, Plain(cmd.Workflow)), &w)
	if err != nil {
		return w, err
	}
	if !found {
		c.Add("workflow", "Choose a workflow.")
	} else if w.Archived {
		c.Add("workflow", "%s is archived. Choose another workflow.", w.Name)
	}
	return w, c.Err()
}

// prefill writes the answers that are known from the start.
func prefill(tx *models.Tx, c Locked, revision int64, w createWorkflow, cmd CreateCmd) error {
	answer := func(key string, a draftAnswer, forPerson int64) error {
		return insertAnswer(tx, c.ID, revision, key, 1, a, forPerson)
	}
	named := draftAnswer{State: Answered, Value: w.Name}
	_ = named.data(map[string]string{"workflow": w.Slug})
	if err := answer("workflow", named, 0); err != nil {
		return err
	}
	for key, id := range map[string]int64{"business_owner": w.BusinessOwnerID, "implementer": w.ImplementerID, "reviewer": w.ReviewerID} {
		field, _ := FieldByKey(key)
		a := draftAnswer{State: Answered}
		err := a.person(tx, field, id)
		if models.IsKind(err, models.KindInvalid) {
			continue // whoever left or lost the role is asked for again
		}
		if err == nil {
			err = answer(key, a, 0)
		}
		if err != nil {
			return err
		}
	}
	sentence := draftAnswer{State: Unresolved, Value: cmd.Sentence}
	forOwner := int64(0)
	if tx.By.ActsAs(w.BusinessOwnerID, models.BusinessOwner) {
		sentence.State = Answered
		forOwner, _ = tx.By.ActsFor(w.BusinessOwnerID)
	}
	if err := answer("duplicate_in_plain_words", sentence, forOwner); err != nil {
		return err
	}
	choices, err := cmd.accounts(tx)
	if err != nil || len(choices) == 0 {
		return err
	}
	if err := claimAccounts(tx, c, choices); err != nil {
		return err
	}
	covered := draftAnswer{State: Answered}
	var slugs []string
	for slug, account := range cmd.Accounts {
		if account != "" {
			slugs = append(slugs, slug)
		}
	}
	if err := covered.environments(tx, slugs); err != nil {
		return err
	}
	return answer("environment", covered, 0)
}

// accounts finds the destinations a new control shall act at.
func (cmd CreateCmd) accounts(tx *models.Tx) ([]accountChoice, error) {
	var choices []accountChoice
	var c models.Check
	for _, environment := range slices.Sorted(maps.Keys(cmd.Accounts)) {
		if cmd.Accounts[environment] == "" {
			continue
		}
		var a accountChoice
		found, err := one(tx.Raw(`select e.id as environment_id, e.name as environment_name, d.id as destination_id
			from destinations d join environments e on e.id = d.environment_id
			where d.slug = ? and e.slug = ? and d.archived_at is null and e.archived_at is null`, Plain(cmd.Accounts[environment]), Plain(environment)), &a)
		if err != nil {
			return nil, err
		}
		a.Field = "accounts." + environment // scanning starts from nothing
		if !found {
			c.Add(a.Field, "Choose a destination of this environment.")
		}
		choices = append(choices, a)
	}
	return choices, c.Err()
}
