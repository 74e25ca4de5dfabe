package workflow

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Hours are the times in which people are expected to respond. The zero value
// counts every hour of every day.
type Hours struct {
	Days   []time.Weekday // none: every hour of every day counts
	Opens  int            // minutes since midnight in Zone
	Closes int            // later than Opens, 1440 at most
	Zone   string
}

// Weekdays in the order they are offered.
var Weekdays = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}

// Due is the moment by which minutes of these hours have passed since from, in
// UTC. Only real time inside the hours counts, so a day on which the clocks
// change there is as long as it is.
func (h Hours) Due(from time.Time, minutes int) time.Time {
	left := time.Duration(minutes) * time.Minute
	if len(h.Days) == 0 || h.Opens >= h.Closes {
		return from.Add(left).UTC()
	}
	zone, err := time.LoadLocation(h.Zone)
	if err != nil {
		zone = time.UTC
	}
	y, m, d := from.In(zone).Date()
	for ; ; d++ {
		if !slices.Contains(h.Days, time.Date(y, m, d, 12, 0, 0, 0, time.UTC).Weekday()) {
			continue
		}
		opens, closes := wallClock(y, m, d, h.Opens, zone), wallClock(y, m, d, h.Closes, zone)
		if opens.Before(from) {
			opens = from
		}
		if open := closes.Sub(opens); open > 0 {
			if left <= open {
				return opens.Add(left).UTC()
			}
			left -= open
		}
	}
}

// wallClock is the moment at which the clocks of zone show minutes since
// midnight of a day. A time that a change of the clocks skips is the moment of
// that change.
func wallClock(y int, m time.Month, d, minutes int, zone *time.Location) time.Time {
	t := time.Date(y, m, d, 0, minutes, 0, 0, zone)
	want := time.Date(y, m, d, 0, minutes, 0, 0, time.UTC)
	shows := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	begins, ends := t.ZoneBounds()
	switch {
	case shows.Before(want):
		return ends
	case shows.After(want):
		return begins
	}
	return t
}

// Words say when the time counts: "Mon to Fri, 09:00 to 17:00, Europe/Vienna".
func (h Hours) Words() string {
	if len(h.Days) == 0 {
		return "Every hour of every day"
	}
	return fmt.Sprintf("%s, %s to %s, %s", daysWords(h.Days), ClockText(h.Opens), ClockText(h.Closes), h.Zone)
}

// daysWords joins days that follow each other: "Mon to Wed, Fri".
func daysWords(days []time.Weekday) string {
	var parts []string
	for i := 0; i < len(Weekdays); i++ {
		first := i
		for i < len(Weekdays) && slices.Contains(days, Weekdays[i]) {
			i++
		}
		short := func(n int) string { return Weekdays[n].String()[:3] }
		switch i - first {
		case 0:
		case 1:
			parts = append(parts, short(first))
		case 2:
			parts = append(parts, short(first), short(first+1))
		default:
			parts = append(parts, short(first)+" to "+short(i-1))
		}
	}
	return strings.Join(parts, ", ")
}

// ClockText is minutes since midnight as 09:30.
func ClockText(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// clock reads 09:30, and 24:00 as the end of a day.
func clock(text string) (minutes int, ok bool) {
	if text == "24:00" {
		return 24 * 60, true
	}
	t, err := time.Parse("15:04", text)
	return t.Hour()*60 + t.Minute(), err == nil
}

// MinutesWords says a span as short as it goes: "60 minutes", "4 hours", "2 days".
func MinutesWords(n int) string {
	switch {
	case n == 1:
		return "1 minute"
	case n >= 2*1440 && n%1440 == 0:
		return fmt.Sprintf("%d days", n/1440)
	case n >= 120 && n%60 == 0:
		return fmt.Sprintf("%d hours", n/60)
	}
	return fmt.Sprintf("%d minutes", n)
}

// Passed is how many whole minutes of these hours lie between two moments; 0
// when to is not later.
func (h Hours) Passed(from, to time.Time) int {
	least, most := 0, max(int(to.Sub(from)/time.Minute), 0)
	for least < most {
		middle := (least + most + 1) / 2
		if h.Due(from, middle).After(to) {
			most = middle - 1
		} else {
			least = middle
		}
	}
	return least
}
