package matrix

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/notice"

	"gorm.io/gorm"
)

// AskWaiver asks for a waiver. NotFound, Forbidden, Conflict when one is open,
// or the case passed or does not apply. Invalid fields: reason, until.
func AskWaiver(ctx context.Context, db *models.DB, by models.Actor, cmd AskWaiverCmd) (WaiverChanged, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (WaiverChanged, error) {
		c, t, err := lockCase(tx, cmd.Control, cmd.Case)
		if err != nil {
			return WaiverChanged{}, err
		}
		if err := MayAskWaiver(by, c.Parties()); err != nil {
			return WaiverChanged{}, err
		}
		cell, err := cellOf(tx.DB, t.ID)
		if err != nil {
			return WaiverChanged{}, err
		}
		last, err := openWaiver(tx.DB, t.ID)
		if err != nil {
			return WaiverChanged{}, err
		}
		if err := waivable(cell, last, tx.Now); err != nil {
			return WaiverChanged{}, err
		}
		w, err := cmd.check(tx.Now)
		if err != nil {
			return WaiverChanged{}, err
		}
		return askWaiver(tx, c, t, last, w)
	})
}

// waivable is a Conflict unless a waiver can be asked for.
func waivable(cell Cell, last *Waiver, now time.Time) error {
	switch {
	case last != nil && !last.Over(now):
		return models.Conflictf("A waiver of this scenario is open, until %s. End that one first.", last.Until.Format("2 January 2006"))
	case cell.State == HasPassed:
		return models.Conflictf("This scenario has passed, so there is nothing to waive.")
	case cell.State == NotApplicable:
		return models.Conflictf("This scenario is agreed to be not applicable, so there is nothing to waive.")
	}
	return nil
}

func (cmd AskWaiverCmd) check(now time.Time) (Waiver, error) {
	var check models.Check
	w := Waiver{Reason: models.Clean(cmd.Reason)}
	check.Required("reason", w.Reason, 4000, "Say why the scenario cannot be run.")
	today := now.UTC().Truncate(24 * time.Hour)
	until := check.Date("until", models.Clean(cmd.Until))
	switch {
	case until == nil && check.Err() == nil || until == nil && models.Clean(cmd.Until) == "":
		check.Add("until", "Enter the last day on which the waiver counts.")
	case until == nil:
	case until.Before(today):
		check.Add("until", "Enter a day that is not over yet.")
	case until.After(today.AddDate(0, 0, MaxWaiverDays)):
		check.Add("until", "Enter a day within %d days, at the latest %s.", MaxWaiverDays, today.AddDate(0, 0, MaxWaiverDays).Format("2 January 2006"))
	default:
		w.Until = *until
	}
	return w, check.Err()
}

func askWaiver(tx *models.Tx, c control.Locked, t Case, last *Waiver, w Waiver) (WaiverChanged, error) {
	if last != nil {
		if err := tx.Exec("update waivers set ended_at = ?, end_reason = 'Its last day was over.' where id = ?", tx.Now, last.ID).Error; err != nil {
			return WaiverChanged{}, err
		}
	}
	forPerson, _ := party(tx.By, c.Parties())
	err := tx.Raw("insert into waivers (case_id, control_id, reason, until, asked_by, asked_for, at) values (?, ?, ?, ?, ?, ?, ?) returning id",
		t.ID, c.ID, w.Reason, w.Until, tx.By.ID, orNull(forPerson), tx.Now).Row().Scan(&w.ID)
	if err != nil {
		return WaiverChanged{}, err
	}
	tx.AuditFor(forPerson, "waiver.asked", w.object(c, t), nil, map[string]any{"reason": w.Reason, "until": w.Until.Format(time.DateOnly)})
	if err := tellWaiver(tx, c, t, w); err != nil {
		return WaiverChanged{}, err
	}
	return WaiverChanged{Waiver: w.ID, Control: c.Slug, Case: t.Key}, settle(tx, c.ID)
}

// SignWaiver signs in the person's place. NotFound, Forbidden, Conflict when it
// is over or that place is signed.
func SignWaiver(ctx context.Context, db *models.DB, by models.Actor, cmd SignWaiverCmd) (WaiverChanged, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (WaiverChanged, error) {
		c, t, w, err := lockWaiver(tx, cmd.Waiver)
		if err != nil {
			return WaiverChanged{}, err
		}
		place, forPerson, err := MaySignWaiver(by, c.Parties(), w)
		if err != nil {
			return WaiverChanged{}, err
		}
		if err := w.open(tx.Now); err != nil {
			return WaiverChanged{}, err
		}
		column := map[models.Role]string{models.BusinessOwner: "owner", models.Reviewer: "reviewer"}[place]
		done := tx.Exec("update waivers set "+column+"_by = ?, "+column+"_for = ?, "+column+"_at = ? where id = ? and "+column+"_at is null and ended_at is null",
			by.ID, orNull(forPerson), tx.Now, w.ID)
		if done.Error == nil && done.RowsAffected != 1 {
			return WaiverChanged{}, models.Conflictf("Somebody else signed this waiver at the same moment. Open it again.")
		}
		if done.Error != nil {
			return WaiverChanged{}, done.Error
		}
		tx.AuditFor(forPerson, "waiver.signed", w.object(c, t), nil, map[string]any{"as": place, "until": w.Until.Format(time.DateOnly)})
		if err := notice.Settle(tx, notice.SignatureWanted, waiverKey(w.ID), by.ID, forPerson); err != nil {
			return WaiverChanged{}, err
		}
		both := w.OwnerAt != nil || w.ReviewerAt != nil
		return WaiverChanged{Waiver: w.ID, Control: c.Slug, Case: t.Key, Signed: both}, settle(tx, c.ID)
	})
}

// EndWaiver ends a waiver or turns one down. NotFound, Forbidden, Conflict when
// it is over. Invalid field: reason.
func EndWaiver(ctx context.Context, db *models.DB, by models.Actor, cmd EndWaiverCmd) (WaiverChanged, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (WaiverChanged, error) {
		c, t, w, err := lockWaiver(tx, cmd.Waiver)
		if err != nil {
			return WaiverChanged{}, err
		}
		if err := MayEndWaiver(by, c.Parties(), w); err != nil {
			return WaiverChanged{}, err
		}
		if err := w.open(tx.Now); err != nil {
			return WaiverChanged{}, err
		}
		var check models.Check
		reason := models.Clean(cmd.Reason)
		check.Required("reason", reason, 4000, "Say why the waiver ends.")
		if err := check.Err(); err != nil {
			return WaiverChanged{}, err
		}
		forPerson := endsFor(by, c.Parties(), w)
		err = tx.Exec("update waivers set ended_by = ?, ended_for = ?, ended_at = ?, end_reason = ? where id = ?", by.ID, orNull(forPerson), tx.Now, reason, w.ID).Error
		if err != nil {
			return WaiverChanged{}, err
		}
		tx.AuditFor(forPerson, "waiver.ended", w.object(c, t), nil, map[string]any{"reason": reason})
		if err := notice.Settle(tx, notice.SignatureWanted, waiverKey(w.ID)); err != nil {
			return WaiverChanged{}, err
		}
		return WaiverChanged{Waiver: w.ID, Control: c.Slug, Case: t.Key}, settle(tx, c.ID)
	})
}

// endsFor is whom by stands for when ending a waiver.
func endsFor(by models.Actor, p control.Parties, w Waiver) int64 {
	stands := int64(0)
	for _, id := range []int64{p.Owner.ID, p.Reviewer.ID, w.AskedBy.ID, w.AskedFor.ID} {
		forPerson, ok := by.ActsFor(id)
		if ok && forPerson == 0 {
			return 0
		}
		if ok && stands == 0 {
			stands = forPerson
		}
	}
	return stands
}

// open is a Conflict once the waiver is over.
func (w Waiver) open(now time.Time) error {
	switch {
	case w.EndedAt != nil:
		return models.Conflictf("This waiver was ended already: %s", w.EndReason)
	case w.Over(now):
		return models.Conflictf("The last day of this waiver, %s, is over. Ask for another one.", w.Until.Format("2 January 2006"))
	}
	return nil
}

func (w Waiver) object(c control.Locked, t Case) models.Object {
	return models.Object{Type: "waiver", ID: w.ID, Label: "Waiver of " + c.Name + ": " + t.Title, Path: Path(c.Slug, t.Key)}
}

type waiverRow struct {
	ID, CaseID                                                     int64
	Reason                                                         string
	Until                                                          time.Time
	AskedBy, AskedFor, OwnerBy, OwnerFor, ReviewerBy, ReviewerFor  int64
	EndedBy, EndedFor                                              int64
	AskedName, AskedForName, OwnerName, OwnerForName, ReviewerName string
	ReviewerForName, EndedName, EndedForName                       string
	At                                                             time.Time
	OwnerAt, ReviewerAt, EndedAt                                   *time.Time
	EndReason                                                      string
}

const selectWaiver = `select w.id, w.case_id, w.reason, w.until, w.at, w.owner_at, w.reviewer_at, w.ended_at, w.end_reason,
	w.asked_by, a.name as asked_name, w.asked_for, af.name as asked_for_name, w.owner_by, o.name as owner_name, w.owner_for, ofo.name as owner_for_name,
	w.reviewer_by, r.name as reviewer_name, w.reviewer_for, rf.name as reviewer_for_name, w.ended_by, e.name as ended_name, w.ended_for, ef.name as ended_for_name
	from waivers w join people a on a.id = w.asked_by left join people af on af.id = w.asked_for
	left join people o on o.id = w.owner_by left join people ofo on ofo.id = w.owner_for
	left join people r on r.id = w.reviewer_by left join people rf on rf.id = w.reviewer_for
	left join people e on e.id = w.ended_by left join people ef on ef.id = w.ended_for `

func (r waiverRow) waiver() Waiver {
	ref := func(id int64, name string) control.Ref { return control.Ref{ID: id, Name: name} }
	return Waiver{ID: r.ID, Reason: r.Reason, Until: r.Until.UTC(), AskedBy: ref(r.AskedBy, r.AskedName), AskedFor: ref(r.AskedFor, r.AskedForName), AskedAt: r.At.UTC(),
		OwnerBy: ref(r.OwnerBy, r.OwnerName), OwnerFor: ref(r.OwnerFor, r.OwnerForName), OwnerAt: r.OwnerAt,
		ReviewerBy: ref(r.ReviewerBy, r.ReviewerName), ReviewerFor: ref(r.ReviewerFor, r.ReviewerForName), ReviewerAt: r.ReviewerAt,
		EndedBy: ref(r.EndedBy, r.EndedName), EndedFor: ref(r.EndedFor, r.EndedForName), EndedAt: r.EndedAt, EndReason: r.EndReason}
}

// openWaiver is the waiver of a case that nobody ended; its date may have passed.
func openWaiver(q *gorm.DB, caseID int64) (*Waiver, error) {
	var r waiverRow
	found, err := one(q.Raw(selectWaiver+"where w.case_id = ? and w.ended_at is null", caseID), &r)
	if err != nil || !found {
		return nil, err
	}
	w := r.waiver()
	return &w, nil
}

// lockWaiver takes the control of a waiver and reads the waiver as it is now.
func lockWaiver(tx *models.Tx, id int64) (c control.Locked, t Case, w Waiver, err error) {
	var at struct {
		Slug   string
		CaseID int64
	}
	found, err := one(tx.Raw("select c.slug, w.case_id from waivers w join controls c on c.id = w.control_id where w.id = ?", id), &at)
	if err == nil && !found {
		err = models.NotFoundf("There is no such waiver.")
	}
	if err != nil {
		return c, t, w, err
	}
	if c, err = control.Lock(tx, at.Slug); err != nil {
		return c, t, w, err
	}
	if t, err = caseByID(tx.DB, at.CaseID); err != nil {
		return c, t, w, err
	}
	var r waiverRow
	_, err = one(tx.Raw(selectWaiver+"where w.id = ?", id), &r)
	return c, t, r.waiver(), err
}
