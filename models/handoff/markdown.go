package handoff

import (
	"fmt"
	"strings"

	"countersign/models/control"
)

// Markdown is the record as a document (CommonMark with tables). What people
// wrote is escaped, so that it reads as it was typed and makes no headings,
// links or HTML.
func (r Record) Markdown() string {
	s := r.Sheet()
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", inline(s.Name))
	fmt.Fprintf(&b, "Control record %s, revision %d: **%s**. Workflow: %s. Effect: %s.\n\n", code(s.Slug), s.Revision.Number, s.StateWords(), inline(s.Workflow), code(s.Effect))
	for _, a := range s.Accounts {
		fmt.Fprintf(&b, "- %s: %s, account %s%s\n", inline(a.EnvironmentName), inline(a.System), code(a.Account), reach(a))
	}
	markOpen(&b, s)
	for _, section := range s.Sections {
		fmt.Fprintf(&b, "\n## %d. %s\n", section.Number, section.Title)
		if section.Number == testSection {
			markTests(&b, s.Tests)
		}
		for _, e := range section.Entries {
			markEntry(&b, e)
		}
	}
	markSources(&b, s)
	markSignatures(&b, s)
	fmt.Fprintf(&b, "\n---\n\nAs of %s (UTC).\n", s.ExportedAt)
	return b.String()
}

func reach(a control.ContentAccount) string {
	if a.ReachesCustomers {
		return ", **can reach real customers**"
	}
	return ", cannot reach real customers"
}

// markOpen says first what is unresolved.
func markOpen(b *strings.Builder, s Sheet) {
	b.WriteString("\n## Unresolved\n\n")
	for _, u := range s.Unresolved {
		fmt.Fprintf(b, "- **UNRESOLVED** %d. %s: %s\n", u.Section, inline(u.Label), inline(u.Ask+" "+u.Why))
	}
	for _, t := range s.Tests {
		if t.Unproven() {
			fmt.Fprintf(b, "- **NOT PROVEN** %s: %s\n", inline(t.Title), inline(t.StateWords()))
		}
	}
	if n := s.Revision.OpenQuestions; n > 0 {
		fmt.Fprintf(b, "- **OPEN QUESTIONS** %d\n", n)
	}
	if len(s.Unresolved) == 0 && s.Revision.OpenQuestions == 0 {
		b.WriteString("No field is unresolved.\n")
	}
}

func markEntry(b *strings.Builder, e Entry) {
	fmt.Fprintf(b, "\n### %s\n\n", inline(e.Label))
	switch e.State {
	case control.Unresolved:
		fmt.Fprintf(b, "**UNRESOLVED.** %s\n", inline(e.Ask+" "+e.Why))
		if e.Value != "" {
			fmt.Fprintf(b, "\n%s\n", quote(e.Value))
		}
	case control.NotApplicable:
		fmt.Fprintf(b, "**Not applicable.**\n\n%s\n", quote(e.Reason))
	default:
		fmt.Fprintf(b, "%s\n", quote(e.Value))
		if e.Reason != "" {
			fmt.Fprintf(b, "\nWhy: %s\n", inline(e.Reason))
		}
	}
	if e.By != "" {
		fmt.Fprintf(b, "\n*%s*\n", inline(e.By))
	}
}

func markTests(b *strings.Builder, tests []Test) {
	b.WriteString("\n| Scenario | Where it stands | Expected | Agreed change |\n|---|---|---|---|\n")
	for _, t := range tests {
		expected := cell(t.Expected)
		switch {
		case t.Unresolved():
			expected = "**UNRESOLVED**: nothing is agreed"
		case !t.Applies:
			expected = "Not applicable: " + cell(t.Reason)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(t.Title), cell(t.StateWords()), expected, cell(t.ChangeWords()))
	}
	for _, t := range tests {
		for _, c := range t.Chains {
			state := "open"
			if c.ClosedAt != "" {
				state = "closed by a retest on " + c.ClosedAt[:10]
			}
			fmt.Fprintf(b, "\n### %s: a failure, %s\n\n", inline(t.Title), state)
			for _, r := range c.Runs {
				markRun(b, r)
			}
			if c.LeftOut > 0 {
				fmt.Fprintf(b, "- %d more runs between the first and the others are in Countersign.\n", c.LeftOut)
			}
		}
	}
}

func markRun(b *strings.Builder, r Run) {
	if r.Correction != "" {
		fmt.Fprintf(b, "- Correction: %s\n", inline(r.Correction))
	}
	fmt.Fprintf(b, "- Run %s, %s, %s: **%s**. %s\n", r.ID, inline(r.Environment), r.StartedAt, inline(r.Words()), inline(r.Observed+" "+r.CountWords()))
}

func markSources(b *strings.Builder, s Sheet) {
	b.WriteString("\n## What the providers document\n")
	if len(s.Sources) == 0 {
		b.WriteString("\n**UNRESOLVED.** The record names no sender and no operation.\n")
	}
	for _, d := range s.Sources {
		fmt.Fprintf(b, "\n### %s\n\n", inline(d.Title))
		for _, f := range d.Facts {
			fmt.Fprintf(b, "- %s: %s\n", f.Label, inline(f.Text))
		}
		url := inline(d.Address())
		if d.URL != "" {
			url = code(d.URL)
		}
		fmt.Fprintf(b, "- Documentation: %s, %s\n", url, inline(d.Checked()))
	}
}

// Address is where the documentation is, in words when nobody noted it.
func (d Source) Address() string {
	if d.URL == "" {
		return "no address"
	}
	return d.URL
}

// Checked says who compared the facts with their source.
func (d Source) Checked() string {
	if d.CheckedBy == "" {
		return "not checked by anybody yet"
	}
	return "checked by " + d.CheckedBy + " on " + d.CheckedOn
}

func markSignatures(b *strings.Builder, s Sheet) {
	b.WriteString("\n## Signatures\n\n")
	if len(s.Signatures) == 0 {
		b.WriteString("**None.** Nobody has signed this revision.\n")
	}
	for _, g := range s.Signatures {
		void := ""
		if g.VoidedAt != "" {
			void = " **Void since " + g.VoidedAt + "**: " + inline(g.VoidReason)
		}
		fmt.Fprintf(b, "- %s: %s, %s, on %s.%s", g.SlotWords(), inline(g.Words()), g.At, code(g.FullFingerprint), void)
		if g.Note != "" {
			fmt.Fprintf(b, " %s", inline(g.Note))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n## Who can approve what comes next\n\n")
	for _, a := range s.NextAction {
		who := strings.Join(a.Who, "; ")
		if who == "" {
			who = "nobody is named"
		}
		fmt.Fprintf(b, "- %s\n", strings.TrimSpace(inline(a.Action)+": **"+inline(who)+"**. "+inline(a.Note)))
	}
	frozen := ""
	if !s.Revision.Frozen {
		frozen = " Of the draft as it stands; nothing is frozen or signed."
	}
	fmt.Fprintf(b, "\n## Fingerprints\n\nSHA-256 of the canonical JSON (RFC 8785).%s\n\n- Full: %s\n- Design: %s\n", frozen, code(s.Revision.FullFingerprint), code(s.Revision.DesignFingerprint))
}
