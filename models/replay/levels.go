package replay

import (
	"slices"
	"time"

	"countersign/models"
	"countersign/models/workflow"
)

// Step is one level of a request, with its due time as a row.
type Step struct {
	Number  int
	Minutes int        // to respond, of the policy's hours
	DueAt   time.Time  // in UTC
	ToldAt  *time.Time // when its people were told
}

// Schedule is when each level is due when the clock starts at from: each level's
// time begins when the one before is over. first is the level that the clock
// starts with and left the minutes it has; levels before it keep their times.
func Schedule(steps []Step, hours workflow.Hours, from time.Time, first, left int) []Step {
	out := append([]Step(nil), steps...)
	for i := range out {
		switch {
		case out[i].Number < first:
			continue
		case out[i].Number == first:
			from = hours.Due(from, left)
		default:
			from = hours.Due(from, out[i].Minutes)
		}
		out[i].DueAt = from
	}
	return out
}

// Reached is the level that the clock has come to, and whether the time of the
// last one is over. A level that was told stays reached whatever the clock does,
// and a level on which nobody can decide is passed at once.
func (r Request) Reached(steps []Step, p Parties, now time.Time) (level int, unanswered bool) {
	if r.Paused.At != nil {
		now = *r.Paused.At
	}
	level, unanswered = max(r.Level, 1), r.Unanswered
	for _, s := range steps {
		switch over := !now.Before(s.DueAt); {
		case s.Number < level:
		case s.Number == len(steps):
			unanswered = unanswered || over
		case over || !p.able(s.Number):
			level = s.Number + 1
		default:
			return level, unanswered
		}
	}
	return level, unanswered
}

// Pauses stops the clock at now: what the level reached has left, and how long
// the request would have had.
func (r Request) Pauses(steps []Step, hours workflow.Hours, level int, now time.Time) Pause {
	p := Pause{At: &now}
	for _, s := range steps {
		if s.Number == level {
			p.Minutes = hours.Passed(now, s.DueAt)
		}
	}
	if r.ExpiresAt != nil {
		p.Seconds = max(int64(r.ExpiresAt.Sub(now)/time.Second), 0)
	}
	return p
}

// able reports whether anybody on a level can decide: who asked cannot.
func (p Parties) able(level int) bool {
	for _, l := range p.Levels {
		for _, person := range l.People {
			if l.Number == level && person.Able() && !slices.Contains(p.Asked, person.ID) {
				return true
			}
		}
	}
	return false
}

// standing is the person of a level reached that by is or stands in for, and
// who may decide today; ok is false when there is none. Whoever may decide in
// person does so, also when they stand in for somebody too.
func standing(by models.Actor, levels []workflow.Level, reached int) (forPerson int64, ok bool) {
	for _, l := range levels {
		if l.Number > reached {
			continue
		}
		for _, p := range l.People {
			if !p.Able() || !by.ActsAs(p.ID, models.Approver) {
				continue
			}
			if p.ID == by.ID {
				return 0, true
			}
			forPerson, ok = p.ID, true
		}
	}
	return forPerson, ok
}
