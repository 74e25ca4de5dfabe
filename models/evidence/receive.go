package evidence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"countersign/internal/pii"
	"countersign/models"
)

// AttachFileCmd attaches a file whose bytes come as a stream.
type AttachFileCmd struct {
	models.Once
	Details
	Place  Place
	Name   string    // as the browser sent it
	SHA256 string    // set by AttachFile, so that another file is another command
	Body   io.Reader `json:"-"`
}

// Object names the place when the command is refused.
func (c AttachFileCmd) Object() models.Object { return c.Place.object() }

// Received is what came of a file: evidence, or an upload that a person decides about.
type Received struct {
	Attached
	Upload int64 // 0: it is evidence
	Before bool  `json:"-"` // this form sent it before, and it is not waiting any more: ID is what became of it, 0 nothing that is known
}

// Again looks what became of the upload that the first answer led to.
func (r *Received) Again(tx *models.Tx, _ models.Once) error {
	if r.Upload == 0 {
		return nil
	}
	var found []struct {
		Over       bool
		EvidenceID int64
	}
	err := tx.Raw("select decided_at is not null or expires_at <= now() as over, coalesce(evidence_id, 0) evidence_id from uploads where id = ?", r.Upload).Scan(&found).Error
	switch {
	case err != nil || len(found) == 1 && !found[0].Over:
		return err
	case len(found) == 1:
		r.ID = found[0].EvidenceID
	}
	r.Upload, r.Before = 0, true
	return nil
}

// AttachFile stores a file and makes evidence of it, unless personal data was
// found in it or in its name: then it rests as an upload for an hour.
//
// Nobody who may not attach has a byte read. The bytes are stored in one
// transaction, so that a stream that ends early leaves nothing, and made
// evidence in a second, short one, which locks the place. The same file sent
// again by the same form is one attachment, or one upload, also after that was
// decided. ErrTooLarge over Limit; Invalid at file for an empty one; otherwise
// as AttachText.
func AttachFile(ctx context.Context, db *models.DB, by models.Actor, cmd AttachFileCmd) (Received, error) {
	cmd.Name = SafeName(cmd.Name)
	if err := Check(ctx, db, by, cmd.Place, cmd.Details); err != nil {
		return Received{}, err
	}
	up, err := receive(ctx, db, by, cmd)
	if err != nil {
		return Received{}, err
	}
	cmd.SHA256 = up.SHA256
	done, err := models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Received, error) {
		if up.Found > 0 {
			tx.Audit("upload.flagged", up.object(), nil, map[string]any{"attached_to": cmd.Place.About, "personal_data": words(up.counts), "bytes": up.Size})
			return Received{Attached: Attached{Name: up.SafeName()}, Upload: up.ID}, nil
		}
		u, err := lockUpload(tx, up.ID)
		if err != nil {
			return Received{}, err
		}
		made, err := u.attach(tx, cmd.Place, u.BlobID, nil)
		return Received{Attached: made}, err
	})
	// A repeated form got the first answer, and a refused one none: either way
	// this upload is of no use any more.
	if up.fresh && (err != nil || done.Upload != up.ID) {
		if e := dropUpload(context.WithoutCancel(ctx), db, up.ID); e != nil {
			return Received{}, errors.Join(err, e)
		}
	}
	return done, err
}

// AttachCmd is what Check runs as.
type AttachCmd struct {
	models.Once
	Details
	Place Place
}

// Object names the place when the command is refused.
func (c AttachCmd) Object() models.Object { return c.Place.object() }

// Check is what AttachFile would refuse before it read a byte.
func Check(ctx context.Context, db *models.DB, by models.Actor, p Place, d Details) error {
	_, err := models.Do(ctx, db, by, AttachCmd{Details: d, Place: p}, func(tx *models.Tx) (struct{}, error) {
		if p.WhyNot != nil {
			return struct{}{}, p.WhyNot
		}
		return struct{}{}, newRow(tx, p, d, File).check(tx, p, d).Err()
	})
	return err
}

// uploadLife is how long a flagged file waits for a decision.
const uploadLife = time.Hour

// maxListed is how many findings of a file are kept one by one.
const maxListed = 200

// receive stores the bytes of a file as an upload. It is not tried again after a
// conflict in the database: the bytes are gone.
func receive(ctx context.Context, db *models.DB, by models.Actor, cmd AttachFileCmd) (Upload, error) {
	read := false
	return models.Do(ctx, db, by, models.Command(nil), func(tx *models.Tx) (Upload, error) {
		if read {
			return Upload{}, models.Conflictf("The file was not saved. Send it again.")
		}
		read = true
		blob, err := newBlob(tx)
		if err != nil {
			return Upload{}, err
		}
		look := newLook(cmd.Name)
		if err := pump(cmd.Body, blob, look); err != nil {
			return Upload{}, err
		}
		if blob.size == 0 {
			return Upload{}, models.Invalid("file", "Choose a file that is not empty. “%s” holds nothing.", look.safeName())
		}
		if err := look.end(); err != nil {
			return Upload{}, err
		}
		u := Upload{Name: cmd.Name, MediaType: look.mediaType, Scanned: look.stream != nil, Findings: look.listed, Found: look.found, Size: blob.size, counts: look.counts}
		if u.BlobID, err = blob.finish(); err != nil {
			return Upload{}, err
		}
		details, err := json.Marshal(cmd.Details.clean())
		if err != nil {
			return Upload{}, err
		}
		err = tx.Raw(`insert into uploads (blob_id, person_id, path, name, media_type, scanned, details, findings, found, expires_at) values (?, ?, ?, ?, ?, ?, ?::jsonb, ?::jsonb, ?, ?)
			on conflict (person_id, path, blob_id, name) where decided_at is null and found > 0
			do update set expires_at = excluded.expires_at, details = excluded.details returning id, xmax = 0`,
			u.BlobID, by.ID, cmd.Place.Path, u.Name, u.MediaType, u.Scanned, string(details), u.Findings, u.Found, tx.Now.Add(uploadLife)).Row().Scan(&u.ID, &u.fresh)
		if err != nil {
			return Upload{}, err
		}
		err = tx.Raw("select sha256 from blobs where id = ?", u.BlobID).Row().Scan(&u.SHA256)
		return u, err
	})
}

// pump copies a stream through one buffer. What a stream says when it ends early
// is not told to people.
func pump(body io.Reader, to ...io.Writer) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		for _, w := range to {
			if _, e := w.Write(buf[:n]); e != nil {
				return e
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return &cutOff{err}
		}
	}
}

// cutOff is a stream that ended early.
type cutOff struct{ cause error }

func (e *cutOff) Error() string { return "the upload ended early: " + e.cause.Error() }
func (e *cutOff) Unwrap() error { return e.cause }

// CutOff reports whether err is a stream that ended early; nothing was saved.
func CutOff(err error) bool {
	var e *cutOff
	return errors.As(err, &e)
}

// look finds out what a stream is, and the personal data in it when it is text.
type look struct {
	name      string
	head      []byte
	known     bool
	mediaType string
	stream    *pii.Stream // nil: no text
	listed    Array[Finding]
	found     int
	counts    Array[Count]
}

func newLook(name string) *look {
	l := &look{name: name}
	for _, h := range pii.Scan(name) {
		if h.Sure {
			l.note(Finding{Kind: h.Kind, Offset: int64(h.Start), Length: h.End - h.Start, Sure: true, InName: true})
		}
	}
	return l
}

// errUnreadable is a text of more than one byte for a letter, or with NULs.
var errUnreadable = models.Invalid("file", "Save this text as UTF-8 and attach it again. In its present encoding it cannot be looked through for personal data.")

// Write looks at the next bytes. Invalid at file for text of an encoding that
// cannot be looked through.
func (l *look) Write(p []byte) (int, error) {
	if namedText(l.name) && bytes.IndexByte(p, 0) >= 0 {
		return 0, errUnreadable
	}
	if l.known {
		if l.stream != nil {
			return l.stream.Write(p)
		}
		return len(p), nil
	}
	l.head = append(l.head, p...)
	if len(l.head) >= sniffed {
		return len(p), l.sniff()
	}
	return len(p), nil
}

func (l *look) sniff() error {
	l.known = true
	var text bool
	if l.mediaType, text = sniff(l.head); text || namedText(l.name) {
		if wide(l.head) {
			return errUnreadable
		}
		l.stream = pii.NewStream(func(f pii.Found) {
			l.note(Finding{Kind: f.Kind, Line: f.Line, Column: f.Column, Offset: f.Offset, Length: f.Length, Sure: f.Sure})
		})
		_, _ = l.stream.Write(l.head)
	}
	l.head = nil
	return nil
}

// end is the end of the stream.
func (l *look) end() error {
	if !l.known {
		if err := l.sniff(); err != nil {
			return err
		}
	}
	if l.stream != nil {
		return l.stream.Close()
	}
	return nil
}

func (l *look) note(f Finding) {
	l.found++
	l.counts = count(l.counts, f.Kind)
	if len(l.listed) < maxListed {
		l.listed = append(l.listed, f)
	}
}

// safeName is the name without what was found in it, fit for a message or the log.
func (l *look) safeName() string {
	return Upload{Name: l.name, Findings: l.listed}.SafeName()
}
