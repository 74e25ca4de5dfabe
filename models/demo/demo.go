// Package demo loads a small, complete workspace through the same commands that
// people use, so that its history and audit log are real. People are roles at
// example.test.
package demo

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/home"
	"countersign/models/people"
)

// Password opens every demo account.
const Password = "countersign-demo"

// Person is a demo account.
type Person struct {
	Email, Name string
	Roles       []models.Role
}

// People are the demo accounts, one for each role and a second-level approver.
var People = []Person{
	{"owner@example.test", "Business owner", []models.Role{models.BusinessOwner}},
	{"implementer@example.test", "Implementer", []models.Role{models.Implementer}},
	{"reviewer@example.test", "Reviewer", []models.Role{models.Reviewer}},
	{"approver@example.test", "Approver", []models.Role{models.Approver}},
	{"lead@example.test", "Lead approver", []models.Role{models.Approver}},
	{"viewer@example.test", "Viewer", []models.Role{models.Viewer}},
	{"admin@example.test", "Administrator", []models.Role{models.Admin}},
}

const (
	started = "demo-started"
	loaded  = "demo-loaded"

	// loadLock keeps two servers from loading at the same time.
	loadLock = 0x64656d6f // "demo"
)

// loader carries what the steps need. Each step either looks whether it is done
// already or sends a command whose submission is always the same, so a load that
// was killed goes on where it stopped.
type loader struct {
	ctx                                 context.Context
	db                                  *models.DB
	base                                time.Time // day of the first load, UTC
	owner, implementer, reviewer, admin models.Actor
	approver, lead                      models.Actor
	policyID                            int64
	tokens                              map[string]int64 // id by environment
}

// Load loads the demo data once; when it is there already, or another server is
// loading it, Load returns as soon as it is complete.
func Load(ctx context.Context, db *models.DB) error {
	conn, err := db.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", int64(loadLock)); err != nil {
		return err
	}
	defer func() {
		_, _ = conn.Exec(context.WithoutCancel(ctx), "select pg_advisory_unlock($1)", int64(loadLock))
	}()
	var done bool
	if err := conn.QueryRow(ctx, "select exists (select 1 from milestones where name = $1)", loaded).Scan(&done); err != nil || done {
		return err
	}
	l := loader{ctx: ctx, db: db}
	if err := conn.QueryRow(ctx, "insert into milestones (name) values ($1) on conflict (name) do update set name = excluded.name returning at", started).Scan(&l.base); err != nil {
		return err
	}
	l.base = l.base.UTC()
	for _, step := range []func() error{l.people, l.environments, l.policy, l.workflow, l.destinations, l.controls, l.ledger} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := home.RefreshFigures(ctx, db, home.TrendDays); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "insert into milestones (name) values ($1) on conflict do nothing", loaded)
	return err
}

// once is the fixed submission of a step.
func once(format string, args ...any) models.Once {
	return models.Once{Submission: "demo " + fmt.Sprintf(format, args...)}
}

// day is the date n days after the first load, as browsers send it.
func (l *loader) day(n int) string { return l.base.AddDate(0, 0, n).Format(time.DateOnly) }

func (l *loader) people() error {
	actors := map[string]*models.Actor{"owner@example.test": &l.owner, "implementer@example.test": &l.implementer,
		"reviewer@example.test": &l.reviewer, "admin@example.test": &l.admin, "approver@example.test": &l.approver, "lead@example.test": &l.lead}
	for _, p := range People {
		actor, err := people.ActorByEmail(l.ctx, l.db, p.Email)
		if models.IsKind(err, models.KindNotFound) {
			if _, err = people.AddPersonByCommand(l.ctx, l.db, people.AddPersonByCommandCmd{Name: p.Name, Email: p.Email, Password: Password, Roles: p.Roles}); err == nil {
				actor, err = people.ActorByEmail(l.ctx, l.db, p.Email)
			}
		}
		if err != nil {
			return fmt.Errorf("demo account %s: %w", p.Email, err)
		}
		if a := actors[p.Email]; a != nil {
			*a = actor
		}
	}
	return nil
}
