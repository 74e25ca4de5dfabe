package matrix

import (
	"fmt"
	"strings"
	"time"

	"countersign/models/matrix"
	"countersign/views/ui"
)

// NewRow is one control of the grid. state is what the grid was narrowed to.
func NewRow(r matrix.GridRow, state string, zone *time.Location) Row {
	row := Row{Slug: r.Slug, Name: r.Name, Revision: fmt.Sprintf("Revision %d, %s", r.LatestNumber, lower(ui.StateFor(string(r.LatestState)).Word)),
		Summary: Summary(plain(r.Cells), r.Now)}
	var own []matrix.GridCell
	for i, g := range r.Cells {
		if i >= len(matrix.Scenarios) {
			own = append(own, g)
			continue
		}
		c := newCell(row.path(), g, r.Now, zone)
		c.Other = string(g.Shown) != state
		row.Cells = append(row.Cells, c)
	}
	if len(own) > 0 {
		row.Own = plural(len(own), "scenario") + " of its own: " + lower(Summary(plain(own), r.Now).Word)
	}
	return row
}

// Columns are the scenarios that every control is tested in.
func Columns() []Scenario {
	var all []Scenario
	for _, s := range matrix.Scenarios {
		what, _, _ := strings.Cut(s.Words, ":")
		all = append(all, Scenario{s.Title, strings.TrimSuffix(what, ".")})
	}
	return all
}

// Summary says of all scenarios of a control what matters most: an open
// discrepancy, then what is not agreed, then how many passed.
func Summary(cells []matrix.Cell, now time.Time) ui.State {
	n := map[matrix.State]int{}
	open, expired := 0, 0
	for _, g := range cells {
		n[g.Shown(now)]++
		if g.DiscrepancyID != 0 {
			open++
		}
		if g.EvidenceExpired(now) {
			expired++
		}
	}
	applies := len(cells) - n[matrix.NotApplicable]
	words := fmt.Sprintf("%d of %d passed", n[matrix.HasPassed], applies)
	if n[matrix.Waived] > 0 {
		words += fmt.Sprintf(", %d waived", n[matrix.Waived])
	}
	switch missing := n[matrix.NotAgreed] + n[matrix.NoExpectation]; {
	case open == 1:
		return ui.State{Word: "1 discrepancy open", Icon: "triangle-alert", Tone: "bad"}
	case open > 1:
		return ui.State{Word: fmt.Sprintf("%d discrepancies open", open), Icon: "triangle-alert", Tone: "bad"}
	case expired > 0:
		return ui.State{Word: words + fmt.Sprintf(", evidence of %d expired", expired), Icon: "calendar-x", Tone: "bad"}
	case missing > 0:
		return ui.State{Word: fmt.Sprintf("%d not agreed", missing), Icon: "circle-dashed", Tone: "warn", Open: true}
	case applies == 0:
		return ui.State{Word: "No scenario applies", Icon: "circle-slash", Tone: "idle"}
	case n[matrix.HasPassed]+n[matrix.Waived] == applies:
		return ui.State{Word: words, Icon: "circle-check", Tone: "ok"}
	}
	return ui.State{Word: words, Icon: "circle", Tone: "idle", Open: true}
}

func plain(all []matrix.GridCell) []matrix.Cell {
	var out []matrix.Cell
	for _, g := range all {
		out = append(out, g.Cell)
	}
	return out
}

// cells are the cases of a control's page as cells.
func cells(p matrix.Page) []matrix.GridCell {
	var all []matrix.GridCell
	for _, v := range p.Cases {
		g := matrix.GridCell{Cell: v.Cell, CaseID: v.ID, Key: v.Key, Title: v.Title, Shown: v.Shown, Run: v.Run, Retest: v.Retest}
		if v.Agreed != nil {
			for _, e := range v.Agreed.Effects {
				if e.Own {
					g.Change = &e.Change
				}
			}
		}
		all = append(all, g)
	}
	return all
}

// StripOf is every scenario of a control side by side. Each leads to its card,
// on the page itself when here.
func StripOf(p matrix.Page, here bool, zone *time.Location) []Cell {
	path := "/controls/" + p.Slug + "/matrix"
	if here {
		path = ""
	}
	var all []Cell
	for _, g := range cells(p) {
		c := newCell(path, g, p.Now, zone)
		c.Href = path + "#c-" + g.Key
		all = append(all, c)
	}
	return all
}

// SummaryOf is Summary of a control's page.
func SummaryOf(p matrix.Page) ui.State { return Summary(plain(cells(p)), p.Now) }

// NewReviews are the runs that wait for the reader.
func NewReviews(runs []matrix.Run) []RunLine {
	var all []RunLine
	for _, r := range runs {
		all = append(all, newRunLine(r))
	}
	return all
}

// Tabs narrow the grid to one state, with how many scenarios are in it.
func Tabs(n map[matrix.State]int, current string, href func(state string) string) []ui.Tab {
	total, known := 0, false
	var tabs []ui.Tab
	for _, s := range matrix.States {
		total += n[s]
		here := current == string(s)
		known = known || here
		if n[s] > 0 || here {
			tabs = append(tabs, ui.Tab{Text: stateOf(s).Word + " " + most(n[s]), Href: href(string(s)), Current: here})
		}
	}
	return append([]ui.Tab{{Text: "All " + most(total), Href: href(""), Current: !known}}, tabs...)
}

func most(n int) string {
	if n >= matrix.MostCounted {
		return grouped(matrix.MostCounted) + " or more"
	}
	return grouped(int64(n))
}
