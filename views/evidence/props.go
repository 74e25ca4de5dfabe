// Package evidence shows the evidence library, one attachment, a file that waits
// for a decision, and the form that attaches evidence to a place.
package evidence

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"countersign/internal/pii"
	"countersign/models"
	"countersign/models/evidence"
	"countersign/views/ui"
)

// Attach is the form that attaches evidence to a place. Several may be on one
// page: their field ids start with Slot.
type Attach struct {
	To         string // the place's path, such as /runs/41
	Slots      []ui.Option
	Slot       string // the chosen one
	Fixed      string // the slot's words, when there is no choice: "Claim result"
	Open       bool   // of a form with a fixed slot, which is folded otherwise
	WhyNot     string // why this person may not attach; then there is no form
	Proves     string
	Name       string
	Text       string
	URL        string
	KeepUntil  string // 2026-05-31
	KeepBasis  string
	Reason     string
	MayKeep    bool // this person may let personal data stay, with a reason
	Problems   []models.FieldError
	Places     []Place // personal data in Text
	Submission string
	Done       int // items of the same form that were attached before
}

// Place is personal data that was found, with the text around it.
type Place struct {
	What, Where          string // "an e-mail address", "line 3, column 14"
	Before, Found, After string
	Unsure               bool // digits that could as well be an identifier
}

// NewAttach is the empty form for a place. With a slot it is for that item only.
func NewAttach(p evidence.Place, slot string, now time.Time) Attach {
	a := Attach{To: p.Path, KeepBasis: p.KeepBasis, Slot: slot, MayKeep: p.WhyNotKeep == nil}
	if e := models.AsError(p.WhyNot); e != nil {
		a.WhyNot = e.Message
	}
	if p.KeepDays > 0 {
		a.KeepUntil = now.UTC().AddDate(0, 0, p.KeepDays).Format(time.DateOnly)
	}
	for _, s := range p.Slots {
		a.Slots = append(a.Slots, ui.Option{Value: s.Key, Label: s.Words})
		if s.Key == slot {
			a.Fixed = s.Words
		}
	}
	return a
}

// Unfixed is the form with a choice of slots, open.
func (a Attach) Unfixed() Attach {
	a.Fixed = ""
	return a
}

func (a Attach) action() string { return "/evidence?to=" + url.QueryEscape(a.To) }

// id is a field's id: on a page with several forms each has its own.
func (a Attach) id(field string) string {
	if a.Fixed == "" {
		return field
	}
	return a.Slot + "-" + field
}

func (a Attach) field(f ui.Field) ui.Field {
	f.ID = a.id(f.Name)
	return f.With(a.Problems)
}

// Index is the library.
type Index struct {
	Filter  Filter
	Rows    []Row
	Waiting []WaitingRow // files of this person that wait for a decision
	Pager   ui.Pager
	Zone    *time.Location
}

// Filter is what the library is narrowed to.
type Filter struct {
	Q, Workflow, Kind, State string
	Workflows                []ui.Option
}

// Narrow reports whether anything is left out.
func (f Filter) Narrow() bool { return f.Q+f.Workflow+f.Kind+f.State != "" }

// Row is one attachment in a list.
type Row struct {
	Href, Name  string
	Icon, Facts string // "CSV, 18 kB"
	Proves      string
	About, Path string
	By          string
	At          time.Time
	State       ui.State
	Until       string // "Kept until 10 Aug 2026", "Expired 3 May 2026"
	Hash        string
}

// WaitingRow is a file that waits for a decision.
type WaitingRow struct {
	Href, Name, Text string
}

// Show is the page of one attachment.
type Show struct {
	evidence.Attachment
	Row
	Download                   string // "" when there are no bytes
	Gone                       string // why there are none; "" for a link
	WorkflowSlug, WorkflowName string
	Scan                       []ui.CheckItem // what became of the look for personal data
	SaysOther                  string         // the ending that promises something else
	Slot                       string
	Elsewhere                  []Row
	Zone                       *time.Location
}

// Decide is the page of a file that waits for a decision.
type Decide struct {
	Path, Name, About, AboutPath string
	Facts                        string
	Until                        time.Time
	By                           string
	Mine                         bool
	Places                       []Place
	Found                        int
	Chosen                       []int // of the places; nil: every one
	All                          bool
	Reason                       string
	WhyNotKeep                   string // "" when this person may let them stay
	WhyNotAttach                 string // why nothing can be attached there any more
	Problems                     []models.FieldError
	Others                       []WaitingRow
	Submission                   string
	Zone                         *time.Location
}

// NewRow is an attachment as a list shows it.
func NewRow(a evidence.Attachment, now time.Time) Row {
	r := Row{Href: evidence.PathOf(a.ID), Name: a.Name, Icon: icon(a), Facts: facts(a), Proves: a.Proves, About: a.About, Path: a.Path, By: a.AttachedBy, At: a.At, Hash: a.SHA256}
	if a.AttachedFor != "" {
		r.By += " for " + a.AttachedFor
	}
	r.State, r.Until = StateOf(a, now)
	return r
}

// StateOf is how the state of an attachment is shown, and until when it is kept.
func StateOf(a evidence.Attachment, now time.Time) (ui.State, string) {
	until := ui.DateWords(a.KeepUntil)
	switch a.State(now) {
	case evidence.Removed:
		return ui.StateFor("evidence_removed"), "Expired " + until
	case evidence.Expired:
		if a.Held != "" {
			return ui.StateFor("evidence_held"), "Expired " + until
		}
		return ui.StateFor("evidence_expired"), "Expired " + until
	case evidence.Expiring:
		return ui.StateFor("evidence_expiring").Called(expires(evidence.DaysLeft(a.KeepUntil, now))), "Kept until " + until
	}
	return ui.StateFor("evidence_in_force"), "Kept until " + until
}

func expires(days int) string {
	switch days {
	case 0:
		return "Expires today"
	case 1:
		return "Expires in 1 day"
	}
	return fmt.Sprintf("Expires in %d days", days)
}

func icon(a evidence.Attachment) string {
	switch a.Kind {
	case evidence.Link:
		return "link"
	case evidence.Text:
		return "file-text"
	}
	return "paperclip"
}

// facts is what it is and how large: "PNG image, 18 kB".
func facts(a evidence.Attachment) string {
	if a.Kind == evidence.Link {
		return "Link"
	}
	return mediaWords(a.MediaType) + ", " + Size(a.Size)
}

var mediaNames = map[string]string{"text/plain": "Text", "text/csv": "CSV", "text/html": "HTML", "text/xml": "XML", "application/json": "JSON", "application/x-ndjson": "JSON lines", "application/pdf": "PDF",
	"image/png": "PNG image", "image/jpeg": "JPEG image", "image/gif": "GIF image", "image/webp": "WebP image", "image/svg+xml": "SVG image", "image/heic": "HEIC image", "application/zip": "Zip archive",
	"application/gzip": "Gzip archive", "application/octet-stream": "Unknown kind of file", "video/mp4": "MP4 video", "application/x-har+json": "HAR log",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel workbook", "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word document"}

func mediaWords(media string) string {
	plain, _, _ := strings.Cut(media, ";")
	if name, ok := mediaNames[plain]; ok {
		return name
	}
	return plain
}

// Size is a number of bytes as a person reads it.
func Size(n int64) string {
	switch {
	case n < 1000:
		if n == 1 {
			return "1 byte"
		}
		return fmt.Sprintf("%d bytes", n)
	case n < 1e6:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func sizeExactly(n int64) string {
	if n < 1000 {
		return Size(n)
	}
	return fmt.Sprintf("%s (%d bytes)", Size(n), n)
}

// NewPlace is a finding with its text around it.
func NewPlace(e evidence.Excerpt) Place {
	return Place{What: e.Kind.Words(), Where: e.Where(), Before: e.Before, Found: e.Text, After: e.After, Unsure: !e.Sure}
}

// Counted lists kinds of personal data: "an e-mail address (3), a phone number".
func Counted(all []evidence.Count) string {
	var parts []string
	for _, c := range all {
		part := pii.Kind(c.Kind).Words()
		if c.N > 1 {
			part = fmt.Sprintf("%s (%d)", part, c.N)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

func (p Place) title() string {
	_, what, _ := strings.Cut(p.What, " ")
	if what == "" {
		return p.What
	}
	return strings.ToUpper(what[:1]) + what[1:]
}
