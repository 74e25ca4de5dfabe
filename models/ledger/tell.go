package ledger

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/notice"
)

// quietFor is how long people are not told of more of the same trouble at one
// control and environment: an outage is told once and then by the hour.
const quietFor = time.Hour

type tellTroubleCmd struct{ models.Once }

// troubleLock lets one server at a time tell.
const troubleLock = 0x74726f75626c65 // "trouble"

// TellTrouble says to implementers that outcomes became unknown or that workers
// hold actions for too long: how many at each control and environment, a minute
// after the first and then at most once an hour. It goes by what was noted, so
// run it beside Sweep. Safe on several servers at once.
func TellTrouble(ctx context.Context, db *models.DB) error {
	_, err := models.Do(ctx, db, models.Actor{}, tellTroubleCmd{}, func(tx *models.Tx) (int, error) {
		var mine bool
		if err := tx.Raw("select pg_try_advisory_xact_lock(?)", int64(troubleLock)).Row().Scan(&mine); err != nil || !mine {
			return 0, err
		}
		told := 0
		for _, look := range []func(*models.Tx) ([]trouble, error){newlyUnknown, newlyStalled} {
			found, err := look(tx)
			if err != nil {
				return 0, err
			}
			for _, t := range found {
				if err := t.tell(tx); err != nil {
					return 0, err
				}
			}
			told += len(found)
		}
		return told, nil
	})
	return err
}

// trouble is what is new at one control and environment.
type trouble struct {
	Event                    notice.Event `gorm:"-"`
	ControlID, EnvironmentID int64
	Control, Environment     string
	ImplementerID            int64
	N                        int
	First                    int64 // the action, when it is one
	UpTo                     time.Time
}

// fresh counts what began after it was told last, by control and environment.
// began is when trouble at an action begins.
func fresh(tx *models.Tx, event notice.Event, from, began, where string) ([]trouble, error) {
	var found []trouble
	err := tx.Raw(`select a.control_id, a.environment_id, c.name as control, e.name as environment, w.implementer_id, count(*) as n, min(a.id) as first, max(`+began+`) as up_to
		from `+from+` join controls c on c.id = a.control_id join workflows w on w.id = a.workflow_id join environments e on e.id = a.environment_id
		left join trouble_told t on t.event = @event and t.control_id = a.control_id and t.environment_id = a.environment_id
		where `+where+` and `+began+` > coalesce(t.up_to, '-infinity') and (t.at is null or t.at <= now() - @quiet * interval '1 second')
		group by a.control_id, a.environment_id, c.name, e.name, w.implementer_id order by a.control_id, a.environment_id`,
		map[string]any{"event": event, "quiet": quietFor.Seconds()}).Scan(&found).Error
	for i := range found {
		found[i].Event = event
	}
	return found, err
}

// newlyUnknown looks a week back: older ones head the queue anyway.
func newlyUnknown(tx *models.Tx) ([]trouble, error) {
	return fresh(tx, notice.OutcomeUnknown, "actions a", "a.changed_at", "a.state = 'unknown' and a.request_id is null and a.changed_at > now() - interval '7 days'")
}

func newlyStalled(tx *models.Tx) ([]trouble, error) {
	began := fmt.Sprintf("(h.started_at + interval '%d seconds')", int(StalledAfter.Seconds()))
	return fresh(tx, notice.OwnerStalled, "actions a join attempts h on h.id = a.attempt_id", began, "a.state = 'pending' and a.lease_until > now() and "+began+" <= now()")
}

func (t trouble) tell(tx *models.Tx) error {
	err := tx.Exec(`insert into trouble_told (event, control_id, environment_id, up_to, at) values (?, ?, ?, ?, ?)
		on conflict (event, control_id, environment_id) do update set up_to = excluded.up_to, at = excluded.at`, t.Event, t.ControlID, t.EnvironmentID, t.UpTo, tx.Now).Error
	if err != nil {
		return err
	}
	path := "/queue"
	if t.N == 1 {
		path = ActionPath(t.First)
	}
	return notice.Tell(tx, t.Event, []int64{t.ImplementerID}, t.words(), path, fmt.Sprintf("control %d environment %d at %s", t.ControlID, t.EnvironmentID, t.UpTo.UTC().Format(time.RFC3339Nano)))
}

func (t trouble) words() notice.Words {
	at := fmt.Sprintf("of “%s” in %s", t.Control, t.Environment)
	if t.Event == notice.OwnerStalled {
		text := "Find out what the worker is doing before anything else is started."
		if t.N == 1 {
			return notice.Words{Title: fmt.Sprintf("Action %d %s is held for over an hour", t.First, at), Text: text}
		}
		return notice.Words{Title: fmt.Sprintf("%d actions %s are held for over an hour", t.N, at), Text: text}
	}
	text := "Look it up at the destination, then ask to try it again if nothing is there."
	if t.N == 1 {
		return notice.Words{Title: fmt.Sprintf("The outcome of action %d %s is unknown", t.First, at), Text: text}
	}
	return notice.Words{Title: fmt.Sprintf("%d outcomes %s are unknown", t.N, at), Text: text}
}

// tellDuplicate says to the workflow's people that an action may have, or has,
// two effects: each duplicate when it is found, and again when it is confirmed.
func tellDuplicate(tx *models.Tx, d DuplicateRef, why string) error {
	var p struct {
		Control, Environment               string
		OwnerID, ImplementerID, ReviewerID int64
	}
	err := tx.Raw(`select c.name as control, e.name as environment, w.business_owner_id as owner_id, w.implementer_id, w.reviewer_id
		from actions a join controls c on c.id = a.control_id join workflows w on w.id = a.workflow_id join environments e on e.id = a.environment_id where a.id = ?`, d.Action).Scan(&p).Error
	if err != nil {
		return err
	}
	title := fmt.Sprintf("A possible duplicate: action %d of “%s” in %s", d.Action, p.Control, p.Environment)
	if d.Kind == confirmed {
		title = fmt.Sprintf("A confirmed duplicate: action %d of “%s” in %s", d.Action, p.Control, p.Environment)
	}
	return notice.Tell(tx, notice.DuplicateFound, []int64{p.OwnerID, p.ImplementerID, p.ReviewerID}, notice.Words{Title: title, Text: why}, ActionPath(d.Action), d.key(d.Kind))
}

func (d DuplicateRef) key(kind string) string { return fmt.Sprintf("duplicate %d %s", d.ID, kind) }

// settleTold takes a duplicate out of inboxes once somebody said what was done.
func (d DuplicateRef) settleTold(tx *models.Tx) error {
	if err := notice.Settle(tx, notice.DuplicateFound, d.key(possible)); err != nil {
		return err
	}
	return notice.Settle(tx, notice.DuplicateFound, d.key(confirmed))
}
