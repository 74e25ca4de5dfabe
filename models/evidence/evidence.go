// Package evidence keeps what proves something: files, texts and links, by
// their hash, with what each proves and until when it is kept. It knows neither
// runs nor actions: whoever owns a place that evidence is attached to describes
// it as a Place and links the evidence in the same transaction.
package evidence

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"countersign/models"
)

// Kind is what an attachment is.
type Kind string

const (
	File Kind = "file"
	Text Kind = "text"
	Link Kind = "link"
)

// Attachment is one piece of evidence. It is never edited; the bytes of a file
// or a text go when their time is over, everything else stays.
type Attachment struct {
	ID          int64
	Kind        Kind
	Name        string
	MediaType   string // as the bytes look, whatever the name says; "" for a link
	URL         string // of a link
	SHA256      string // of a file or a text
	Size        int64  // bytes
	Proves      string
	About, Path string // what it is attached to, in words and as an address
	Slot        string // the required item it stands for, "" or "other" for none
	WorkflowID  *int64

	Scanned    bool // looked through for personal data, which only text can be
	Redactions Array[Count]
	Findings   Array[Count] // personal data that stayed
	KeptReason string
	KeptBy     string // name of the reviewer who said why

	KeepUntil   time.Time // in force through the end of this day, UTC
	KeepBasis   string
	AttachedBy  string // name
	AttachedFor string // name of the person a delegate stood for
	ByID        int64
	At          time.Time
	RemovedAt   *time.Time // the bytes are gone
	Held        string     // why the bytes stay although their date passed; "" when nothing needs them
}

// State is what an attachment is worth at a moment.
type State string

const (
	InForce  State = "in_force"
	Expiring State = "expiring" // in force, and over within ExpiresSoon
	Expired  State = "expired"  // by the clock, whether or not the bytes were removed yet
	Removed  State = "removed"  // expired, and the bytes are gone
)

// ExpiresSoon is how many days before its end an attachment warns.
const ExpiresSoon = 14

// State is by the clock, so that it is right before the job ran.
func (a Attachment) State(now time.Time) State {
	switch left := DaysLeft(a.KeepUntil, now); {
	case a.RemovedAt != nil:
		return Removed
	case left < 0:
		return Expired
	case left <= ExpiresSoon:
		return Expiring
	}
	return InForce
}

// Counts reports whether the attachment still proves something.
func (a Attachment) Counts(now time.Time) bool {
	return a.RemovedAt == nil && DaysLeft(a.KeepUntil, now) >= 0
}

// Readable reports whether the bytes can be fetched: until the date passed, and
// after it while something open rests on them.
func (a Attachment) Readable(now time.Time) bool {
	return a.Kind != Link && a.RemovedAt == nil && (a.Held != "" || DaysLeft(a.KeepUntil, now) >= 0)
}

// DaysLeft is how many days after today (UTC) the date is: 0 on its last day,
// negative once it is over.
func DaysLeft(until, now time.Time) int {
	return int(day(until).Sub(day(now)) / (24 * time.Hour))
}

func day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// PathOf is the page of one attachment.
func PathOf(id int64) string { return fmt.Sprintf("/evidence/%d", id) }

// Count is a kind of personal data and how often it was found.
type Count struct {
	Kind string `json:"kind"`
	N    int    `json:"n"`
}

// Array is a jsonb array.
type Array[T any] []T

// Scan reads a list from the database.
func (l *Array[T]) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*l = nil
		return nil
	case []byte:
		return json.Unmarshal(v, (*[]T)(l))
	case string:
		return json.Unmarshal([]byte(v), (*[]T)(l))
	}
	return fmt.Errorf("a list cannot be read from %T", value)
}

// Value writes a list to the database.
func (l Array[T]) Value() (driver.Value, error) {
	if len(l) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal([]T(l))
	return string(b), err
}

const columns = `e.id, e.kind, e.name, e.media_type, e.url, coalesce(b.sha256, '') sha256, coalesce(b.size, 0) size, e.proves, e.about, e.path, e.slot, e.workflow_id,
	e.scanned, e.redactions, e.findings, e.kept_reason, coalesce(k.name, '') kept_by, e.keep_until, e.keep_basis, p.name attached_by, coalesce(f.name, '') attached_for,
	e.attached_by by_id, e.at, e.removed_at, coalesce((select min(h.reason) from evidence_holds h where h.evidence_id = e.id), '') held`

// rows is where every query of attachments starts.
func rows(q *gorm.DB) *gorm.DB {
	return q.Table("evidence e").Select(columns).Joins("join people p on p.id = e.attached_by").Joins("left join blobs b on b.id = e.blob_id").
		Joins("left join people f on f.id = e.attached_for").Joins("left join people k on k.id = e.kept_by")
}

// Of returns the attachments with the ids, in the order they were attached; an
// id that is none is left out.
func Of(q *gorm.DB, ids ...int64) ([]Attachment, error) {
	var all []Attachment
	if len(ids) == 0 {
		return all, nil
	}
	err := rows(q).Where("e.id in ?", ids).Order("e.id").Scan(&all).Error
	return all, models.Classify(err)
}

// ByPath returns what is attached to the places with the paths, in the order it
// was attached.
func ByPath(q *gorm.DB, paths ...string) ([]Attachment, error) {
	var all []Attachment
	if len(paths) == 0 {
		return all, nil
	}
	err := rows(q).Where("e.path in ?", paths).Order("e.id").Scan(&all).Error
	return all, models.Classify(err)
}
