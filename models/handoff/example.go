package handoff

import (
	"strings"
	"time"

	"countersign/internal/pii"
	"countersign/models/evidence"

	"gorm.io/gorm"
)

// Example is one failed test with what answered it, made fit to show: what looks
// like personal data is marked, and people are named by what they did.
type Example struct {
	Scenario string         `json:"scenario"`
	Expected string         `json:"expected"`
	Chain    Chain          `json:"chain"`
	Evidence []EvidenceLine `json:"evidence"`
}

// EvidenceLine is an attachment without its bytes.
type EvidenceLine struct {
	Run        string `json:"run"`
	Slot       string `json:"slot"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	MediaType  string `json:"media_type"`
	Size       int64  `json:"size"`
	SHA256     string `json:"sha256"` // "" for a link
	Proves     string `json:"proves"`
	AttachedAt string `json:"attached_at"`
	KeepUntil  string `json:"keep_until"` // in force through the end of this day, UTC
	RemovedAt  string `json:"removed_at"` // the bytes are gone; "" while they are there
}

// example takes a failure that a retest answered, or else one that is open; nil
// when no test failed.
func (r Record) example() *Example {
	var open *Example
	for _, t := range r.Tests {
		for _, c := range t.Chains {
			e := &Example{Scenario: t.Title, Expected: t.Expected, Chain: c}
			if c.ClosedAt != "" {
				return e
			}
			if open == nil {
				open = e
			}
		}
	}
	return open
}

// loadEvidence lists what is attached to the runs of the example.
func (e *Example) loadEvidence(q *gorm.DB) error {
	e.Evidence = []EvidenceLine{}
	for _, run := range e.Chain.Runs {
		var ids []int64
		if err := q.Raw("select evidence_id from run_evidence where run_id = ?::bigint order by evidence_id", run.ID).Scan(&ids).Error; err != nil {
			return err
		}
		list, err := evidence.Of(q, ids...)
		if err != nil {
			return err
		}
		for _, a := range list {
			e.Evidence = append(e.Evidence, EvidenceLine{Run: run.ID, Slot: a.Slot, Kind: string(a.Kind), Name: a.Name, MediaType: a.MediaType, Size: a.Size, SHA256: a.SHA256,
				Proves: a.Proves, AttachedAt: stamp(a.At), KeepUntil: a.KeepUntil.Format(time.DateOnly), RemovedAt: stampOf(a.RemovedAt)})
		}
	}
	return nil
}

// sanitize marks what looks like personal data and names people by role.
func (e *Example) sanitize(r Record) {
	roles := r.roles()
	for i := range e.Chain.Runs {
		run := &e.Chain.Runs[i]
		for _, who := range []*string{&run.StartedBy, &run.RecordedBy, &run.ReviewedBy} {
			*who = roleOf(roles, *who)
		}
		for _, text := range []*string{&run.StartingState, &run.Correction, &run.Observed, &run.InspectedWhat, &run.ReviewNote, &run.LogReference} {
			*text = clean(roles, *text)
		}
	}
	for i := range e.Evidence {
		e.Evidence[i].Name, e.Evidence[i].Proves = clean(roles, e.Evidence[i].Name), clean(roles, e.Evidence[i].Proves)
	}
	e.Expected = clean(roles, e.Expected)
}

// roles are the people that the record names, by their name.
func (r Record) roles() map[string]string {
	p := r.content.People
	return map[string]string{p.BusinessOwner.Name: "the business owner", p.Implementer.Name: "the implementer", p.Reviewer.Name: "the reviewer"}
}

func roleOf(roles map[string]string, name string) string {
	if name == "" {
		return ""
	}
	if role := roles[name]; role != "" {
		return role
	}
	return "another person"
}

// clean takes names and what looks like personal data out of a text.
func clean(roles map[string]string, text string) string {
	for name, role := range roles {
		if strings.Contains(name, " ") { // a single word could be any word
			text = strings.ReplaceAll(text, name, role)
		}
	}
	var b strings.Builder
	at := 0
	for _, hit := range pii.Scan(text) {
		b.WriteString(text[at:hit.Start])
		b.WriteString(evidence.Mark(hit.Kind))
		at = hit.End
	}
	b.WriteString(text[at:])
	return b.String()
}
