package handoff

import (
	"fmt"
	"strings"

	"countersign/models/signoff"
)

// Readme says what is in the bundle, what is uncertain, and who can approve the
// next action.
func (b Bundle) Readme() string {
	s := b.Sheet()
	var t strings.Builder
	fmt.Fprintf(&t, "# %s: control record, revision %d\n\n**%s.** As of %s (UTC).\n\n", inline(s.Name), s.Revision.Number, firstUpper(s.StateWords()), s.ExportedAt)
	t.WriteString("A retry should finish an unfinished task, never silently repeat one that already worked. This is what was agreed about one effect so that it does.\n")

	t.WriteString("\n## What is uncertain\n\n")
	uncertain := b.uncertain(s)
	for _, line := range uncertain {
		fmt.Fprintf(&t, "- %s\n", line)
	}
	if len(uncertain) == 0 {
		t.WriteString("Nothing in the record is open. What a destination really did is known only after a lookup there.\n")
	}

	t.WriteString("\n## Who can approve the next action\n\n")
	for _, a := range s.NextAction {
		who := strings.Join(a.Who, "; ")
		if who == "" {
			who = "nobody is named"
		}
		fmt.Fprintf(&t, "- %s\n", strings.TrimSpace(inline(a.Action)+": **"+inline(who)+"**. "+inline(a.Note)))
	}

	fmt.Fprintf(&t, "\n## What is allowed now\n\nWhere real customers can be reached: **%s**.\n\n", gateWords(b.Gate))
	for _, r := range b.Gate.Reasons {
		fmt.Fprintf(&t, "- %s\n", inline(r.Words))
	}
	t.WriteString(`
## What is in this bundle

| File | Holds |
|---|---|
| record.md, record.json, record.csv | the record as a document, for programs and as a table |
| content.json | the exact text that was signed; its SHA-256 is the full fingerprint |
| signatures.json | fingerprints and every signature, void ones too |
| documentation.md | where the providers document what the record relies on |
`)
	if b.Example != nil {
		t.WriteString("| failed-test/ | one failed test, what was corrected, the retest, and the evidence by name, size and hash |\n")
	}
	t.WriteString("| SHA256SUMS | the hash of every other file: sha256sum -c SHA256SUMS |\n")
	if b.Example == nil {
		t.WriteString("\nNo test of this control failed in Countersign, so there is no failed test to show.\n")
	}
	return t.String()
}

// uncertain lists everything that nobody settled, proved or checked.
func (b Bundle) uncertain(s Sheet) []string {
	var all []string
	if !s.Revision.Frozen {
		all = append(all, "**Draft**: nothing here is frozen or signed.")
	}
	for _, u := range s.Unresolved {
		all = append(all, fmt.Sprintf("**Unresolved** %d. %s: %s", u.Section, inline(u.Label), inline(u.Ask+" "+u.Why)))
	}
	for _, t := range s.Tests {
		if t.Unproven() {
			all = append(all, fmt.Sprintf("**Not proven** %s: %s", inline(t.Title), inline(t.StateWords())))
		}
		if t.WaivedUntil != "" {
			all = append(all, fmt.Sprintf("**Waived, not tested** %s: until %s", inline(t.Title), t.WaivedUntil))
		}
	}
	if n := s.Revision.OpenQuestions; n > 0 {
		all = append(all, fmt.Sprintf("**Open questions**: %d", n))
	}
	for _, d := range s.Sources {
		if d.CheckedBy == "" {
			all = append(all, fmt.Sprintf("**Not checked** %s: nobody has compared it with its documentation.", inline(d.Title)))
		}
	}
	for _, k := range s.Kept {
		all = append(all, fmt.Sprintf("**Kept with a reason** %s: %s", inline(k.Words), inline(k.Reason)))
	}
	return all
}

func gateWords(g signoff.Gate) string {
	switch g.State {
	case signoff.GateBlocked:
		return "blocked"
	case signoff.GateManual:
		return "manual replay only"
	case signoff.GateAutomatic:
		return fmt.Sprintf("automatic up to %d", g.N)
	}
	return "observing, refuses nothing"
}

func firstUpper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
