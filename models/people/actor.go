package people

import (
	"context"
	"strconv"
	"strings"

	"countersign/models"
)

// ErrSignedOut says that a session no longer stands for anybody: the person was
// deactivated, or signed out everywhere.
var ErrSignedOut error = &models.Error{Kind: models.KindNotFound, Message: "You were signed out. Sign in again to go on."}

type actorRow struct {
	ID        int64
	Name      string
	Email     string
	TimeZone  string
	RoleList  string
	StandsFor string
}

// LoadActor returns who a session stands for, with roles and the people whose
// delegate this person is today (UTC; a delegation is in force through its last
// day) with theirs. Whoever only reads stands in for nobody. ErrSignedOut for an unknown or inactive person and for a session of an
// older epoch. One query.
func LoadActor(ctx context.Context, db *models.DB, personID, epoch int64) (models.Actor, error) {
	var r actorRow
	q := db.Query(ctx).Raw(`
select p.id, p.name, p.email, p.time_zone,
       coalesce((select string_agg(g.role, ',') from role_grants g where g.person_id = p.id), '') as role_list,
       coalesce((select string_agg(d.person_id::text || ':' || g.role, ',')
                 from delegations d join people away on away.id = d.person_id join role_grants g on g.person_id = away.id
                 where d.delegate_id = p.id and d.ended_at is null and d.until >= (now() at time zone 'UTC')::date and away.active), '') as stands_for
from people p where p.id = ? and p.active and p.session_epoch = ?`, personID, epoch).Scan(&r)
	if q.Error != nil {
		return models.Actor{}, q.Error
	}
	if q.RowsAffected == 0 {
		return models.Actor{}, ErrSignedOut
	}
	a := models.Actor{ID: r.ID, Name: r.Name, Email: r.Email, TimeZone: r.TimeZone, Roles: parseRoles(r.RoleList)}
	if OnlyReads(a.Roles) {
		return a, nil
	}
	for _, s := range strings.FieldsFunc(r.StandsFor, func(c rune) bool { return c == ',' }) {
		person, role, _ := strings.Cut(s, ":")
		id, err := strconv.ParseInt(person, 10, 64)
		if err != nil {
			return models.Actor{}, err
		}
		if a.StandsFor == nil {
			a.StandsFor = map[int64][]models.Role{}
		}
		a.StandsFor[id] = append(a.StandsFor[id], models.Role(role))
	}
	return a, nil
}

// ActorByEmail returns an active person as an actor without a session: for the
// command line and demo data. NotFound.
func ActorByEmail(ctx context.Context, db *models.DB, email string) (models.Actor, error) {
	var r struct{ ID, Epoch int64 }
	q := db.Query(ctx).Raw("select id, session_epoch as epoch from people where email = ? and active", CleanEmail(email)).Scan(&r)
	if q.Error != nil {
		return models.Actor{}, q.Error
	}
	if q.RowsAffected == 0 {
		return models.Actor{}, models.NotFoundf("There is no active person with the e-mail address %s.", CleanEmail(email))
	}
	return LoadActor(ctx, db, r.ID, r.Epoch)
}
