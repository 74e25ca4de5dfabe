package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/ledger"
	"countersign/models/notice"
)

// DecideCmd is what a person does to a request.
type DecideCmd struct {
	models.Once
	Ref          string
	Version      int64 // of the request, as the person saw it
	Decision     Decision
	Note         string   // required for everything but an approval
	Seen         string   // of an approval: SeenText of what the page showed
	Acknowledged []string // of an approval: keys of the conditions that were ticked
}

// Object names the request when the command is refused.
func (c DecideCmd) Object() models.Object {
	id, _ := ParseRef(c.Ref)
	return models.Object{Type: "replay", ID: id, Label: c.Ref, Path: Path(c.Ref)}
}

// Decided is where a request stands after a decision.
type Decided struct {
	Ref     string    `json:"ref"`
	State   State     `json:"state"`
	Expires time.Time `json:"expires"` // of an approval: when its permission lapses
}

// Decide approves, rejects, returns, supplies or withdraws. An approval issues
// the permission to try the action once, for exactly what was seen.
//
// NotFound; Forbidden by May; Conflict when the request stands elsewhere, was
// changed since the person saw it, or a condition stops it; Invalid without the
// note or an acknowledgement. What was refused is kept with the request.
func Decide(ctx context.Context, db *models.DB, by models.Actor, cmd DecideCmd) (Decided, error) {
	d, err := models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Decided, error) {
		f, err := lock(tx, cmd.Ref)
		if err != nil {
			return Decided{}, err
		}
		cmd.Note = models.Clean(cmd.Note)
		to, err := f.mayBecome(by, cmd)
		if err != nil {
			return Decided{}, err
		}
		next, err := f.decide(tx, to, cmd)
		if err != nil {
			return Decided{}, err
		}
		return Decided{Ref: next.Ref(), State: next.State, Expires: next.NextAt}, nil
	})
	return d, refusedTry(ctx, db, ledger.Person(by), cmd.Ref, string(cmd.Decision), err)
}

// mayBecome decides without writing anything: who, from where, with what reason.
func (f *file) mayBecome(by models.Actor, cmd DecideCmd) (State, error) {
	if err := May(by, cmd.Decision, f.Parties); err != nil {
		return f.State, err
	}
	to, err := f.Decide(cmd.Decision, cmd.Note)
	if err != nil {
		return f.State, err
	}
	if f.Version != cmd.Version {
		return f.State, models.Conflictf("This request was changed since you saw it. Read where it stands now.")
	}
	var c models.Check
	c.Text("note", cmd.Note, 4000)
	if err := c.Err(); err != nil || cmd.Decision != Approve {
		return to, err
	}
	seen, ok := ParseSeen(cmd.Seen)
	if !ok {
		return f.State, models.BadRequestf("This form does not say what you saw. Open the request again.")
	}
	return to, Refusal(f.conditions(by, &seen), cmd.Acknowledged, cmd.Note)
}

// decide writes a decision that is allowed.
func (f *file) decide(tx *models.Tx, to State, cmd DecideCmd) (Request, error) {
	next := f.Request
	next.State, next.NextAt = to, tx.Now
	next.Level = f.Parties.Reached
	switch to {
	case Approved:
		valid := time.Duration(f.Policy.AuthorizationMinutes) * time.Minute
		permit, err := ledger.IssueAuthorization(tx, ledger.IssueCmd{Action: f.ActionID, Request: f.Ref(), Seen: f.Facts.Seen, Valid: valid})
		if err != nil {
			return next, err
		}
		next.AuthorizationID, next.NextAt, next.ExpiresAt = permit.ID, permit.Expires, nil
	case EvidenceWanted:
		next.Paused = f.Pauses(f.Steps, f.Policy.Hours, f.Parties.Reached, tx.Now)
		next.NextAt = tx.Now.Add(time.Duration(next.Paused.Seconds) * time.Second)
		next.ExpiresAt = nil
	case Pending:
		if err := f.resume(tx, &next); err != nil {
			return next, err
		}
	default:
		next.ClosedAt, next.ExpiresAt = &tx.Now, nil
	}
	forPerson := f.forPerson(tx.By, cmd.Decision)
	if err := f.write(tx, next, cmd, forPerson); err != nil {
		return next, err
	}
	if next.State.Open() {
		if err := f.hold(tx); err != nil {
			return next, err
		}
	}
	next.Version++
	return next, f.tell(tx, next, cmd)
}

// resume lets the clock go on with what was left. People of the level reached
// are told again.
func (f *file) resume(tx *models.Tx, next *Request) error {
	expires := tx.Now.Add(time.Duration(f.Paused.Seconds) * time.Second)
	next.ExpiresAt, next.Paused = &expires, Pause{}
	steps := Schedule(f.Steps, f.Policy.Hours, tx.Now, next.Level, f.Paused.Minutes)
	for _, s := range steps {
		if err := tx.Exec("update request_levels set due_at = ? where request_id = ? and number = ?", s.DueAt, f.ID, s.Number).Error; err != nil {
			return err
		}
		if s.Number == next.Level {
			next.NextAt = s.DueAt
		}
	}
	return nil
}

func (f *file) write(tx *models.Tx, next Request, cmd DecideCmd, forPerson int64) error {
	var ticked []string
	seen := ""
	if cmd.Decision == Approve {
		seen = SeenText(f.Facts.Seen)
		for _, c := range f.conditions(tx.By, nil) {
			if c.Holds == Acknowledge {
				ticked = append(ticked, c.Words)
			}
		}
	}
	list, err := json.Marshal(append([]string{}, ticked...))
	if err != nil {
		return err
	}
	err = tx.Exec("insert into decisions (request_id, decision, note, acknowledged, seen, level, person_id, for_person_id, at) values (?,?,?,?::jsonb,?,?,?,nullif(?, 0),?)",
		f.ID, cmd.Decision, cmd.Note, string(list), seen, f.Parties.Reached, tx.By.ID, forPerson, tx.Now).Error
	if err != nil {
		return err
	}
	after := map[string]any{"decision": cmd.Decision, "state": next.State}
	for name, value := range map[string]string{"note": cmd.Note, "seen": seen} {
		if value != "" {
			after[name] = value
		}
	}
	if len(ticked) > 0 {
		after["acknowledged"] = ticked
	}
	tx.AuditFor(forPerson, "replay."+string(next.State), f.object(), map[string]any{"state": f.stored.State}, after)
	return update(tx, f.stored, next)
}

// forPerson is whom a delegate decided for; 0 for themselves.
func (f *file) forPerson(by models.Actor, d Decision) int64 {
	switch d {
	case Supply, Withdraw:
		for _, id := range f.Parties.Asked {
			if id == by.ID {
				return 0
			}
		}
		if by.Has(models.Implementer) {
			return 0
		}
		for _, id := range append(f.Parties.Asked, f.Parties.Implementer) {
			if forPerson, ok := by.ActsFor(id); ok {
				return forPerson
			}
		}
		return 0
	}
	forPerson, _ := standing(by, f.Parties.Levels, f.Parties.Reached)
	return forPerson
}

// hold keeps the bytes of the evidence that an open request rests on.
func (f *file) hold(tx *models.Tx) error {
	var ids []int64
	for _, e := range f.Files {
		ids = append(ids, e.ID)
	}
	return evidence.Hold(tx, Path(f.Ref()), f.Ref()+" is open", ids...)
}

// tell says to whom it concerns what was decided.
func (f *file) tell(tx *models.Tx, next Request, cmd DecideCmd) error {
	switch cmd.Decision {
	case Supply:
		return tellLevels(tx, next, f.Facts, f.Parties.Levels, 1, notice.ReplayRequested)
	case Withdraw:
		return nil
	}
	words := map[Decision]string{Approve: "was approved: one attempt may be started", Reject: "was rejected", Return: "was returned for evidence"}
	return tellAskers(tx, next, f.Parties, notice.ReplayDecided, fmt.Sprintf("%s %s", next.Ref(), words[cmd.Decision]), cmd.Note)
}

// refusedTry keeps a decision or start that was refused, in a transaction of its
// own, stores what the request has come to meanwhile, and returns the refusal.
func refusedTry(ctx context.Context, db *models.DB, by ledger.Caller, ref, what string, refusal error) error {
	if !models.IsKind(refusal, models.KindConflict) && !models.IsKind(refusal, models.KindForbidden) {
		return refusal
	}
	id, ok := ParseRef(ref)
	if e := models.AsError(refusal); !ok || e.Code == models.CodeIdempotencyRunning {
		return refusal
	}
	ctx = context.WithoutCancel(ctx)
	why := models.AsError(refusal).Message
	err := db.Query(ctx).Exec(`insert into refused_tries (request_id, what, why, person_id, token_id) select id, ?, left(?, 2000), nullif(?, 0), nullif(?, 0) from requests where id = ?`,
		what, why, actor(by).ID, by.Token, id).Error
	if _, e := Settle(ctx, db, ref); e != nil && !models.IsKind(e, models.KindNotFound) {
		err = errors.Join(err, e)
	}
	if err != nil {
		return errors.Join(refusal, err)
	}
	return refusal
}
