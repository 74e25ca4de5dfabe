package matrix

// Outcome is what a run came to.
type Outcome string

const (
	Passed       Outcome = "passed"
	Failed       Outcome = "failed"
	Inconclusive Outcome = "inconclusive"
	Abandoned    Outcome = "abandoned"
)

// Observation is what the outcome of a run is decided from.
type Observation struct {
	Claimed   Outcome // the button: Passed, Failed or Inconclusive
	Inspected bool    // somebody looked at the destination itself
	Equal     bool    // every observed change of a count equals the agreed one
	Complete  bool    // every required item of evidence is attached
}

// Decide says what may be recorded. ok is false when the run would pass and
// only evidence is missing: nothing is recorded then, and the person is told
// what to attach.
//
// Inspected with another count is failed, whichever button was pressed. Not
// inspected never passes: it is inconclusive, however green the log. A failure
// that somebody reports stays one, inspected or not.
func (o Observation) Decide() (outcome Outcome, ok bool) {
	switch {
	case o.Inspected && !o.Equal, o.Claimed == Failed:
		return Failed, true
	case o.Claimed != Passed, !o.Inspected:
		return Inconclusive, true
	}
	return Passed, o.Complete
}
