// Package handoff renders what was agreed about one control for people and
// programs outside Countersign: as JSON of a documented shape, Markdown, CSV and
// a bundle. Rendering is pure; load.go reads what is rendered. Nothing here
// changes anything, and nothing unresolved is left out.
package handoff

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/models/signoff"
)

// Schema names the shape of the JSON. It changes when a reader of the shape
// before could no longer read it. docs/handoff.md describes it.
const Schema = "countersign.control/1"

// Record is one revision of a control as it is handed over. Content is the
// exact text that its fingerprint is taken from.
type Record struct {
	Schema     string          `json:"schema"`
	ExportedAt string          `json:"exported_at"` // RFC 3339, UTC; tests and signatures are as of then
	Revision   Revision        `json:"revision"`
	Unresolved []Unresolved    `json:"unresolved"`
	Content    json.RawMessage `json:"content"`
	Signatures []Signature     `json:"signatures"`
	Tests      []Test          `json:"tests"`
	NextAction []Approver      `json:"next_action"` // who can approve what comes next

	content  control.Content
	expected map[string]matrix.Frozen // by scenario
}

// Revision says which one it is. Frozen is false for a draft: its fingerprints
// are of what stands in it now.
type Revision struct {
	Number            int    `json:"number"`
	State             string `json:"state"` // draft, in_review, changes_requested, approved, expired, superseded
	Frozen            bool   `json:"frozen"`
	StartedBy         string `json:"started_by"`
	StartedAt         string `json:"started_at"`
	SubmittedBy       string `json:"submitted_by"`
	SubmittedAt       string `json:"submitted_at"`
	DecidedAt         string `json:"decided_at"`
	DesignFingerprint string `json:"design_fingerprint"`
	FullFingerprint   string `json:"full_fingerprint"`
	OpenQuestions     int    `json:"open_questions"` // of the control now; they block it while it is a draft or in review
}

// Unresolved is a field nobody settled, or a scenario without an agreement.
type Unresolved struct {
	Section int    `json:"section"`
	Field   string `json:"field"`
	Label   string `json:"label"`
	Ask     string `json:"ask"`
	Why     string `json:"why"` // "" when nobody wrote anything
}

// Signature is one person's decision; a void one is kept.
type Signature struct {
	Slot            string `json:"slot"`
	By              string `json:"by"`
	For             string `json:"for"`
	Decision        string `json:"decision"` // approve or changes
	Note            string `json:"note"`
	At              string `json:"at"`
	FullFingerprint string `json:"full_fingerprint"`
	VoidedAt        string `json:"voided_at"`
	VoidReason      string `json:"void_reason"`
}

// Approver is who can decide one thing that may come next.
type Approver struct {
	Action string   `json:"action"`
	Who    []string `json:"who"` // empty: nobody is named
	Note   string   `json:"note"`
}

func signature(s signoff.Signature) Signature {
	return Signature{Slot: string(s.Slot), By: s.By.Name, For: s.For.Name, Decision: s.Decision, Note: s.Note, At: stamp(s.At),
		FullFingerprint: s.FullHash, VoidedAt: stampOf(s.VoidedAt), VoidReason: s.VoidReason}
}

// unresolved lists what the content leaves open.
func unresolved(c control.Content, cases []matrix.Frozen) []Unresolved {
	all := []Unresolved{}
	for _, f := range control.Fields() {
		a, ok := c.Answer(f.Key)
		if ok && a.State != control.Unresolved {
			continue
		}
		u := Unresolved{Section: f.Section, Field: f.Key, Label: f.Label, Ask: f.Ask}
		switch {
		case f.OwnerOnly && a.Value != "":
			u.Why = "Written, and not confirmed by the business owner."
		case f.Kind == control.Rule && a.Value != "":
			u.Why = "Written, with findings that nobody settled."
		}
		all = append(all, u)
	}
	for _, f := range cases {
		if f.ExpectationID == 0 {
			all = append(all, Unresolved{Section: testSection, Field: matrix.ThreadField(f.Case), Label: f.Title, Ask: "What must this scenario show?"})
		}
	}
	slices.SortStableFunc(all, func(a, b Unresolved) int { return a.Section - b.Section })
	return all
}

// testSection is the section of the record that shows the test matrix.
const testSection = 7

// JSON is the record as docs/handoff.md describes it, indented.
func (r Record) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	return append(b, '\n'), err
}

// Title is the record's name in one line.
func (r Record) Title() string {
	return fmt.Sprintf("%s, revision %d (%s)", r.content.Control.Name, r.Revision.Number, stateWords[r.Revision.State])
}

// Slug is the control's short name.
func (r Record) Slug() string { return r.content.Control.Slug }

// FileName is what a download is called, without its ending.
func (r Record) FileName() string { return fmt.Sprintf("%s-revision-%d", r.Slug(), r.Revision.Number) }

var stateWords = map[string]string{
	string(control.Draft): "draft, not approved", string(control.InReview): "in review, not approved", string(control.ChangesRequested): "changes requested, not approved",
	string(control.Approved): "approved", string(control.Superseded): "superseded by a later revision", string(control.Expired): "approved, its review date has passed",
}

// StateWords is the state of the revision as a person reads it.
func (r Record) StateWords() string { return stateWords[r.Revision.State] }

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func stampOf(t *time.Time) string {
	if t == nil {
		return ""
	}
	return stamp(*t)
}

// Agreed is the content that the record shows.
func (r Record) Agreed() control.Content { return r.content }
