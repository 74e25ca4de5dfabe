package people

import (
	"context"
	"slices"
	"strings"

	"countersign/models"
)

// parseRoles reads a comma-separated list and gives it the order of models.Roles.
func parseRoles(list string) []models.Role {
	var roles []models.Role
	for _, r := range models.Roles {
		if slices.Contains(strings.Split(list, ","), string(r)) {
			roles = append(roles, r)
		}
	}
	return roles
}

// cleanRoles drops repeats and notes roles that do not exist, and an empty choice.
func cleanRoles(c *models.Check, asked []models.Role) []models.Role {
	var roles []models.Role
	for _, r := range models.Roles {
		if slices.Contains(asked, r) {
			roles = append(roles, r)
		}
	}
	for _, r := range asked {
		if !slices.Contains(models.Roles, r) {
			c.Add("roles", "Choose from the roles on this page.")
			return roles
		}
	}
	if len(roles) == 0 {
		c.Add("roles", "Choose at least one role. To take everything away, deactivate the person.")
	}
	return roles
}

// OnlyReads reports whether somebody with these roles may read and nothing else.
func OnlyReads(roles []models.Role) bool {
	return !slices.ContainsFunc(roles, func(r models.Role) bool { return r != models.Viewer })
}

func grant(tx *models.Tx, id int64, roles []models.Role) error {
	for _, r := range roles {
		if err := tx.Exec("insert into role_grants (person_id, role, granted_by, granted_at) values (?, ?, nullif(?, 0), ?)",
			id, r, tx.By.ID, tx.Now).Error; err != nil {
			return err
		}
	}
	return nil
}

// SetRolesCmd gives a person exactly these roles.
type SetRolesCmd struct {
	models.Once
	ID, Version int64
	Roles       []models.Role
}

// Object names what the command is about when it is refused.
func (c SetRolesCmd) Object() models.Object { return about(c.ID) }

// SetRoles changes what a person may do, from the next click on. Forbidden to
// all but administrators; Conflict when the person was changed meanwhile, or
// when nobody would be left who can administer.
func SetRoles(ctx context.Context, db *models.DB, by models.Actor, cmd SetRolesCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := administer(tx); err != nil {
			return 0, err
		}
		was, err := lock(tx, cmd.ID)
		if err != nil {
			return 0, err
		}
		var c models.Check
		roles := cleanRoles(&c, cmd.Roles)
		if err := c.Err(); err != nil {
			return 0, err
		}
		if was.Version != cmd.Version {
			return 0, errChanged(was.Name)
		}
		if !slices.Contains(roles, models.Admin) {
			if err := keepsAnAdmin(tx, was); err != nil {
				return 0, err
			}
		}
		if slices.Equal(roles, was.Roles) {
			return was.ID, nil
		}
		if err := replaceRoles(tx, was, roles); err != nil {
			return 0, err
		}
		if err := bump(tx, was); err != nil {
			return 0, err
		}
		tx.Audit("person.roles_set", was.object(), map[string]any{"roles": was.Roles}, map[string]any{"roles": roles})
		return was.ID, nil
	})
}

// replaceRoles leaves the rows of roles that stay as they are: they say who
// granted them and when.
func replaceRoles(tx *models.Tx, was Person, roles []models.Role) error {
	if err := tx.Exec("delete from role_grants where person_id = ? and role not in ?", was.ID, roles).Error; err != nil {
		return err
	}
	added := slices.DeleteFunc(slices.Clone(roles), func(r models.Role) bool { return slices.Contains(was.Roles, r) })
	return grant(tx, was.ID, added)
}

// bump makes forms that were opened before this change conflict.
func bump(tx *models.Tx, was Person) error {
	r := tx.Exec("update people set version = version + 1 where id = ? and version = ?", was.ID, was.Version)
	if r.Error == nil && r.RowsAffected != 1 {
		return errChanged(was.Name)
	}
	return r.Error
}
