package workflow

import (
	"context"

	"countersign/models"
)

// columns are where a workflow names its people.
var columns = map[models.Role]string{models.BusinessOwner: "business_owner_id", models.Implementer: "implementer_id", models.Reviewer: "reviewer_id"}

// HandOverCmd names somebody else in one role of every workflow that names Person.
type HandOverCmd struct {
	models.Once
	Person, To int64
	Role       models.Role
}

// Object is what a refusal of this command is recorded on.
func (c HandOverCmd) Object() models.Object {
	return models.Object{Type: "person", ID: c.Person, Label: "workflows of a person"}
}

// MayHandOver answers nil for an administrator.
func MayHandOver(by models.Actor) error {
	if by.Has(models.Admin) {
		return nil
	}
	return models.Forbiddenf("Only an administrator hands over what somebody looks after.")
}

// HandOver returns how many workflows it changed; archived ones stay as they
// are. Forbidden by MayHandOver; Invalid at the role's name when To is nobody,
// the same person, no longer active or does not hold the role; Conflict when no
// workflow names Person any more.
func HandOver(ctx context.Context, db *models.DB, by models.Actor, cmd HandOverCmd) (int, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int, error) {
		if err := MayHandOver(by); err != nil {
			return 0, err
		}
		column, ok := columns[cmd.Role]
		if !ok {
			return 0, models.BadRequestf("There is no such role of a workflow.")
		}
		var found []Workflow
		if err := tx.Raw("select * from workflows where "+column+" = ? and archived_at is null order by id for update", cmd.Person).Scan(&found).Error; err != nil {
			return 0, err
		}
		if len(found) == 0 {
			return 0, models.Conflictf("No workflow names them as %s any more.", cmd.Role.Word())
		}
		was, to, err := successor(tx, cmd)
		if err != nil {
			return 0, err
		}
		r := tx.Exec("update workflows set "+column+" = ?, version = version + 1 where "+column+" = ? and archived_at is null", cmd.To, cmd.Person)
		if r.Error == nil && int(r.RowsAffected) != len(found) {
			return 0, stale("workflow")
		}
		for _, w := range found {
			tx.Audit("workflow.edited", w.object(), map[string]string{string(cmd.Role): was}, map[string]string{string(cmd.Role): to})
		}
		return len(found), r.Error
	})
}

// successor is how both people are named in the audit log.
func successor(tx *models.Tx, cmd HandOverCmd) (was, to string, err error) {
	var people []Person
	if err := tx.Raw("select p.id, p.name, p.email, p.active, exists (select 1 from role_grants g where g.person_id = p.id and g.role = ?) as holds from people p where p.id in (?, ?)",
		cmd.Role, cmd.Person, cmd.To).Scan(&people).Error; err != nil {
		return "", "", err
	}
	field := string(cmd.Role)
	for _, p := range people {
		switch {
		case p.ID != cmd.To:
			was = p.Label()
		case cmd.To == cmd.Person:
			return "", "", models.Invalid(field, "Choose somebody else.")
		case !p.Active:
			return "", "", models.Invalid(field, "Choose somebody else. %s is no longer active.", p.Name)
		case !p.Holds:
			return "", "", models.Invalid(field, "Choose somebody who holds the role %s.", cmd.Role.Word())
		default:
			to = p.Label()
		}
	}
	if to == "" {
		return "", "", models.Invalid(field, "Choose who takes over.")
	}
	return was, to, nil
}
