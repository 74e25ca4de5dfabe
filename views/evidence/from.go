package evidence

import (
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/views/ui"
)

// Waits says how many places are to be decided about, and for how long.
func Waits(found int, until time.Time) string {
	left := int(time.Until(until).Minutes())
	if left < 1 {
		return places(found) + " to decide about, within a minute"
	}
	return fmt.Sprintf("%s to decide about, within %d min", places(found), left)
}

// NewShow is the page of an attachment.
func NewShow(d evidence.Detail, zone *time.Location) Show {
	p := Show{Attachment: d.Attachment, Row: NewRow(d.Attachment, d.Now), WorkflowSlug: d.WorkflowSlug, WorkflowName: d.WorkflowName, SaysOther: d.SaysOther(), Zone: zone}
	if d.Readable(d.Now) {
		p.Download = evidence.PathOf(d.ID) + "/file"
	}
	if !d.Counts(d.Now) {
		p.Gone = WhyGone(d.Attachment, d.Now)
	}
	p.Scan = scan(d.Attachment)
	for _, a := range d.Elsewhere {
		p.Elsewhere = append(p.Elsewhere, NewRow(a, d.Now))
	}
	return p
}

// WhyGone says what became of an attachment that expired.
func WhyGone(a evidence.Attachment, now time.Time) string {
	switch {
	case a.Kind == evidence.Link:
		return "It counts no longer."
	case a.RemovedAt != nil:
		return "The bytes were removed. Their hash, size, names and dates stay."
	case a.Held != "":
		return "It counts no longer. Its bytes stay while something rests on it: " + a.Held
	}
	return "It counts no longer, and its bytes are removed within the hour. Their hash, size, names and dates stay."
}

// scan says what became of the look for personal data.
func scan(a evidence.Attachment) []ui.CheckItem {
	if a.Kind == evidence.Link {
		return nil
	}
	var items []ui.CheckItem
	if len(a.Redactions) > 0 {
		items = append(items, ui.CheckItem{Tone: "ok", Strong: "Taken out before it was kept:", Text: Counted(a.Redactions) + ". The hash is that of the bytes without them. A mark stands in each place."})
	}
	if len(a.Findings) > 0 {
		items = append(items, ui.CheckItem{Tone: "warn", Icon: "triangle-alert", Strong: "Personal data stays:", Text: Counted(a.Findings) + ". " + a.KeptBy + ": " + a.KeptReason})
	}
	switch {
	case !a.Scanned:
		items = append(items, ui.CheckItem{Tone: "warn", Text: "Not looked through for personal data: only text can be. Look at it before it is shared."})
	case len(items) == 0:
		items = append(items, ui.CheckItem{Tone: "ok", Text: "Looked through for personal data before it was kept. Nothing was found; names in running text cannot be."})
	}
	return items
}

// NewDecide is the page of a file that waits for a decision.
func NewDecide(u evidence.Upload, p evidence.Place, excerpts []evidence.Excerpt) Decide {
	d := Decide{Path: evidence.PathOfUpload(u.ID), Name: u.SafeName(), About: p.About, AboutPath: p.Path, Facts: mediaWords(u.MediaType) + ", " + Size(u.Size), Until: u.ExpiresAt, By: u.Person, Found: u.Found}
	for _, e := range excerpts {
		d.Places = append(d.Places, NewPlace(e))
	}
	if e := models.AsError(p.WhyNotKeep); e != nil {
		d.WhyNotKeep = e.Message
	}
	if e := models.AsError(p.WhyNot); e != nil {
		d.WhyNotAttach = e.Message
	}
	return d
}

// more is how many places are not listed.
func (d Decide) more() int { return d.Found - len(d.Places) }

func (d Decide) chosen(i int) bool {
	if d.Chosen == nil {
		return true
	}
	for _, c := range d.Chosen {
		if c == i {
			return true
		}
	}
	return false
}

func (d Decide) reason() ui.Field {
	return ui.Field{Name: "reason", Label: "Why it must stay", Value: d.Reason, Rows: 2, Max: 2000, Help: "Shown with the evidence for as long as it is kept."}.With(d.Problems)
}
