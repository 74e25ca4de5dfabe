package home

import (
	"strings"
	"testing"
	"time"

	"countersign/models/home"
)

func days(change func(i int, d *home.Day)) []home.Day {
	all := make([]home.Day, home.TrendDays)
	for i := range all {
		all[i].Date = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i)
		change(i, &all[i])
	}
	return all
}

func TestNoChartsWhenNothingHappened(t *testing.T) {
	if got := Charts(days(func(int, *home.Day) {})); got != nil {
		t.Errorf("%d charts of nothing", len(got))
	}
}

func TestChartsSayWhatTheyShow(t *testing.T) {
	all := Charts(days(func(i int, d *home.Day) {
		switch {
		case i >= home.TrendDays-14:
			d.Repeats = 2
		case i >= home.TrendDays-28:
			d.Repeats = 1
		}
		if i == home.TrendDays-1 {
			d.Unknown, d.Decided, d.Minutes, d.Failures, d.Retested = 5, 2, 90, 3, 1
		}
	}))
	if len(all) != 3 {
		t.Fatal(len(all))
	}
	for i, want := range []struct{ number, note, words string }{
		{"28", "in 14 days, 14 more than before", "28 repeats were recognised from 13 May until today, and 14 in the 14 days before. 5 outcomes were unknown."},
		{"45 min", "on average, 2 decided in 8 weeks", "2 replay requests were decided in 8 weeks, after 45 min on average."},
		{"3", "in 8 weeks, 1 closed by a retest", "Tests found 3 failures in 8 weeks; retests closed 1."},
	} {
		if c := all[i]; c.Number != want.number || c.Note != want.note || c.Words != want.words {
			t.Errorf("%q %q %q", c.Number, c.Note, c.Words)
		}
	}
	if n := len(all[0].Bars); n != 14 {
		t.Errorf("%d days", n)
	}
	if n := len(all[1].Bars); n != 8 {
		t.Errorf("%d weeks", n)
	}
	if marks := all[0].marks(13); len(marks) != marksShown {
		t.Errorf("%d marks are drawn", len(marks))
	}
}

// A million on one day stays inside the picture, with a few lines behind it.
func TestChartsStayInThePicture(t *testing.T) {
	for _, most := range []int{1, 2, 7, 99, 1234, 5_000_000} {
		for _, c := range Charts(days(func(i int, d *home.Day) { d.Repeats, d.Unknown, d.Failures = most*(i%2), 9, most })) {
			for i := range c.Bars {
				r := c.rect(i)
				if strings.HasPrefix(r.y, "-") || strings.HasPrefix(r.height, "-") {
					t.Errorf("%d: %s: %+v", most, c.ID, r)
				}
				for _, m := range c.marks(i) {
					if strings.HasPrefix(m[1], "-") {
						t.Errorf("%d: %s: a mark above the picture: %v", most, c.ID, m)
					}
				}
			}
			if n := len(c.grid()); n > 4 {
				t.Errorf("%d: %s: %d lines", most, c.ID, n)
			}
		}
	}
}

func TestMinutesInWords(t *testing.T) {
	for n, want := range map[int]string{0: "0 min", 89: "89 min", 90: "1.5 h", 2159: "36 h", 2160: "1.5 days", 14400: "10 days"} {
		if got := minutes(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
