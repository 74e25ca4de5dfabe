package people

import (
	"context"

	"countersign/models"
)

// newPerson is a person about to be added: with a password, or invited (nil).
type newPerson struct {
	Name, Email, TimeZone string
	Roles                 []models.Role
	Password              *string
	hash                  string
}

// check cleans and checks what was typed and hashes the password, which is slow
// and so is done before the transaction. Invalid.
func (p *newPerson) check(ctx context.Context) (err error) {
	p.Name, p.Email = models.Clean(p.Name), CleanEmail(p.Email)
	if p.TimeZone == "" {
		p.TimeZone = "UTC"
	}
	var c models.Check
	checkName(&c, p.Name)
	checkEmail(&c, p.Email)
	checkTimeZone(&c, p.TimeZone)
	p.Roles = cleanRoles(&c, p.Roles)
	if p.Password != nil {
		checkPassword(&c, "password", *p.Password, p.Email)
	}
	if err := c.Err(); err != nil {
		return err
	}
	if p.Password != nil {
		p.hash, err = hashPassword(ctx, *p.Password)
	}
	return err
}

// insert adds the person and their roles and audits it as action. Invalid when
// the e-mail address is taken.
func (p *newPerson) insert(tx *models.Tx, action string) (int64, error) {
	var id int64
	q := tx.Raw(`insert into people (email, name, password_hash, time_zone, created_at) values (?, ?, ?, ?, ?)
		on conflict (email) do nothing returning id`, p.Email, p.Name, p.hash, p.TimeZone, tx.Now).Scan(&id)
	if q.Error != nil {
		return 0, q.Error
	}
	if q.RowsAffected == 0 {
		return 0, errEmailTaken()
	}
	if err := grant(tx, id, p.Roles); err != nil {
		return 0, err
	}
	tx.Audit(action, Person{ID: id, Name: p.Name}.object(), nil, map[string]any{
		"name": p.Name, "email": p.Email, "time_zone": p.TimeZone, "roles": p.Roles, "invited": p.Password == nil})
	return id, nil
}

// AddPersonCmd invites somebody.
type AddPersonCmd struct {
	models.Once
	Name, Email, TimeZone string
	Roles                 []models.Role
}

// AddPerson adds a person without a password and answers with the link at which
// they choose one. Forbidden to all but administrators.
func AddPerson(ctx context.Context, db *models.DB, by models.Actor, cmd AddPersonCmd) (Invitation, error) {
	key := linkKey(&cmd.Once)
	p := newPerson{Name: cmd.Name, Email: cmd.Email, TimeZone: cmd.TimeZone, Roles: cmd.Roles}
	inv, err := models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Invitation, error) {
		if err := administer(tx); err != nil {
			return Invitation{}, err
		}
		if err := p.check(ctx); err != nil {
			return Invitation{}, err
		}
		id, err := p.insert(tx, "person.added")
		if err != nil {
			return Invitation{}, err
		}
		return newInvite(tx, id, key)
	})
	if err == nil {
		inv.Token = tokenFrom(key, inv.Salt)
	}
	return inv, err
}

// AddPersonByCommandCmd adds somebody from the command line, which whoever
// operates the server may use. An empty password invites them.
type AddPersonByCommandCmd struct {
	models.Once
	Name, Email, TimeZone, Password string
	Roles                           []models.Role
}

// AddPersonByCommand adds a person as the system itself: for `countersign user
// add` and demo data, never for a page. The token is empty when there is a password.
func AddPersonByCommand(ctx context.Context, db *models.DB, cmd AddPersonByCommandCmd) (Invitation, error) {
	key := linkKey(&cmd.Once)
	p := newPerson{Name: cmd.Name, Email: cmd.Email, TimeZone: cmd.TimeZone, Roles: cmd.Roles}
	if cmd.Password != "" {
		p.Password = &cmd.Password
	}
	if err := p.check(ctx); err != nil {
		return Invitation{}, err
	}
	inv, err := models.Do(ctx, db, models.Actor{}, cmd, func(tx *models.Tx) (Invitation, error) {
		if err := lockAdmins(tx); err != nil { // a set-up link may be in use at this moment
			return Invitation{}, err
		}
		id, err := p.insert(tx, "person.added")
		if err != nil || cmd.Password != "" {
			return Invitation{PersonID: id}, err
		}
		return newInvite(tx, id, key)
	})
	if err == nil && inv.Salt != nil {
		inv.Token = tokenFrom(key, inv.Salt)
	}
	return inv, err
}
