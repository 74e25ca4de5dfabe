package workflow

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/retention"
)

// CreateCmd writes a new workflow. An empty Slug is made from the name.
type CreateCmd struct {
	models.Once
	Slug string
	Facts
}

// Create returns the new workflow. Forbidden by MayCreate; Invalid when a fact
// is missing, a person does not hold the role, or the slug is taken.
func Create(ctx context.Context, db *models.DB, by models.Actor, cmd CreateCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		if err := MayCreate(by); err != nil {
			return Ref{}, err
		}
		cmd.clean()
		cmd.Slug = slugFor(cmd.Slug, cmd.Name)
		var c models.Check
		date, names, err := cmd.check(tx, &c, Facts{})
		if err != nil {
			return Ref{}, err
		}
		checkOptionalSlug(&c, cmd.Slug, cmd.Name)
		if !by.Has(models.Implementer, models.Admin) && cmd.BusinessOwnerID != 0 && !by.Is(cmd.BusinessOwnerID) {
			c.Add("business_owner", "Choose yourself. Only an implementer or an admin may name another business owner.")
		}
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		w := Workflow{Slug: cmd.Slug, Name: cmd.Name, BusinessOwnerID: cmd.BusinessOwnerID}
		err = tx.Raw(`insert into workflows (slug, name, description, business_owner_id, implementer_id, reviewer_id,
				review_date, incident_plan_url, help_contact, version_order, escalation_policy_id, payload_days, store_payloads, created_by, created_at)
			values (?,?,?,?,?,?,?,?,?,?,nullif(?, 0),?,?,?,?) returning id`,
			cmd.Slug, cmd.Name, cmd.Description, cmd.BusinessOwnerID, cmd.ImplementerID, cmd.ReviewerID,
			date, cmd.IncidentPlanURL, cmd.HelpContact, cmd.VersionOrder, cmd.PolicyID, cmd.days(), cmd.days() != nil, by.ID, tx.Now).Scan(&w.ID).Error
		if models.Violates(err, "workflows_slug") {
			return Ref{}, models.Invalid("slug", "Choose another short name. Another workflow has this one.")
		}
		if err != nil {
			return Ref{}, err
		}
		doc, err := cmd.audited(tx, names)
		if err != nil {
			return Ref{}, err
		}
		tx.AuditFor(standingFor(by, w), "workflow.created", w.object(), nil, doc)
		return Ref{w.ID, w.Slug}, nil
	})
}

// EditCmd changes the facts of the workflow with Slug. Version is the one the person saw.
type EditCmd struct {
	models.Once
	Slug    string
	Version int64
	Facts
}

// Object is what a refusal of this command is recorded on.
func (c EditCmd) Object() models.Object { return objectOf("workflow", c.Slug, Path(c.Slug)) }

// Edit saves the facts. Forbidden by MayEdit; Conflict when the workflow is
// archived or was changed since Version; Invalid as in Create. recheck is told
// the workflow's id when the order of versions changed.
func Edit(ctx context.Context, db *models.DB, by models.Actor, cmd EditCmd, recheck Recheck) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		w, err := lock(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MayEdit(by, w); err != nil {
			return Ref{}, err
		}
		if w.ArchivedAt != nil {
			return Ref{}, models.Conflictf("This workflow is archived. Restore it first.")
		}
		if w.Version != cmd.Version {
			return Ref{}, stale("workflow")
		}
		cmd.clean()
		var c models.Check
		date, names, err := cmd.check(tx, &c, w.Facts())
		if err != nil {
			return Ref{}, err
		}
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		was, is, err := changed(tx, w.Facts(), cmd.Facts, names)
		if err != nil || was == nil {
			return Ref{w.ID, w.Slug}, err
		}
		r := tx.Exec(`update workflows set name = ?, description = ?, business_owner_id = ?, implementer_id = ?,
				reviewer_id = ?, review_date = ?, incident_plan_url = ?, help_contact = ?, version_order = ?,
				escalation_policy_id = nullif(?, 0), payload_days = ?, store_payloads = ?, version = version + 1 where id = ? and version = ?`,
			cmd.Name, cmd.Description, cmd.BusinessOwnerID, cmd.ImplementerID, cmd.ReviewerID, date,
			cmd.IncidentPlanURL, cmd.HelpContact, cmd.VersionOrder, cmd.PolicyID, cmd.days(), cmd.days() != nil, w.ID, cmd.Version)
		if err := guarded("workflow", r.RowsAffected, r.Error); err != nil {
			return Ref{}, err
		}
		tx.AuditFor(standingFor(by, w), "workflow.edited", w.object(), was, is)
		if _, reordered := is["version_order"]; !reordered {
			return Ref{w.ID, w.Slug}, nil
		}
		return Ref{w.ID, w.Slug}, recheck.of(tx, w.ID)
	})
}

// check notes everything in f that must change and returns its review date.
// A date that has passed and an archived policy are refused unless they are
// saved already.
func (f Facts) check(tx *models.Tx, c *models.Check, saved Facts) (*time.Time, map[int64]string, error) {
	required(c, "name", f.Name, 200, "Enter a name.")
	c.Text("description", f.Description, 4000)
	date := c.Date("review_date", f.ReviewDate)
	if date != nil && date.Before(today(tx.Now)) && f.ReviewDate != saved.ReviewDate {
		c.Add("review_date", "Enter a date that has not passed.")
	}
	c.URL("incident_plan", f.IncidentPlanURL)
	c.Line("help_contact", f.HelpContact, 500)
	oneOf(c, "version_order", f.VersionOrder, VersionOrders, "Choose how versions are ordered.")
	kept, err := retention.Of(tx.DB)
	if err != nil {
		return nil, nil, err
	}
	if days := f.days(); f.PayloadDays != "" && f.PayloadDays != saved.PayloadDays && (days == nil || *days < 1 || *days > kept.PayloadDays) {
		c.Add("payload_days", "Enter whole days between 1 and %d, or nothing.", kept.PayloadDays)
	}
	if err := checkPolicy(tx, c, f.PolicyID, saved.PolicyID); err != nil {
		return nil, nil, err
	}
	names, err := checkPeople(tx, c, f)
	return date, names, err
}

// audited is f as the audit log keeps it: people and policy by name.
func (f Facts) audited(tx *models.Tx, names map[int64]string) (map[string]any, error) {
	_, doc := models.Changes(map[string]any{}, f)
	for _, d := range f.duties() {
		doc[d.field] = names[d.id]
	}
	return doc, namePolicy(tx, doc, f.PolicyID)
}

// namePolicy puts the name of a policy in the place of its id.
func namePolicy(tx *models.Tx, doc map[string]any, id int64) error {
	if _, ok := doc["escalation_policy"]; !ok {
		return nil
	}
	var name string
	err := tx.Raw("select name from escalation_policies where id = ?", id).Scan(&name).Error
	doc["escalation_policy"] = name
	return err
}

// checkPolicy notes an escalation policy that cannot be chosen. Its row is kept
// from being archived until the commit.
func checkPolicy(tx *models.Tx, c *models.Check, id, saved int64) error {
	if id == 0 || id == saved {
		return nil
	}
	var p Policy
	err := tx.Raw("select * from escalation_policies where id = ? for share", id).Scan(&p).Error
	if err == nil && (p.ID == 0 || p.ArchivedAt != nil) {
		c.Add("escalation_policy", "Choose an escalation policy from the list.")
	}
	return err
}

// changed returns the fields that differ, with the people by name.
func changed(tx *models.Tx, before, after Facts, names map[int64]string) (was, is map[string]any, err error) {
	was, is = models.Changes(before, after)
	for _, d := range before.duties() {
		if _, ok := was[d.field]; ok {
			var p Person
			if err := tx.Raw("select id, name, email from people where id = ?", d.id).Scan(&p).Error; err != nil {
				return nil, nil, err
			}
			was[d.field] = p.Label()
		}
	}
	for _, d := range after.duties() {
		if _, ok := is[d.field]; ok {
			is[d.field] = names[d.id]
		}
	}
	if err := namePolicy(tx, was, before.PolicyID); err != nil {
		return nil, nil, err
	}
	return was, is, namePolicy(tx, is, after.PolicyID)
}

// Recheck is called in the transaction that changed a documented fact, with the
// id of what it is about, so that what rests on the fact is checked again. nil:
// nothing rests on it.
type Recheck func(tx *models.Tx, id int64) error

func (r Recheck) of(tx *models.Tx, id int64) error {
	if r == nil {
		return nil
	}
	return r(tx, id)
}

// lock loads the workflow with slug and keeps others out until the commit. Not
// "for update": a control that is being saved only needs the workflow to stay,
// and an edit that has controls checked again would wait for it in a circle.
func lock(tx *models.Tx, slug string) (Workflow, error) {
	var w Workflow
	if err := tx.Raw("select * from workflows where slug = ? for no key update", slug).Scan(&w).Error; err != nil {
		return w, err
	}
	if w.ID == 0 {
		return w, models.NotFoundf("There is no such workflow.")
	}
	return w, nil
}

// objectOf names what a command is about before anything was loaded.
func objectOf(kind, label, path string) models.Object {
	return models.Object{Type: kind, Label: label, Path: path}
}
