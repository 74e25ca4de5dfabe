package evidence_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/evidence"
)

// world is a database with two people and a place that lets both attach and the
// reviewer keep personal data.
type world struct {
	*testing.T
	db               *models.DB
	author, reviewer models.Actor
	linked           []evidence.Linked
	refuse           error // what the place's owner says in the transaction
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, db: testdb.New(t)}
	w.author, w.reviewer = w.person("Implementer"), w.person("Reviewer")
	return w
}

func (w *world) person(name string) models.Actor {
	w.Helper()
	return models.Actor{ID: w.number("insert into people (email, name) values (?, ?) returning id", strings.ToLower(name)+"@example.test", name), Name: name}
}

func (w *world) number(sql string, args ...any) (n int64) {
	w.Helper()
	if err := w.db.Query(w.Context()).Raw(sql, args...).Row().Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

func (w *world) exec(sql string, args ...any) error {
	return w.db.Query(w.Context()).Exec(sql, args...).Error
}

func (w *world) place(by models.Actor) evidence.Place {
	p := evidence.Place{Path: "/runs/41", About: "Run 41 of create-crm-task", KeepDays: 90, KeepBasis: "Resend horizon",
		Slots: []evidence.Slot{{Key: "event-id", Words: "Event ID"}, {Key: "other", Words: "Something else"}},
		Link: func(_ *models.Tx, l evidence.Linked) error {
			w.linked = append(w.linked, l)
			return w.refuse
		}}
	if by.ID != w.reviewer.ID {
		p.WhyNotKeep = models.Forbiddenf("Only the reviewer lets personal data stay.")
	}
	return p
}

func (w *world) text(by models.Actor, text string) evidence.AttachTextCmd {
	return evidence.AttachTextCmd{Details: evidence.Details{Slot: "event-id", Proves: "The event arrived."}, Place: w.place(by), Text: text}
}

// nothing checks that a refused command left nothing behind.
func (w *world) nothing() {
	w.Helper()
	if n := w.number("select (select count(*) from evidence) + (select count(*) from blobs) + (select count(*) from blob_chunks) + (select count(*) from uploads)"); n != 0 {
		w.Errorf("%d rows stayed", n)
	}
}

func TestAttachTextAndLink(t *testing.T) {
	w := newWorld(t)
	text, err := evidence.AttachText(t.Context(), w.db, w.author, w.text(w.author, "event-demo-01\r\naccepted\n"))
	if err != nil {
		t.Fatal(err)
	}
	link, err := evidence.AttachLink(t.Context(), w.db, w.author, evidence.AttachLinkCmd{Details: evidence.Details{Slot: "other", Proves: "The log."}, Place: w.place(w.author), URL: "https://log.example.test/1"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := evidence.ByPath(w.db.Query(t.Context()), "/runs/41")
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	now, _ := w.db.Now(t.Context())
	a, b := all[0], all[1]
	if a.ID != text.ID || a.Kind != evidence.Text || a.Size != 22 || len(a.SHA256) != 64 || a.Slot != "event-id" || a.AttachedBy != "Implementer" || !a.Scanned || a.KeepBasis != "Resend horizon" ||
		evidence.DaysLeft(a.KeepUntil, now) != 90 || a.State(now) != evidence.InForce || !a.Readable(now) {
		t.Errorf("%+v", a)
	}
	if b.ID != link.ID || b.Name != "log.example.test" || b.URL != "https://log.example.test/1" || b.SHA256 != "" || b.Readable(now) || !b.Counts(now) {
		t.Errorf("%+v", b)
	}
	if len(w.linked) != 2 || w.linked[0].ID != text.ID || w.linked[1].Slot != "other" {
		t.Errorf("linked %+v", w.linked)
	}
	if n := w.number("select count(*) from audit_events where action = 'evidence.attached' and after ->> 'attached_to' = 'Run 41 of create-crm-task'"); n != 2 {
		t.Errorf("%d events", n)
	}
}

func TestTextWithPersonalData(t *testing.T) {
	w := newWorld(t)
	const text = "event-demo-01\nsent to person@example.test"
	_, err := evidence.AttachText(t.Context(), w.db, w.author, w.text(w.author, text))
	var flagged *evidence.Flagged
	if !errors.As(err, &flagged) || !models.IsKind(err, models.KindInvalid) || len(flagged.Findings) != 1 {
		t.Fatal(err)
	}
	if f := flagged.Findings[0]; f.Line != 2 || f.Column != 9 || f.Offset != 22 || f.Length != 19 {
		t.Errorf("%+v", f)
	}
	cmd := w.text(w.author, text)
	cmd.Reason = "It is mine."
	if _, err := evidence.AttachText(t.Context(), w.db, w.author, cmd); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("the author kept it: %v", err)
	}
	w.nothing()
	cmd = w.text(w.author, text)
	cmd.Redact = true
	redacted, err := evidence.AttachText(t.Context(), w.db, w.author, cmd)
	if err != nil {
		t.Fatal(err)
	}
	cmd = w.text(w.reviewer, text)
	cmd.Reason = "A made-up address."
	kept, err := evidence.AttachText(t.Context(), w.db, w.reviewer, cmd)
	if err != nil {
		t.Fatal(err)
	}
	all, err := evidence.Of(w.db.Query(t.Context()), kept.ID, redacted.ID)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	if a := all[0]; len(a.Redactions) != 1 || a.Redactions[0] != (evidence.Count{Kind: "email", N: 1}) || a.Size != int64(len("event-demo-01\nsent to [removed: e-mail address]")) {
		t.Errorf("%+v", a)
	}
	if a := all[1]; len(a.Findings) != 1 || a.KeptReason != "A made-up address." || a.KeptBy != "Reviewer" || a.Size != int64(len(text)) {
		t.Errorf("%+v", a)
	}
}

func TestAttachRefuses(t *testing.T) {
	w := newWorld(t)
	for field, change := range map[string]func(*evidence.AttachTextCmd){
		"slot":        func(c *evidence.AttachTextCmd) { c.Slot = "lookup" },
		"proves":      func(c *evidence.AttachTextCmd) { c.Proves = " " },
		"text":        func(c *evidence.AttachTextCmd) { c.Text = "\u200b" },
		"name":        func(c *evidence.AttachTextCmd) { c.Name = "of person@example.test" },
		"keep_until":  func(c *evidence.AttachTextCmd) { c.KeepUntil = "2020-01-01" },
		"keep_basis":  func(c *evidence.AttachTextCmd) { c.Place.KeepBasis = "" },
		"keep_basis ": func(c *evidence.AttachTextCmd) { c.KeepBasis = "Ask person@example.test." },
		"reason": func(c *evidence.AttachTextCmd) {
			c.Place, c.Text, c.Reason = w.place(w.reviewer), "of person@example.test", "person&#64;example.test agreed."
		},
	} {
		field = strings.TrimSpace(field)
		cmd := w.text(w.author, "event-demo-01")
		change(&cmd)
		_, err := evidence.AttachText(t.Context(), w.db, w.author, cmd)
		if e := models.AsError(err); e == nil || e.Field(field) == "" || len(e.Fields) != 1 {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, address := range []string{"", "javascript:alert(1)", "https://x.example.test/?mail=person@example.test", "https://x.example.test/?mail=person%40example.test",
		"https://user:secret@localhost/log", "https://user@localhost/log"} {
		_, err := evidence.AttachLink(t.Context(), w.db, w.author, evidence.AttachLinkCmd{Details: evidence.Details{Slot: "other", Proves: "The log."}, Place: w.place(w.author), Name: "Log", URL: address})
		if e := models.AsError(err); e == nil || e.Field("url") == "" {
			t.Errorf("%q: %v", address, err)
		}
	}
	w.refuse = models.Conflictf("This run was recorded in the meantime.")
	if _, err := evidence.AttachText(t.Context(), w.db, w.author, w.text(w.author, "event-demo-01")); !models.IsKind(err, models.KindConflict) {
		t.Error(err)
	}
	cmd := w.text(w.author, "event-demo-01")
	cmd.Place.WhyNot = models.Forbiddenf("You do not attach here.")
	if _, err := evidence.AttachText(t.Context(), w.db, w.author, cmd); !models.IsKind(err, models.KindForbidden) {
		t.Error(err)
	}
	w.nothing()
	if n := w.number("select count(*) from audit_events where not refused"); n != 0 {
		t.Errorf("%d events", n)
	}
}
