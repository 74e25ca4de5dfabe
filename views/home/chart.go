package home

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"countersign/models/home"
)

// Chart is a few weeks as bars, with a number that sums them up.
type Chart struct {
	ID             string
	Title          string
	Number, Note   string // "37", "in 14 days, 9 more than before"
	Bars           []Bar
	BarName        string // what a bar counts
	MarkName       string // what the circles above it count; "" for none
	MarkTone       string // warn, ok
	Format         func(int) string
	First, Last    string // under the ends of the axis
	Column         string // "Day", "Week from"
	Words          string // the whole chart in a sentence
	scale          int    // what the full height stands for
	empty          bool
	step, barWidth float64
}

// Bar is one day or week.
type Bar struct {
	Label        string
	Value, Marks int
}

const (
	chartWidth, chartBase = 278.0, 124.0
	marksShown            = 3
)

// rect is a bar as it is drawn.
type rect struct{ x, y, width, height string }

// draw lays the chart out.
func (c Chart) draw() Chart {
	most, any := 1, false
	for _, b := range c.Bars {
		most = max(most, b.Value)
		any = any || b.Value > 0
	}
	c.scale, c.empty = most, !any
	c.step = chartWidth / float64(max(len(c.Bars), 1))
	c.barWidth = math.Min(c.step-4, 28)
	return c
}

// height is how high a value stands; marks need room above it.
func (c Chart) height(value int) float64 {
	room := chartBase - 14
	if c.MarkName != "" {
		room -= 10 * marksShown
	}
	return room * float64(value) / float64(c.scale)
}

func number(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) }

func (c Chart) rect(i int) rect {
	h := math.Max(c.height(c.Bars[i].Value), 1.5)
	return rect{number(float64(i)*c.step + 2), number(chartBase - h), number(c.barWidth), number(h)}
}

// marks are the centres of the circles above a bar.
func (c Chart) marks(i int) (at [][2]string) {
	if c.MarkName == "" {
		return nil
	}
	for n := range min(c.Bars[i].Marks, marksShown) {
		at = append(at, [2]string{number(float64(i)*c.step + 2 + c.barWidth/2), number(chartBase - c.height(c.Bars[i].Value) - 8 - float64(n)*10)})
	}
	return at
}

// line is a line of the grid.
type line struct{ path, y, text string }

// grid are three or four lines at round values.
func (c Chart) grid() (lines []line) {
	step := 1
	for i := 0; c.scale/step > 3; i++ { // 1, 2, 5, 10, 20, 50 ...
		step = step * []int{2, 5, 2}[i%3] / []int{1, 2, 1}[i%3]
	}
	for v := step; v <= c.scale && !c.empty; v += step {
		y := chartBase - c.height(v)
		lines = append(lines, line{"M0 " + number(y) + "H278", number(y + 3), c.format(v)})
	}
	return lines
}

func (c Chart) format(v int) string {
	if c.Format != nil {
		return c.Format(v)
	}
	return strconv.Itoa(v)
}

// shortDays is how many days the chart of repeats shows.
const shortDays = 14

// Charts are made of the last days; none when nothing happened on any of them.
func Charts(days []home.Day) []Chart {
	if len(days) < 2*shortDays {
		return nil
	}
	any := false
	for _, d := range days {
		any = any || d.Repeats+d.Unknown+d.Decided+d.Failures+d.Retested > 0
	}
	if !any {
		return nil
	}
	return []Chart{repeats(days), decisions(days), failures(days)}
}

func repeats(days []home.Day) Chart {
	c := Chart{ID: "repeats", Title: "Repeats recognised, with no second effect", BarName: "Repeats recognised", MarkName: "Unknown outcomes", MarkTone: "warn", Column: "Day"}
	now, before, unknown := 0, 0, 0
	for i, d := range days[len(days)-2*shortDays:] {
		if i < shortDays {
			before += d.Repeats
			continue
		}
		now, unknown = now+d.Repeats, unknown+d.Unknown
		c.Bars = append(c.Bars, Bar{d.Date.Format("2 Jan"), d.Repeats, d.Unknown})
	}
	c.MarkName = fmt.Sprintf("Unknown outcomes, %d", unknown)
	c.Number, c.Note = strconv.Itoa(now), "in 14 days, "+than(now-before)
	c.First, c.Last = c.Bars[0].Label, "Today"
	c.Words = fmt.Sprintf("%d repeats were recognised from %s until today, and %d in the 14 days before. %d outcomes were unknown.", now, c.First, before, unknown)
	return c.draw()
}

func than(more int) string {
	switch {
	case more > 0:
		return fmt.Sprintf("%d more than before", more)
	case more < 0:
		return fmt.Sprintf("%d fewer than before", -more)
	}
	return "as many as before"
}

// weeks adds the days up by seven, the last week ending today.
func weeks(days []home.Day) (all []home.Day) {
	for i := len(days) % 7; i < len(days); i += 7 {
		w := home.Day{Date: days[i].Date}
		for _, d := range days[i : i+7] {
			w.Decided, w.Minutes, w.Failures, w.Retested = w.Decided+d.Decided, w.Minutes+d.Minutes, w.Failures+d.Failures, w.Retested+d.Retested
		}
		all = append(all, w)
	}
	return all
}

func decisions(days []home.Day) Chart {
	c := Chart{ID: "decisions", Title: "From a replay request to its decision", BarName: "Average of the week", Format: minutes, Column: "Week from"}
	decided, took := 0, 0
	for _, w := range weeks(days) {
		c.Bars = append(c.Bars, Bar{Label: w.Date.Format("2 Jan"), Value: w.Minutes / max(w.Decided, 1)})
		decided, took = decided+w.Decided, took+w.Minutes
	}
	c.Number, c.Note = "None", "decided in 8 weeks"
	c.Words = "No replay request was decided in 8 weeks."
	if decided > 0 {
		c.Number, c.Note = minutes(took/decided), fmt.Sprintf("on average, %d decided in 8 weeks", decided)
		c.Words = fmt.Sprintf("%d replay requests were decided in 8 weeks, after %s on average.", decided, c.Number)
	}
	c.First, c.Last = "Week from "+c.Bars[0].Label, "This week"
	return c.draw()
}

// minutes are minutes as people say them: 45 min, 3 h, 2 days.
func minutes(n int) string {
	d := time.Duration(n) * time.Minute
	switch {
	case n < 90:
		return fmt.Sprintf("%d min", n)
	case d < 36*time.Hour:
		return number(d.Hours()) + " h"
	}
	return number(d.Hours()/24) + " days"
}

func failures(days []home.Day) Chart {
	c := Chart{ID: "failures", Title: "Failures that tests found", BarName: "Failures found", MarkTone: "ok", Column: "Week from"}
	found, closed := 0, 0
	for _, w := range weeks(days) {
		c.Bars = append(c.Bars, Bar{w.Date.Format("2 Jan"), w.Failures, w.Retested})
		found, closed = found+w.Failures, closed+w.Retested
	}
	c.MarkName = fmt.Sprintf("Closed by a retest, %d", closed)
	c.Number, c.Note = strconv.Itoa(found), fmt.Sprintf("in 8 weeks, %d closed by a retest", closed)
	c.Words = fmt.Sprintf("Tests found %d failures in 8 weeks; retests closed %d.", found, closed)
	c.First, c.Last = "Week from "+c.Bars[0].Label, "This week"
	return c.draw()
}
