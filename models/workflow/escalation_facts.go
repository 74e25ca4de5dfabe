package workflow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/models"
)

// MaxLevels is how many levels a policy has at most.
const MaxLevels = 5

// Longest spans of a policy.
const (
	maxRespond       = 30 * 1440 // minutes
	maxExpiry        = 90        // days
	maxAuthorization = 7 * 1440  // minutes
)

// PolicyFacts are what a person edits about a policy, numbers and times as
// typed. A level without people and minutes is left out.
type PolicyFacts struct {
	Name                 string       `json:"name"`
	Levels               []LevelFacts `json:"levels"`
	ExpiryDays           string       `json:"expiry_days"`
	AuthorizationMinutes string       `json:"authorization_minutes"`
	Days                 []string     `json:"days"`   // "1" is Monday, "0" Sunday; none: every hour counts
	Opens                string       `json:"opens"`  // 09:00
	Closes               string       `json:"closes"` // 17:00, or 24:00
	TimeZone             string       `json:"time_zone"`
}

// LevelFacts are one level as typed.
type LevelFacts struct {
	People  []int64 `json:"people"`
	Minutes string  `json:"minutes"`
}

func (l LevelFacts) empty() bool { return len(l.People) == 0 && l.Minutes == "" }

// Facts returns what can be edited about a policy with this version.
func (p Policy) Facts(v PolicyVersion) PolicyFacts {
	f := PolicyFacts{Name: p.Name, ExpiryDays: strconv.Itoa(v.ExpiryDays), AuthorizationMinutes: strconv.Itoa(v.AuthorizationMinutes), TimeZone: v.Hours.Zone}
	for _, l := range v.Levels {
		level := LevelFacts{Minutes: strconv.Itoa(l.RespondMinutes)}
		for _, person := range l.People {
			level.People = append(level.People, person.ID)
		}
		f.Levels = append(f.Levels, level)
	}
	if len(v.Hours.Days) > 0 {
		f.Days, f.Opens, f.Closes = strings.Split(daysText(v.Hours.Days), ""), ClockText(v.Hours.Opens), ClockText(v.Hours.Closes)
	}
	return f
}

func (f *PolicyFacts) clean() {
	for _, text := range []*string{&f.Name, &f.ExpiryDays, &f.AuthorizationMinutes, &f.Opens, &f.Closes, &f.TimeZone} {
		*text = models.Clean(*text)
	}
	f.Levels = slices.Clone(f.Levels)
	for i := range f.Levels {
		f.Levels[i].Minutes = models.Clean(f.Levels[i].Minutes)
		f.Levels[i].People = slices.Compact(slices.Sorted(slices.Values(f.Levels[i].People)))
	}
	for n := len(f.Levels); n > 0 && f.Levels[n-1].empty(); n-- {
		f.Levels = f.Levels[:n-1]
	}
	if len(f.Days) == 0 {
		f.Opens, f.Closes = "", ""
	}
	if f.TimeZone == "" {
		f.TimeZone = "UTC"
	}
}

// check notes everything that must change, and returns the version that the
// facts describe, its people by id only.
func (f PolicyFacts) check(c *models.Check) PolicyVersion {
	v := PolicyVersion{}
	required(c, "name", f.Name, 200, "Enter a name.")
	if len(f.Levels) == 0 {
		c.Add("people-1", "Choose who is asked first.")
	}
	if len(f.Levels) > MaxLevels {
		c.Add("people-1", "Keep to %d levels.", MaxLevels)
	}
	seen := map[int64]int{}
	for i, l := range f.Levels {
		level := Level{Number: i + 1}
		at := func(field string) string { return fmt.Sprintf("%s-%d", field, i+1) }
		if len(l.People) == 0 {
			c.Add(at("people"), "Choose who is asked at level %d.", i+1)
		}
		for _, id := range l.People {
			if seen[id] != 0 {
				c.Add(at("people"), "Take out who stands on level %d already. People of every level that was reached may decide.", seen[id])
				break
			}
			seen[id] = i + 1
		}
		for _, id := range l.People {
			level.People = append(level.People, LevelPerson{ID: id})
		}
		level.RespondMinutes = whole(c, at("minutes"), l.Minutes, 1, maxRespond, "minutes")
		v.Levels = append(v.Levels, level)
	}
	v.ExpiryDays = whole(c, "expiry_days", f.ExpiryDays, 1, maxExpiry, "days")
	v.AuthorizationMinutes = whole(c, "authorization_minutes", f.AuthorizationMinutes, 5, maxAuthorization, "minutes")
	v.Hours = f.hours(c)
	return v
}

// hours reads the business hours. Without a day every hour counts.
func (f PolicyFacts) hours(c *models.Check) Hours {
	h := Hours{Zone: f.TimeZone}
	if _, err := time.LoadLocation(f.TimeZone); err != nil || f.TimeZone == "Local" || len(f.TimeZone) > 64 {
		c.Add("time_zone", "Choose a time zone from the list, such as Europe/Vienna.")
	}
	for _, d := range f.Days {
		n, err := strconv.Atoi(d)
		if err != nil || n < 0 || n > 6 || slices.Contains(h.Days, time.Weekday(n)) {
			c.Add("days", "Choose days from the list.")
			return h
		}
		h.Days = append(h.Days, time.Weekday(n))
	}
	if len(h.Days) == 0 {
		return h
	}
	var fine bool
	if h.Opens, fine = clock(f.Opens); !fine || h.Opens == 1440 {
		c.Add("opens", "Enter when the day starts, such as 09:00.")
	}
	switch h.Closes, fine = clock(f.Closes); {
	case !fine:
		c.Add("closes", "Enter when the day ends, such as 17:00.")
	case h.Closes <= h.Opens:
		c.Add("closes", "Enter an end that is later than the start. For a whole day enter 00:00 and 24:00.")
	}
	return h
}

// whole reads a whole number within bounds.
func whole(c *models.Check, field, text string, least, most int, unit string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		c.Add(field, "Enter whole %s from %d to %d.", unit, least, most)
		return least
	}
	return n
}

// daysText is days as stored: digits in order, 0 is Sunday.
func daysText(days []time.Weekday) string {
	var b strings.Builder
	for _, d := range slices.Sorted(slices.Values(days)) {
		b.WriteString(strconv.Itoa(int(d)))
	}
	return b.String()
}

func daysFrom(text string) (days []time.Weekday) {
	for _, d := range text {
		days = append(days, time.Weekday(d-'0'))
	}
	return days
}
