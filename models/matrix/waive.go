package matrix

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/notice"
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
