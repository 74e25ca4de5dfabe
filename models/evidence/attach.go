package evidence

import (
	"context"
	"net/url"
	"time"

	"countersign/models"
)

// Attached is what came of attaching.
type Attached struct {
	ID   int64
	Name string
}

// AttachLinkCmd attaches an address where the evidence is.
type AttachLinkCmd struct {
	models.Once
	Details
	Place Place
	Name  string // "" takes the host's
	URL   string
}

// Object names the place when the command is refused.
func (c AttachLinkCmd) Object() models.Object { return c.Place.object() }

// AttachLink attaches a link. Invalid at url, name, slot, proves, keep_until
// and keep_basis; what the place's owner says when it refuses.
func AttachLink(ctx context.Context, db *models.DB, by models.Actor, cmd AttachLinkCmd) (Attached, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Attached, error) {
		if cmd.Place.WhyNot != nil {
			return Attached{}, cmd.Place.WhyNot
		}
		row := newRow(tx, cmd.Place, cmd.Details, Link)
		row.URL, row.Name = models.Clean(cmd.URL), models.Clean(cmd.Name)
		u, err := url.Parse(row.URL)
		if row.Name == "" && err == nil {
			row.Name = SafeName(u.Host)
		}
		check := row.check(tx, cmd.Place, cmd.Details)
		switch {
		case row.URL == "":
			check.Add("url", "Enter the address where it is.")
		case err == nil && u.User != nil:
			check.Add("url", "Remove the user name and the password from the address.")
		default:
			check.URL("url", row.URL)
			noPersonalData(check, "url", row.URL)
		}
		check.Line("name", row.Name, 200)
		noPersonalData(check, "name", row.Name)
		if err := check.Err(); err != nil {
			return Attached{}, err
		}
		return row.save(tx, cmd.Place)
	})
}

// AttachTextCmd attaches a text that somebody pasted.
type AttachTextCmd struct {
	models.Once
	Details
	Place  Place
	Name   string // "" is "Pasted text"
	Text   string
	Redact bool   // take out every place that is found
	Reason string // why what is found must stay; only where the place lets this person
}

// MaxText is the largest text, in bytes. A larger one is a file.
const MaxText = 512 << 10

// Object names the place when the command is refused.
func (c AttachTextCmd) Object() models.Object { return c.Place.object() }

// AttachText attaches a text as it is, line breaks made one form. Flagged (an
// Invalid at text) when personal data is found, unless cmd.Redact or
// cmd.Reason says what becomes of it; otherwise as AttachLink.
func AttachText(ctx context.Context, db *models.DB, by models.Actor, cmd AttachTextCmd) (Attached, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Attached, error) {
		if cmd.Place.WhyNot != nil {
			return Attached{}, cmd.Place.WhyNot
		}
		row, text := newRow(tx, cmd.Place, cmd.Details, Text), models.Clean(cmd.Text)
		row.Name, row.MediaType, row.Scanned = models.Clean(cmd.Name), "text/plain; charset=utf-8", true
		if row.Name == "" {
			row.Name = "Pasted text"
		}
		check := row.check(tx, cmd.Place, cmd.Details)
		if len(text) > MaxText {
			check.Add("text", "Attach a text of more than 512 kB as a file.")
		} else {
			check.Required("text", text, MaxText, "Paste the text.")
		}
		check.Line("name", row.Name, 200)
		noPersonalData(check, "name", row.Name)
		if err := check.Err(); err != nil {
			return Attached{}, err
		}
		found := scanText(text)
		switch {
		case len(found) > 0 && cmd.Redact:
			text, row.Redactions = redactText(text, found), counts(found)
		case len(found) > 0 && models.Clean(cmd.Reason) == "":
			return Attached{}, flagged(text, found)
		case len(found) > 0:
			if err := row.keep(tx.By, cmd.Place, cmd.Reason, counts(found)); err != nil {
				return Attached{}, err
			}
		}
		var err error
		if row.BlobID, err = storeText(tx, text); err != nil {
			return Attached{}, err
		}
		return row.save(tx, cmd.Place)
	})
}

// row is an attachment as it is written.
type row struct {
	Kind                  Kind
	BlobID                *int64
	URL, Name, MediaType  string
	Proves, Slot          string
	Scanned               bool
	Findings, Redactions  Array[Count]
	KeptReason, KeepBasis string
	KeptBy                *int64
	KeepUntil             *time.Time
	by                    int64 // who attached it; the actor unless a reviewer let through what somebody else sent
}

func newRow(tx *models.Tx, p Place, d Details, kind Kind) *row {
	d = d.clean()
	r := &row{Kind: kind, Proves: d.Proves, Slot: d.Slot, KeepBasis: d.KeepBasis, by: tx.By.ID}
	if r.KeepBasis == "" {
		r.KeepBasis = p.KeepBasis
	}
	if d.KeepUntil == "" && p.KeepDays > 0 {
		until := day(tx.Now).AddDate(0, 0, p.KeepDays)
		r.KeepUntil = &until
	}
	return r
}

// maxYears is how far away the end of keeping may be.
const maxYears = 30

// check looks at what the person said about the evidence.
func (r *row) check(tx *models.Tx, p Place, d Details) *models.Check {
	check := new(models.Check)
	if !p.offers(r.Slot) {
		check.Add("slot", "Choose what it is.")
	}
	check.Line("slot", r.Slot, 80)
	check.Required("proves", r.Proves, 2000, "Say what it proves.")
	noPersonalData(check, "proves", r.Proves)
	typed := d.clean().KeepUntil
	if r.KeepUntil == nil && typed == "" {
		check.Add("keep_until", "Enter until when it is kept.")
	} else if typed != "" {
		if r.KeepUntil = check.Date("keep_until", typed); r.KeepUntil != nil {
			switch {
			case DaysLeft(*r.KeepUntil, tx.Now) < 0:
				check.Add("keep_until", "Enter a day that is not over yet.")
			case r.KeepUntil.After(tx.Now.AddDate(maxYears, 0, 0)):
				check.Add("keep_until", "Enter a day within %d years.", maxYears)
			}
		}
	}
	check.Required("keep_basis", r.KeepBasis, 1000, "Say what the date is based on, such as a policy.")
	noPersonalData(check, "keep_basis", r.KeepBasis)
	return check
}

// keep lets personal data stay, where the place allows it to this person.
func (r *row) keep(by models.Actor, p Place, reason string, found []Count) error {
	if p.WhyNotKeep != nil {
		return p.WhyNotKeep
	}
	var check models.Check
	check.Required("reason", models.Clean(reason), 2000, "Say why it must stay.")
	noPersonalData(&check, "reason", models.Clean(reason))
	if err := check.Err(); err != nil {
		return err
	}
	r.KeptReason, r.KeptBy, r.Findings = models.Clean(reason), &by.ID, found
	return nil
}

// save writes the attachment, lets the place link it, and notes it.
func (r *row) save(tx *models.Tx, p Place) (Attached, error) {
	var workflow *int64
	if p.WorkflowID != 0 {
		workflow = &p.WorkflowID
	}
	done, forPerson := Attached{Name: r.Name}, p.For
	if r.by != tx.By.ID {
		forPerson = 0 // whoever sent it did so as themselves
	}
	err := tx.Raw(`insert into evidence (kind, blob_id, url, name, media_type, proves, workflow_id, about, path, slot, scanned, findings, kept_reason, kept_by, redactions, keep_until, keep_basis, attached_by, attached_for)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?, ?, ?::jsonb, ?, ?, ?, nullif(?, 0)) returning id`,
		r.Kind, r.BlobID, r.URL, r.Name, r.MediaType, r.Proves, workflow, p.About, p.Path, r.Slot, r.Scanned, r.Findings, r.KeptReason, r.KeptBy,
		r.Redactions, r.KeepUntil, r.KeepBasis, r.by, forPerson).Row().Scan(&done.ID)
	if err != nil {
		return Attached{}, err
	}
	linked := Linked{ID: done.ID, Slot: r.Slot, Kept: r.KeptReason != ""}
	if r.by != tx.By.ID {
		linked.For = r.by
	}
	if err := p.Link(tx, linked); err != nil {
		return Attached{}, err
	}
	tx.AuditFor(p.For, "evidence.attached", models.Object{Type: "evidence", ID: done.ID, Label: r.Name, Path: PathOf(done.ID)}, nil, r.facts(tx, p))
	return done, nil
}

// facts are what the audit log keeps of an attachment: enough to know what it
// was after its bytes are gone.
func (r *row) facts(tx *models.Tx, p Place) map[string]any {
	facts := map[string]any{"kind": r.Kind, "attached_to": p.About, "slot": r.Slot, "proves": r.Proves, "keep_until": r.KeepUntil.Format(time.DateOnly), "keep_basis": r.KeepBasis}
	if r.URL != "" {
		facts["url"] = r.URL
	}
	if r.BlobID != nil {
		var blob struct {
			SHA256 string `gorm:"column:sha256"`
			Size   int64
		}
		if tx.Raw("select sha256, size from blobs where id = ?", *r.BlobID).Scan(&blob).Error == nil {
			facts["sha256"], facts["bytes"] = blob.SHA256, blob.Size
		}
	}
	if len(r.Redactions) > 0 {
		facts["redacted"] = words(r.Redactions)
	}
	if r.KeptReason != "" {
		facts["personal_data_kept"], facts["reason"] = words(r.Findings), r.KeptReason
	}
	return facts
}
