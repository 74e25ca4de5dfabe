package people

import (
	"context"
	"slices"
	"strings"
	"time"

	"countersign/models"
)

// Filter narrows the list of people. Empty fields do not.
type Filter struct {
	Query string      // part of a name or e-mail address
	Role  models.Role // who holds it
	State string      // active, inactive or invited
}

// Row is one person in the list.
type Row struct {
	ID       int64
	Name     string
	Email    string
	Active   bool
	Invited  bool
	Roles    []models.Role `gorm:"-"`
	RoleList string
	LastIn   *time.Time
}

// List returns a page of people by name. Forbidden to all but administrators.
func List(ctx context.Context, db *models.DB, by models.Actor, f Filter, at string) (models.Page[Row], error) {
	if err := MayAdminister(by); err != nil {
		return models.Page[Row]{}, err
	}
	q := db.Query(ctx).Table("people p").Select(`p.id, p.name, p.email, p.active, p.password_hash = '' as invited,
		coalesce((select string_agg(g.role, ',') from role_grants g where g.person_id = p.id), '') as role_list,
		(select max(s.at) from sign_ins s where s.email = p.email and s.succeeded) as last_in`)
	if text := models.Clean(f.Query); text != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
		q = q.Where("(p.name ilike ? or p.email ilike ?)", like, like)
	}
	if f.Role != "" {
		q = q.Where("exists (select from role_grants g where g.person_id = p.id and g.role = ?)", f.Role)
	}
	switch f.State {
	case "active":
		q = q.Where("p.active and p.password_hash <> ''")
	case "invited":
		q = q.Where("p.active and p.password_hash = ''")
	case "inactive":
		q = q.Where("not p.active")
	}
	page, err := models.Keyset(q, at, models.PageSize, models.Order{Columns: []string{"p.name", "p.id"}},
		func(r Row) []any { return []any{r.Name, r.ID} })
	for i := range page.Items {
		page.Items[i].Roles = parseRoles(page.Items[i].RoleList)
	}
	return page, err
}

// Option is a person to choose in a form.
type Option struct {
	ID      int64
	Name    string
	Email   string
	Invited bool // has not signed in yet
	Roles   []models.Role
}

// Options lists the active people by name, those who were invited included.
func Options(ctx context.Context, db *models.DB) ([]Option, error) {
	var rows []Row
	if err := db.Query(ctx).Raw(`select p.id, p.name, p.email, p.password_hash = '' as invited, coalesce(string_agg(g.role, ','), '') as role_list
		from people p left join role_grants g on g.person_id = p.id where p.active group by p.id order by p.name, p.id`).Scan(&rows).Error; err != nil {
		return nil, err
	}
	options := make([]Option, len(rows))
	for i, r := range rows {
		options[i] = Option{r.ID, r.Name, r.Email, r.Invited, parseRoles(r.RoleList)}
	}
	return options, nil
}

// Delegates lists who can be named as the delegate of the person who is away.
func Delegates(ctx context.Context, db *models.DB, away int64) ([]Option, error) {
	all, err := Options(ctx, db)
	return slices.DeleteFunc(all, func(o Option) bool {
		return o.ID == away || MayStandIn(Person{Name: o.Name, Active: true, Invited: o.Invited, Roles: o.Roles}) != nil
	}), err
}
