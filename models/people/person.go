// Package people holds who uses Countersign: people and their roles, passwords
// and sign-in, invitations, and who stands in for whom.
package people

import (
	"fmt"
	"net/mail"
	"strings"
	"time"

	"countersign/models"
)

// Person is somebody who can sign in, or could once.
type Person struct {
	ID        int64
	Email     string // lower case
	Name      string
	TimeZone  string // IANA name, such as Europe/Vienna
	Epoch     int64  // sessions of an older epoch are signed out
	Active    bool
	Invited   bool // no password yet: cannot sign in
	CreatedAt time.Time
	Version   int64
	Roles     []models.Role `gorm:"-"` // in the order of models.Roles
}

const selectPerson = `
select p.id, p.email, p.name, p.time_zone, p.session_epoch as epoch, p.active, p.password_hash = '' as invited,
       p.created_at, p.version,
       coalesce((select string_agg(g.role, ',') from role_grants g where g.person_id = p.id), '') as role_list
from people p `

type personRow struct {
	Person
	RoleList string
}

func (r personRow) person() Person {
	r.Roles = parseRoles(r.RoleList)
	r.CreatedAt = r.CreatedAt.UTC()
	return r.Person
}

// lock holds the person's row until the command ends. NotFound.
func lock(tx *models.Tx, id int64) (Person, error) {
	if err := tx.Exec("select 1 from people where id = ? for update", id).Error; err != nil {
		return Person{}, err
	}
	return load(tx, id)
}

func load(tx *models.Tx, id int64) (Person, error) {
	var r personRow
	q := tx.Raw(selectPerson+"where p.id = ?", id).Scan(&r)
	if q.Error != nil {
		return Person{}, q.Error
	}
	if q.RowsAffected == 0 {
		return Person{}, errNoPerson()
	}
	return r.person(), nil
}

func errNoPerson() error { return models.NotFoundf("There is no such person.") }

// errChanged is the conflict of every form about a person.
func errChanged(name string) error {
	return models.Conflictf("Somebody else changed %s since you opened this page. Look at what is there now, then decide again.", name)
}

// Path is the page that shows a person to administrators.
func Path(id int64) string { return fmt.Sprintf("/admin/people/%d", id) }

func (p Person) object() models.Object {
	return models.Object{Type: "person", ID: p.ID, Label: p.Name, Path: Path(p.ID)}
}

// about names the person of a command that was refused before it was read.
func about(id int64) models.Object {
	return models.Object{Type: "person", ID: id, Label: fmt.Sprintf("person %d", id), Path: Path(id)}
}

// CleanEmail is the form in which addresses are stored and compared.
func CleanEmail(email string) string { return strings.ToLower(models.Clean(email)) }

func checkName(c *models.Check, name string) {
	c.Required("name", name, 200, "Enter the person's name.")
	if strings.ContainsAny(name, "\n\t") {
		c.Add("name", "Keep this on one line.")
	}
}

func checkEmail(c *models.Check, email string) {
	if email == "" {
		c.Add("email", "Enter an e-mail address.")
		return
	}
	a, err := mail.ParseAddress(email)
	if err != nil || a.Address != email || len(email) > 254 || strings.ContainsAny(email, "\"<> \n\t") {
		c.Add("email", "Enter an e-mail address such as owner@example.test.")
		return
	}
	c.Line("email", email, 254)
}

func errEmailTaken() error {
	return models.Invalid("email", "Somebody already has this e-mail address. Enter another one.")
}
