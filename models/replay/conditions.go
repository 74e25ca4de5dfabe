package replay

import (
	"fmt"
	"slices"
	"time"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/ledger"
	"countersign/models/signoff"
)

// Holds is how a condition of an approval stands.
type Holds string

const (
	Fine        Holds = "fine"
	Stops       Holds = "stops"       // nothing can be approved while it stands
	Acknowledge Holds = "acknowledge" // the approver must tick it
)

// Condition is one thing that an approval needs.
type Condition struct {
	Key     string
	Holds   Holds
	Words   string // the reason
	Instead string // what to do; "" when it is fine
	Path    string // where to do it; "" when here
	Note    bool   // acknowledging it takes a written reason too
}

// Case is everything that the conditions are decided from.
type Case struct {
	By       models.Actor
	Parties  Parties
	Facts    ledger.Facts
	Seen     *ledger.Seen          // what the form says the person saw; nil on the page
	Evidence []evidence.Attachment // attached to the request
}

// StopConditions lists every condition of an approval with its state. The page
// shows the list, and a POST is refused by the same.
func StopConditions(c Case) []Condition {
	return slices.Concat([]Condition{c.fresh(), c.stopped(), c.approved(), c.succeeded(), c.held(), c.lookup(), c.evidence(), c.version(), c.duplicate(), c.window()},
		c.manual(), []Condition{c.asker(), c.level()})
}

// Refusal is the first thing in the way of an approval: Conflict for a condition
// that stops, Forbidden for one about the person, Invalid for an acknowledgement
// that is missing (field ack-KEY), or for a note (field note).
func Refusal(all []Condition, acknowledged []string, note string) error {
	var c models.Check
	for _, one := range all {
		switch {
		case one.Holds == Stops && (one.Key == "asker" || one.Key == "level"):
			return models.Forbiddenf("%s", one.Words)
		case one.Holds == Stops:
			return models.Coded(models.KindConflict, one.Key, "%s %s", one.Words, one.Instead)
		case one.Holds == Acknowledge && !slices.Contains(acknowledged, one.Key):
			c.Add("ack-"+one.Key, "Tick that you know: %s", one.Words)
		}
		if one.Holds == Acknowledge && one.Note && note == "" {
			c.Add("note", "Say why one attempt is right although nothing can be looked up.")
		}
	}
	return c.Err()
}

func fine(key, words string) Condition { return Condition{Key: key, Holds: Fine, Words: words} }

func (c Case) action() string { return fmt.Sprintf("/ledger/actions/%d", c.Facts.Action) }

func (c Case) fresh() Condition {
	if c.Seen == nil || *c.Seen == c.Facts.Seen {
		return fine("stale", "You see what stands now.")
	}
	return Condition{Key: "stale", Holds: Stops, Words: "Something is newer than what you saw. " + Newer(*c.Seen, c.Facts.Seen), Instead: "Read it, then decide again."}
}

func (c Case) stopped() Condition {
	for _, r := range c.Facts.Gate.Reasons {
		if r.Key == "stopped" {
			return Condition{Key: "stopped", Holds: Stops, Words: r.Words, Instead: "The business owner lifts the stop first.", Path: r.Path}
		}
	}
	return fine("stopped", "The workflow is not stopped.")
}

func (c Case) approved() Condition {
	switch {
	case c.Facts.ReachesCustomers && !c.Facts.Approved:
		return Condition{Key: "never_approved", Holds: Stops, Words: "No revision of " + c.Facts.ControlName + " was ever approved, and this environment reaches customers.",
			Instead: "Have a revision signed first.", Path: "/controls/" + c.Facts.ControlSlug + "/sign-off"}
	case !c.Facts.Approved:
		return fine("never_approved", "No revision was approved yet. This environment cannot reach customers.")
	}
	return fine("never_approved", "The control has an approved revision.")
}

func (c Case) succeeded() Condition {
	if c.Facts.State == ledger.Succeeded {
		return Condition{Key: "succeeded", Holds: Stops, Words: "The action succeeded. It is never tried again.", Instead: "A real second request is a new action, with its own reason.", Path: c.action()}
	}
	return fine("succeeded", "The action is not known to have succeeded.")
}

func (c Case) held() Condition {
	if c.Facts.State == ledger.Pending {
		return Condition{Key: "pending", Holds: Stops, Words: "A worker holds the action right now.", Instead: "Wait for what it reports, or for the end of its lease.", Path: c.action()}
	}
	return fine("pending", "Nobody is acting on it.")
}

func (c Case) lookup() Condition {
	f, found := c.Facts, c.Facts.DoubtOfFound()
	switch {
	case f.Counting == ledger.Found:
		return Condition{Key: "found", Holds: Stops, Words: "A lookup found the result at the destination.", Instead: "Nothing is missing. Withdraw or reject the request.", Path: c.action()}
	case found.Known:
		return Condition{Key: "found", Holds: Acknowledge, Words: found.Words}
	case found.Key != "":
		return Condition{Key: "found", Holds: Stops, Words: found.Words, Instead: found.Instead, Path: c.action()}
	case f.Counting == ledger.NotFound:
		return fine("lookup", "A lookup begun after the last attempt found nothing.")
	case f.State == ledger.Failed:
		return fine("lookup", "The last attempt certainly had no effect, so no lookup is needed.")
	case !f.LookupDocumented:
		return Condition{Key: "lookup", Holds: Acknowledge, Note: true, Words: "The outcome is unknown and no lookup is documented. A second effect cannot be ruled out."}
	case f.Counting == ledger.Inconclusive:
		return Condition{Key: "lookup", Holds: Stops, Words: "The outcome is unknown, and the lookup after the last attempt was inconclusive.", Instead: "Look it up again.", Path: c.action()}
	}
	return Condition{Key: "lookup", Holds: Stops, Words: "The outcome is unknown, and nobody looked after the last attempt ended.", Instead: "Look it up at the destination, and record what you find.", Path: c.action()}
}

func (c Case) evidence() Condition {
	if len(c.Evidence) == 0 {
		return fine("evidence", "No evidence is attached that could expire.")
	}
	var until time.Time
	for _, e := range c.Evidence {
		if e.Counts(c.Facts.Now) && e.KeepUntil.After(until) {
			until = e.KeepUntil
		}
	}
	if until.IsZero() {
		return Condition{Key: "evidence", Holds: Stops, Words: "The evidence that this request rests on has expired.", Instead: "Return it for evidence."}
	}
	return fine("evidence", "Its evidence is kept until "+until.UTC().Format("2 January 2006")+".")
}

func (c Case) version() Condition {
	if c.Facts.StaleVersion {
		return Condition{Key: "stale_version", Holds: Stops, Words: fmt.Sprintf("It would act on version %s, and version %s of the record is known.", c.Facts.Version, c.Facts.Newest),
			Instead: "Act on the newer version, or appeal on the action’s page.", Path: c.action()}
	}
	return fine("stale_version", "No newer version of the record is known.")
}

func (c Case) duplicate() Condition {
	if d := c.Facts.DoubtOfDuplicate(); d.Key != "" {
		return Condition{Key: "duplicate", Holds: Stops, Words: d.Words, Instead: d.Instead, Path: c.action()}
	}
	return fine("duplicate", "No duplicate is open.")
}

func (c Case) window() Condition {
	f := c.Facts
	switch {
	case f.WindowEnds == nil:
		return fine("window", "The destination documents no lifetime of a key.")
	case !f.Now.Before(*f.WindowEnds):
		return Condition{Key: "window", Holds: Acknowledge, Words: fmt.Sprintf("The destination may no longer recognise the key, so a repeat could have a second effect. The documented time ended on %s UTC.", f.WindowEnds.UTC().Format("2 January 2006, 15:04"))}
	}
	return fine("window", fmt.Sprintf("The destination recognises the key until %s UTC.", f.WindowEnds.UTC().Format("2 January 2006, 15:04")))
}

// manual is one condition for each reason that closed the gate to manual.
// That no automatic retry was signed is how it was agreed, and needs no tick.
func (c Case) manual() (all []Condition) {
	if state := c.Facts.Gate.State; state != signoff.GateManual && state != signoff.GateObserving {
		return nil // what an automatic gate says is no reason against anything
	}
	for _, r := range c.Facts.Gate.Reasons {
		if r.Key != "no_retries" && r.Key != "observe" {
			all = append(all, Condition{Key: r.Key, Holds: Acknowledge, Words: r.Words, Path: r.Path})
		}
	}
	return all
}

func (c Case) asker() Condition {
	if err := notAsker(c.By, c.Parties); err != nil {
		return Condition{Key: "asker", Holds: Stops, Words: err.Error(), Instead: "Leave it to the others on its levels."}
	}
	return fine("asker", "You did not ask for this.")
}

func (c Case) level() Condition {
	if err := onLevel(c.By, c.Parties); err != nil {
		return Condition{Key: "level", Holds: Stops, Words: err.Error(), Instead: "The people of the levels decide."}
	}
	return fine("level", "You stand on a level that was reached.")
}
