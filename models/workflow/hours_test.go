package workflow_test

import (
	"testing"
	"time"

	"countersign/models/workflow"
)

var office = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}

func TestDueCountsOnlyTheHoursThatCount(t *testing.T) {
	vienna := workflow.Hours{Days: office, Opens: 9 * 60, Closes: 17 * 60, Zone: "Europe/Vienna"}
	every := []time.Weekday{0, 1, 2, 3, 4, 5, 6}
	night := workflow.Hours{Days: every, Opens: 0, Closes: 24 * 60, Zone: "Europe/Vienna"}
	for _, c := range []struct {
		name    string
		hours   workflow.Hours
		from    string
		minutes int
		due     string
	}{
		{"no hours named: every hour counts", workflow.Hours{}, "2026-05-16T23:30:00Z", 60, "2026-05-17T00:30:00Z"},
		{"inside one day", vienna, "2026-05-12T08:00:00+02:00", 60, "2026-05-12T10:00:00+02:00"},
		{"the clock starts when the day does", vienna, "2026-05-12T05:00:00+02:00", 30, "2026-05-12T09:30:00+02:00"},
		{"exactly to the end of the day", vienna, "2026-05-12T16:00:00+02:00", 60, "2026-05-12T17:00:00+02:00"},
		{"one minute over the end of the day", vienna, "2026-05-12T16:00:00+02:00", 61, "2026-05-13T09:01:00+02:00"},
		{"asked after the end of the day", vienna, "2026-05-12T18:00:00+02:00", 60, "2026-05-13T10:00:00+02:00"},
		{"over a weekend", vienna, "2026-05-15T16:30:00+02:00", 60, "2026-05-18T09:30:00+02:00"},
		{"asked on a Saturday", vienna, "2026-05-16T12:00:00+02:00", 60, "2026-05-18T10:00:00+02:00"},
		{"over several days", vienna, "2026-05-12T09:00:00+02:00", 20 * 60, "2026-05-14T13:00:00+02:00"},
		{"the day is that of the zone, not of UTC", workflow.Hours{Days: office, Opens: 9 * 60, Closes: 17 * 60, Zone: "Pacific/Auckland"}, "2026-05-17T20:00:00Z", 90, "2026-05-17T22:30:00Z"},
		{"over the weekend on which the clocks go forward", vienna, "2026-03-27T16:30:00+01:00", 60, "2026-03-30T09:30:00+02:00"},
		{"over the weekend on which the clocks go back", vienna, "2026-10-23T16:30:00+02:00", 60, "2026-10-26T09:30:00+01:00"},
		{"a day of 23 hours", night, "2026-03-29T00:00:00+01:00", 24 * 60, "2026-03-30T01:00:00+02:00"},
		{"a day of 25 hours", night, "2026-10-25T00:00:00+02:00", 25 * 60, "2026-10-26T00:00:00+01:00"},
		{"the day starts at a time that the clocks skip", workflow.Hours{Days: every, Opens: 150, Closes: 300, Zone: "Europe/Vienna"}, "2026-03-29T00:00:00+01:00", 10, "2026-03-29T03:10:00+02:00"},
		{"the day ends at a time that the clocks skip", workflow.Hours{Days: every, Opens: 60, Closes: 150, Zone: "Europe/Vienna"}, "2026-03-29T00:00:00+01:00", 61, "2026-03-30T01:01:00+02:00"},
		{"a midnight that the clocks skip", workflow.Hours{Days: every, Opens: 0, Closes: 480, Zone: "Africa/Cairo"}, "2026-04-23T12:00:00+02:00", 10, "2026-04-24T01:10:00+03:00"},
		{"a zone that nobody knows counts as UTC", workflow.Hours{Days: office, Opens: 540, Closes: 1020, Zone: "Nowhere/Land"}, "2026-05-12T08:00:00Z", 1, "2026-05-12T09:01:00Z"},
	} {
		from, err := time.Parse(time.RFC3339, c.from)
		if err != nil {
			t.Fatal(err)
		}
		want, err := time.Parse(time.RFC3339, c.due)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.hours.Due(from, c.minutes); !got.Equal(want) {
			t.Errorf("%s: due %s, want %s", c.name, got.In(want.Location()).Format(time.RFC3339), c.due)
		}
	}
}

// Whatever the zone and the moment: more time is never due earlier, asking
// later is never due earlier, and a longer span than was asked for passes only
// outside the hours.
func TestDueNeverRunsBackwards(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, zone := range []string{"Europe/Vienna", "America/New_York", "Africa/Cairo", "Australia/Lord_Howe", "Pacific/Apia"} {
		h := workflow.Hours{Days: office, Opens: 0, Closes: 200, Zone: zone}
		before := time.Time{}
		for hour := 0; hour < 24*365; hour += 5 {
			from := start.Add(time.Duration(hour) * time.Hour)
			one, two := h.Due(from, 90), h.Due(from, 91)
			if one.Before(before) || !two.After(one) || one.Sub(from) < 90*time.Minute {
				t.Fatalf("%s from %s: %s and %s after %s", zone, from, one, two, before)
			}
			before = one
		}
	}
}

func TestHoursInWords(t *testing.T) {
	for want, h := range map[string]workflow.Hours{
		"Every hour of every day":                    {},
		"Mon to Fri, 09:00 to 17:30, Europe/Vienna":  {Days: office, Opens: 540, Closes: 1050, Zone: "Europe/Vienna"},
		"Mon, Wed, Thu, Sat, 00:00 to 24:00, UTC":    {Days: []time.Weekday{6, 4, 3, 1}, Closes: 1440, Zone: "UTC"},
		"Mon to Wed, Sat, Sun, 08:00 to 12:00, Asia": {Days: []time.Weekday{0, 6, 1, 2, 3}, Opens: 480, Closes: 720, Zone: "Asia"},
	} {
		if got := h.Words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, n := range map[string]int{"1 minute": 1, "60 minutes": 60, "90 minutes": 90, "2 hours": 120, "25 hours": 1500, "24 hours": 1440, "2 days": 2880} {
		if got := workflow.MinutesWords(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
