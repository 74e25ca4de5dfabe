package replay

import (
	"fmt"
	"time"

	"countersign/models/ledger"
)

// Record is what the ledger knows about a request's action and its permission.
type Record struct {
	Now     time.Time // the database's clock
	Action  ledger.State
	Settled time.Time             // when the action succeeded; zero otherwise
	Seen    *ledger.Seen          // what stands now; nil where a list does not ask
	Permit  *ledger.Authorization // nil before an approval
	Ended   bool                  // the attempt of the permit was reported, or its lease ended
	Outcome ledger.State          // of that attempt
}

// Happened is the event that the ledger and the clock have brought about, and
// why in words. ok is false when the request stands where it is stored. Apply it
// until ok is false: an attempt can have begun and ended meanwhile.
func (r Request) Happened(l Record) (e Event, why string, ok bool) {
	switch r.State {
	case Pending, EvidenceWanted:
		switch {
		case l.Action == ledger.Succeeded:
			return Overtake, "The action succeeded before anybody decided.", true
		case r.State == Pending && r.ExpiresAt != nil && !l.Now.Before(*r.ExpiresAt):
			return Expire, "Nobody decided in time.", true
		}
	case Approved:
		return r.permitHappened(l)
	case Started:
		if l.Ended {
			return Finish, fmt.Sprintf("The attempt ended as %s.", l.Outcome), true
		}
	}
	return "", "", false
}

func (r Request) permitHappened(l Record) (Event, string, bool) {
	if l.Permit == nil {
		return "", "", false
	}
	switch state := l.Permit.State(l.Now); {
	case state == ledger.Used:
		return Begin, "", true
	case state == ledger.Overtaken, l.Action == ledger.Succeeded:
		return Overtake, "The action succeeded before the attempt was started.", true
	case state == ledger.Lapsed:
		return Lapse, "Nobody started the attempt in time.", true
	case state == ledger.Withdrawn:
		return Lapse, "The permission was taken back.", true
	case l.Seen != nil && *l.Seen != l.Permit.Seen:
		return Lapse, "Something is newer than what was approved. " + Newer(l.Permit.Seen, *l.Seen), true
	}
	return "", "", false
}

// At is the request as it stands by the ledger and the clock.
func (r Request) At(l Record) Request {
	for {
		e, why, ok := r.Happened(l)
		if !ok {
			return r
		}
		r = r.after(e, why, l)
	}
}

// after is the request after an event that its state allows.
func (r Request) after(e Event, why string, l Record) Request {
	r.State = happenings[r.State][e]
	if e == Begin {
		r.AttemptID = l.Permit.Attempt
	}
	if !r.State.Open() {
		now := l.Now
		r.Ending, r.ClosedAt, r.ExpiresAt = why, &now, nil
	}
	return r
}
