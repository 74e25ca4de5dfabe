package people

import (
	"context"
	"time"

	"countersign/models"
)

// Delegation is one person standing in for another.
type Delegation struct {
	ID           int64
	PersonID     int64 // who is away
	PersonName   string
	DelegateID   int64 // who stands in
	DelegateName string
	Until        time.Time // calendar date in UTC, the last day included
	Reason       string
	CreatedAt    time.Time
	EndedAt      *time.Time
}

// InForce reports whether the delegate stands in at the moment now.
func (d Delegation) InForce(now time.Time) bool {
	return d.EndedAt == nil && now.UTC().Before(d.Until.AddDate(0, 0, 1))
}

// SetDelegateCmd names who stands in. Seen is the delegation that the page
// showed as not ended, 0 for none.
type SetDelegateCmd struct {
	models.Once
	PersonID, DelegateID, Seen int64
	Until                      string // 2026-05-31, the last day included
	Reason                     string
}

// Object names what the command is about when it is refused.
func (c SetDelegateCmd) Object() models.Object { return about(c.PersonID) }

// SetDelegate makes a colleague stand in through the end of a day, at most a
// year ahead, and ends an earlier delegation. Forbidden by MayNameDelegate; Conflict when
// the delegation on the page is no longer the one in force.
func SetDelegate(ctx context.Context, db *models.DB, by models.Actor, cmd SetDelegateCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := MayNameDelegate(by, cmd.PersonID); err != nil {
			return 0, err
		}
		until, err := cmd.check(tx)
		if err != nil {
			return 0, err
		}
		// Both rows: nobody deactivates the delegate at this moment.
		if err := tx.Exec("select 1 from people where id in (?, ?) order by id for update", cmd.PersonID, cmd.DelegateID).Error; err != nil {
			return 0, err
		}
		if err := seenDelegation(tx, cmd.PersonID, cmd.Seen); err != nil {
			return 0, err
		}
		away, err := load(tx, cmd.PersonID)
		if err != nil {
			return 0, err
		}
		delegate, err := load(tx, cmd.DelegateID)
		if models.IsKind(err, models.KindNotFound) {
			return 0, models.Invalid("delegate", "Choose somebody from the list.")
		}
		if err != nil {
			return 0, err
		}
		if err := MayStandIn(delegate); err != nil {
			return 0, err
		}
		if err := endDelegations(tx, "d.person_id = ?", away.ID); err != nil {
			return 0, err
		}
		tx.Audit("person.delegate_named", away.object(), nil, delegated{delegate.Name, until.Format(time.DateOnly), models.Clean(cmd.Reason)})
		var id int64
		err = tx.Raw(`insert into delegations (person_id, delegate_id, until, reason, created_by, created_at) values (?, ?, ?, ?, ?, ?) returning id`,
			away.ID, delegate.ID, until, models.Clean(cmd.Reason), by.ID, tx.Now).Row().Scan(&id)
		return id, err
	})
}

// delegated is what the audit log keeps of a delegation.
type delegated struct {
	Delegate string `json:"delegate"`
	Until    string `json:"until"`
	Reason   string `json:"reason,omitempty"`
}

func (cmd SetDelegateCmd) check(tx *models.Tx) (time.Time, error) {
	var c models.Check
	today := tx.Now.Truncate(24 * time.Hour)
	switch {
	case cmd.DelegateID == 0:
		c.Add("delegate", "Choose who stands in for you.")
	case cmd.DelegateID == cmd.PersonID:
		c.Add("delegate", "Choose somebody other than yourself.")
	}
	if cmd.Until == "" {
		c.Add("until", "Enter the last day on which your delegate stands in.")
	}
	until := c.Date("until", cmd.Until)
	if until != nil && until.Before(today) {
		c.Add("until", "Enter today or a later day.")
	}
	if until != nil && until.After(today.AddDate(1, 0, 0)) {
		c.Add("until", "Enter a day within a year, by %s.", today.AddDate(1, 0, 0).Format(time.DateOnly))
	}
	c.Text("reason", models.Clean(cmd.Reason), 2000)
	if err := c.Err(); err != nil {
		return time.Time{}, err
	}
	return *until, nil
}

// seenDelegation is a Conflict when the open delegation is not the one the page showed.
func seenDelegation(tx *models.Tx, personID, seen int64) error {
	var open int64
	if err := tx.Raw("select coalesce(max(id), 0) from delegations where person_id = ? and ended_at is null", personID).Row().Scan(&open); err != nil {
		return err
	}
	if open != seen {
		return models.Conflictf("Your delegation was changed since you opened this page. Look at who stands in now, then decide again.")
	}
	return nil
}

// Overlap is a control that names both somebody and their delegate, who
// therefore signs in one slot of it only.
type Overlap struct{ Slug, Name string }

// Overlaps lists the controls that name both people, by name, at most limit.
func Overlaps(ctx context.Context, db *models.DB, away, delegate int64, limit int) ([]Overlap, error) {
	var found []Overlap
	err := db.Query(ctx).Raw(`select c.slug, c.name from controls c where ? in (c.business_owner_id, c.implementer_id, c.reviewer_id)
		and ? in (c.business_owner_id, c.implementer_id, c.reviewer_id) order by c.name, c.id limit ?`, away, delegate, limit).Scan(&found).Error
	return found, err
}

const selectDelegation = `
select d.id, d.person_id, away.name as person_name, d.delegate_id, dele.name as delegate_name, d.until, d.reason, d.created_at, d.ended_at
from delegations d join people away on away.id = d.person_id join people dele on dele.id = d.delegate_id `

// endDelegations ends the open ones that match, each with its audit event.
func endDelegations(tx *models.Tx, where string, args ...any) error {
	var open []Delegation
	if err := tx.Raw(selectDelegation+"where d.ended_at is null and ("+where+") order by d.id for update of d", args...).Scan(&open).Error; err != nil {
		return err
	}
	for _, d := range open {
		if err := tx.Exec("update delegations set ended_at = ?, ended_by = ? where id = ?", tx.Now, tx.By.ID, d.ID).Error; err != nil {
			return err
		}
		tx.Audit("person.delegation_ended", Person{ID: d.PersonID, Name: d.PersonName}.object(),
			delegated{d.DelegateName, d.Until.Format(time.DateOnly), d.Reason}, nil)
	}
	return nil
}

// EndDelegationCmd ends a delegation before its date.
type EndDelegationCmd struct {
	models.Once
	ID int64
}

// EndDelegation takes effect at once. Forbidden to all but the person who is
// away, their delegate and administrators; Conflict when it ended already.
func EndDelegation(ctx context.Context, db *models.DB, by models.Actor, cmd EndDelegationCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		var d Delegation
		q := tx.Raw("select id, person_id, delegate_id, until, ended_at from delegations where id = ? for update", cmd.ID).Scan(&d)
		if q.Error != nil {
			return 0, q.Error
		}
		if q.RowsAffected == 0 {
			return 0, models.NotFoundf("There is no such delegation.")
		}
		if err := MayEndDelegation(by, d.PersonID, d.DelegateID); err != nil {
			return 0, err
		}
		if d.EndedAt != nil {
			return 0, models.Conflictf("This delegation ended already.")
		}
		return d.ID, endDelegations(tx, "d.id = ?", d.ID)
	})
}
