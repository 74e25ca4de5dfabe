package workflow

import (
	"context"
	"fmt"

	"countersign/models"
)

// CreatePolicyCmd writes a new escalation policy. An empty Slug is made from the name.
type CreatePolicyCmd struct {
	models.Once
	Slug string
	PolicyFacts
}

// CreatePolicy returns the new policy with its first version. Forbidden by
// MaySetPolicies; Invalid when a fact is missing, somebody on a level is not an
// active approver, or the slug is taken.
func CreatePolicy(ctx context.Context, db *models.DB, by models.Actor, cmd CreatePolicyCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		if err := MaySetPolicies(by); err != nil {
			return Ref{}, err
		}
		cmd.clean()
		cmd.Slug = slugFor(cmd.Slug, cmd.Name)
		var c models.Check
		v := cmd.check(&c)
		checkOptionalSlug(&c, cmd.Slug, cmd.Name)
		if err := checkLevels(tx, &c, &v, nil); err != nil {
			return Ref{}, err
		}
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		p := Policy{Slug: cmd.Slug, Name: cmd.Name, Latest: 1}
		err := tx.Raw("insert into escalation_policies (slug, name, created_by, created_at) values (?,?,?,?) returning id", cmd.Slug, cmd.Name, by.ID, tx.Now).Scan(&p.ID).Error
		if models.Violates(err, "escalation_policies_slug") {
			return Ref{}, models.Invalid("slug", "Choose another short name. Another policy has this one.")
		}
		if err != nil {
			return Ref{}, err
		}
		v.Number = 1
		tx.Audit("policy.created", p.object(), nil, audited(p, v))
		return Ref{p.ID, p.Slug}, insertVersion(tx, p.ID, v)
	})
}

// EditPolicyCmd changes the policy with Slug. Version is the one the person saw.
type EditPolicyCmd struct {
	models.Once
	Slug    string
	Version int64
	PolicyFacts
}

// Object is what a refusal of this command is recorded on.
func (c EditPolicyCmd) Object() models.Object { return objectOf("policy", c.Slug, PolicyPath(c.Slug)) }

// EditPolicy adds a version with the new facts; a new name alone adds none.
// Requests that are open and controls that were signed keep theirs. Somebody
// who left may stay only until the level is edited. Forbidden by
// MaySetPolicies; Conflict when archived or changed since Version; Invalid as
// in CreatePolicy.
func EditPolicy(ctx context.Context, db *models.DB, by models.Actor, cmd EditPolicyCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		p, err := lockPolicy(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MaySetPolicies(by); err != nil {
			return Ref{}, err
		}
		if p.ArchivedAt != nil {
			return Ref{}, models.Conflictf("This policy is archived. Restore it first.")
		}
		if p.Version != cmd.Version {
			return Ref{}, stale("policy")
		}
		was, err := LoadPolicyVersion(tx.DB, p.ID, p.Latest)
		if err != nil {
			return Ref{}, err
		}
		cmd.clean()
		var c models.Check
		v := cmd.check(&c)
		if err := checkLevels(tx, &c, &v, was.Levels); err != nil {
			return Ref{}, err
		}
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		next := p
		next.Name, v.Number = cmd.Name, p.Latest
		before, after := models.Changes(audited(p, was), audited(next, v))
		if before == nil {
			return Ref{p.ID, p.Slug}, nil
		}
		if _, renamed := after["name"]; len(after) > 1 || !renamed {
			next.Latest, v.Number = p.Latest+1, p.Latest+1
			before["version"], after["version"] = p.Latest, next.Latest
			if err := insertVersion(tx, p.ID, v); err != nil {
				return Ref{}, err
			}
		}
		r := tx.Exec("update escalation_policies set name = ?, latest = ?, version = version + 1 where id = ? and version = ?", next.Name, next.Latest, p.ID, cmd.Version)
		if err := guarded("policy", r.RowsAffected, r.Error); err != nil {
			return Ref{}, err
		}
		tx.Audit("policy.edited", next.object(), before, after)
		return Ref{p.ID, p.Slug}, nil
	})
}

// PolicyCmd names a policy and the version the person saw.
type PolicyCmd struct {
	models.Once
	Slug    string
	Version int64
}

// Object is what a refusal of this command is recorded on.
func (c PolicyCmd) Object() models.Object { return objectOf("policy", c.Slug, PolicyPath(c.Slug)) }

// ArchivePolicy takes a policy out of the choices. Nothing is deleted; open
// requests keep it. Forbidden by MaySetPolicies; Conflict when archived already,
// changed since Version, or still chosen by a workflow.
func ArchivePolicy(ctx context.Context, db *models.DB, by models.Actor, cmd PolicyCmd) (Ref, error) {
	return setPolicyArchived(ctx, db, by, cmd, true)
}

// RestorePolicy undoes ArchivePolicy and fails like it.
func RestorePolicy(ctx context.Context, db *models.DB, by models.Actor, cmd PolicyCmd) (Ref, error) {
	return setPolicyArchived(ctx, db, by, cmd, false)
}

func setPolicyArchived(ctx context.Context, db *models.DB, by models.Actor, cmd PolicyCmd, archive bool) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		p, err := lockPolicy(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MaySetPolicies(by); err != nil {
			return Ref{}, err
		}
		if err := mayArchive("policy", p.ArchivedAt != nil, archive); err != nil {
			return Ref{}, err
		}
		var user string
		if err := tx.Raw("select name from workflows where escalation_policy_id = ? and archived_at is null order by name, id limit 1", p.ID).Scan(&user).Error; err != nil {
			return Ref{}, err
		}
		if archive && user != "" {
			return Ref{}, models.Conflictf("“%s” still uses this policy. Choose another one there first.", user)
		}
		if err := archiveRow(tx, "escalation_policies", p.ID, cmd.Version, "policy", archive); err != nil {
			return Ref{}, err
		}
		tx.Audit("policy."+archiveVerb(archive), p.object(), nil, nil)
		return Ref{p.ID, p.Slug}, nil
	})
}

// checkLevels notes whoever cannot decide, and fills in names. Somebody who
// left may stay on the level on which saved has them, flagged.
func checkLevels(tx *models.Tx, c *models.Check, v *PolicyVersion, saved []Level) error {
	stays := map[string]bool{}
	for _, l := range saved {
		for _, p := range l.People {
			stays[fmt.Sprint(l.Number, " ", p.ID)] = true
		}
	}
	for i := range v.Levels {
		l := &v.Levels[i]
		for j := range l.People {
			id := l.People[j].ID
			if err := tx.Raw(`select p.id, p.name, p.email, p.active,
				exists (select 1 from role_grants g where g.person_id = p.id and g.role = 'approver') as holds from people p where p.id = ?`, id).Scan(&l.People[j]).Error; err != nil {
				return err
			}
			p, field := l.People[j], fmt.Sprintf("people-%d", l.Number)
			switch {
			case p.Name == "":
				c.Add(field, "Choose people from the list.")
			case stays[fmt.Sprint(l.Number, " ", id)]:
			case !p.Able():
				c.Add(field, "Choose somebody else. %s", p.WhyNot())
			}
		}
	}
	return nil
}

func insertVersion(tx *models.Tx, policy int64, v PolicyVersion) error {
	var opens, closes *int
	if len(v.Hours.Days) > 0 {
		opens, closes = &v.Hours.Opens, &v.Hours.Closes
	}
	var id int64
	err := tx.Raw(`insert into policy_versions (policy_id, number, expiry_days, authorization_minutes, days, opens, closes, time_zone, person_id, at)
		values (?,?,?,?,?,?,?,?,?,?) returning id`, policy, v.Number, v.ExpiryDays, v.AuthorizationMinutes, daysText(v.Hours.Days), opens, closes, v.Hours.Zone, tx.By.ID, tx.Now).Scan(&id).Error
	if err != nil {
		return err
	}
	for _, l := range v.Levels {
		if err := tx.Exec("insert into policy_levels (version_id, number, respond_minutes) values (?,?,?)", id, l.Number, l.RespondMinutes).Error; err != nil {
			return err
		}
		for _, p := range l.People {
			if err := tx.Exec("insert into level_people (version_id, level, person_id) values (?,?,?)", id, l.Number, p.ID).Error; err != nil {
				return err
			}
		}
	}
	return nil
}

// audited is a policy as the audit log keeps it: people by name and address.
func audited(p Policy, v PolicyVersion) map[string]any {
	doc := map[string]any{"name": p.Name, "hours": v.Hours.Words(), "expires_after": daysOf(v.ExpiryDays), "approval_lapses_after": MinutesWords(v.AuthorizationMinutes)}
	for _, l := range v.Levels {
		var names string
		for i, person := range l.People {
			if i > 0 {
				names += "; "
			}
			names += person.Name + ", " + person.Email
		}
		doc[fmt.Sprintf("level_%d", l.Number)] = names + " within " + MinutesWords(l.RespondMinutes)
	}
	return doc
}

func lockPolicy(tx *models.Tx, slug string) (Policy, error) {
	var p Policy
	if err := tx.Raw("select * from escalation_policies where slug = ? for update", slug).Scan(&p).Error; err != nil {
		return p, err
	}
	if p.ID == 0 {
		return p, models.NotFoundf("There is no such escalation policy.")
	}
	return p, nil
}
