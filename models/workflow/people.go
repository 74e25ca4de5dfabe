package workflow

import (
	"context"
	"slices"

	"countersign/models"
)

// Person is one choice in a form.
type Person struct {
	ID     int64
	Name   string
	Email  string
	Active bool
	Holds  bool // the role that was asked for
}

// Label is how a person is named in the audit log.
func (p Person) Label() string { return p.Name + ", " + p.Email }

// PeopleWith returns the active people who hold role, by name.
func PeopleWith(ctx context.Context, db *models.DB, role models.Role) ([]Person, error) {
	var people []Person
	err := db.Query(ctx).Raw(`select p.id, p.name, p.email, p.active, true as holds
		from people p join role_grants g on g.person_id = p.id and g.role = ?
		where p.active order by p.name, p.id`, role).Scan(&people).Error
	return people, err
}

type duty struct {
	field string
	role  models.Role
	id    int64
}

func (f Facts) duties() []duty {
	return []duty{{"business_owner", models.BusinessOwner, f.BusinessOwnerID},
		{"implementer", models.Implementer, f.ImplementerID}, {"reviewer", models.Reviewer, f.ReviewerID}}
}

// checkPeople notes whoever cannot stand where f names them, and returns how
// each is named.
func checkPeople(tx *models.Tx, c *models.Check, f Facts) (map[int64]string, error) {
	names := map[int64]string{}
	for _, d := range f.duties() {
		var p Person
		err := tx.Raw(`select p.id, p.name, p.email, p.active,
			exists (select 1 from role_grants g where g.person_id = p.id and g.role = ?) as holds
			from people p where p.id = ?`, d.role, d.id).Scan(&p).Error
		switch {
		case err != nil:
			return nil, err
		case p.ID == 0:
			c.Add(d.field, "Choose %s.", article(d.role))
		case !p.Active:
			c.Add(d.field, "Choose somebody else. %s is no longer active.", p.Name)
		case !p.Holds:
			c.Add(d.field, "Choose somebody who holds the role %s. An admin grants it under People.", d.role.Word())
		}
		names[p.ID] = p.Label()
	}
	return names, nil
}

func article(r models.Role) string {
	if slices.Contains([]models.Role{models.Implementer, models.Approver, models.Admin}, r) {
		return "an " + r.Word()
	}
	return "a " + r.Word()
}
