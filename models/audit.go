package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/gowebpki/jcs"
	"gorm.io/gorm"
)

// Object is what an audit event is about: enough to find and name it later,
// even when it has changed since.
type Object struct {
	Type  string // glossary word: person, workflow, control, revision ...
	ID    int64
	Label string
	Path  string // the page that shows it
}

type pendingEvent struct {
	action        string
	on            Object
	forPerson     int64
	before, after any
	refused       bool
	reason        string
}

// Audit notes an event that is written with this transaction and never changes
// afterwards. before and after hold only what the command changed and nothing
// secret; nil means there was nothing.
func (tx *Tx) Audit(action string, on Object, before, after any) {
	tx.events = append(tx.events, pendingEvent{action: action, on: on, before: before, after: after})
}

// AuditFor is Audit for something done as the delegate of forPerson (0: as oneself).
func (tx *Tx) AuditFor(forPerson int64, action string, on Object, before, after any) {
	tx.events = append(tx.events, pendingEvent{action: action, on: on, forPerson: forPerson, before: before, after: after})
}

// auditLock orders the writers of the log. It is taken last before the commit,
// so whoever holds it waits for nobody.
const auditLock = 0x636f756e746572 // "counter"

func (tx *Tx) flushEvents() error {
	if len(tx.events) == 0 {
		return nil
	}
	if err := tx.Exec("select pg_advisory_xact_lock(?)", int64(auditLock)).Error; err != nil {
		return err
	}
	last := struct {
		ID   int64
		Hash []byte
	}{}
	if err := tx.Raw("select id, hash from audit_events order by id desc limit 1").Scan(&last).Error; err != nil {
		return err
	}
	for _, p := range tx.events {
		e := auditRow{ID: last.ID + 1, At: tx.Now.Truncate(time.Microsecond), Action: p.action,
			ObjectType: p.on.Type, ObjectID: p.on.ID, ObjectLabel: clip(p.on.Label), ObjectPath: clip(p.on.Path),
			Refused: p.refused, Reason: clip(p.reason), RequestID: clip(tx.By.RequestID), Previous: last.Hash}
		if e.Previous == nil {
			e.Previous = []byte{}
		}
		if tx.By.ID != 0 {
			e.PersonID = &tx.By.ID
		}
		if p.forPerson != 0 {
			e.ForPersonID = &p.forPerson
		}
		var err error
		if e.Before, err = auditJSON(p.before); err != nil {
			return err
		}
		if e.After, err = auditJSON(p.after); err != nil {
			return err
		}
		if e.Hash, err = e.hash(); err != nil {
			return err
		}
		if err := tx.Table("audit_events").Create(&e).Error; err != nil {
			return err
		}
		last.ID, last.Hash = e.ID, e.Hash
	}
	return nil
}

// clip keeps a text of any origin storable: valid, and at most 1000 bytes.
func clip(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) > 1000 {
		s = strings.ToValidUTF8(s[:1000], "") + "..."
	}
	return s
}

// auditRow is an event as stored.
type auditRow struct {
	ID                      int64
	At                      time.Time
	PersonID, ForPersonID   *int64
	Action                  string
	ObjectType              string
	ObjectID                int64
	ObjectLabel, ObjectPath string
	Before, After           *string
	Refused                 bool
	Reason, RequestID       string
	Previous, Hash          []byte
}

func (auditRow) TableName() string { return "audit_events" }

// hash covers the event and the hash before it, in canonical JSON, so that the
// log can be walked and any change or gap found.
func (e auditRow) hash() ([]byte, error) {
	doc := map[string]any{
		"id": fmt.Sprint(e.ID), "at": e.At.UTC().Format(time.RFC3339Nano), "action": e.Action,
		"object_type": e.ObjectType, "object_id": fmt.Sprint(e.ObjectID), "object_label": e.ObjectLabel, "object_path": e.ObjectPath,
		"refused": e.Refused, "reason": e.Reason, "request_id": e.RequestID, "previous": hex.EncodeToString(e.Previous),
	}
	for k, p := range map[string]*int64{"person": e.PersonID, "for_person": e.ForPersonID} {
		if p != nil {
			doc[k] = fmt.Sprint(*p)
		}
	}
	for k, p := range map[string]*string{"before": e.Before, "after": e.After} {
		if p != nil {
			doc[k] = json.RawMessage(*p)
		}
	}
	plain, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	canonical, err := jcs.Transform(plain)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(canonical)
	return sum[:], nil
}

func auditJSON(v any) (*string, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	s := string(b)
	return &s, nil
}

// recordRefusal keeps a command that was refused, after its own rollback.
func (db *DB) recordRefusal(ctx context.Context, by Actor, cmd Command, refusal error) error {
	e := AsError(refusal)
	return db.gorm.WithContext(context.WithoutCancel(ctx)).Transaction(func(g *gorm.DB) error {
		tx := &Tx{DB: g, By: by, ctx: ctx, db: db}
		if err := g.Raw("select now()").Row().Scan(&tx.Now); err != nil {
			return err
		}
		on := Object{Type: "command", Label: commandWords(cmd)}
		if o, ok := cmd.(interface{ Object() Object }); ok {
			on = o.Object()
		}
		tx.events = []pendingEvent{{action: "command.refused", on: on, after: map[string]string{"command": commandWords(cmd)}, refused: true, reason: e.Message}}
		return tx.flushEvents()
	})
}

var capital = regexp.MustCompile(`([a-z])([A-Z])`)

// commandWords is the command's own name as a person reads it: workflow.LiftCmd
// is "lift", control.SaveAnswerCmd "save answer".
func commandWords(cmd Command) string {
	if cmd == nil {
		return "command"
	}
	_, name, _ := strings.Cut(fmt.Sprintf("%T", cmd), ".")
	return strings.ToLower(capital.ReplaceAllString(strings.TrimSuffix(name, "Cmd"), "$1 $2"))
}

// AuditReport is what VerifyAudit found.
type AuditReport struct {
	Events   int64
	LastHash string // hex; compare it with a copy kept elsewhere
	Problem  string // empty when every link holds
}

// VerifyAudit walks the whole log and checks that no event was changed, taken
// out or put in. Constant memory.
func VerifyAudit(ctx context.Context, db *DB) (AuditReport, error) {
	return VerifyAuditIn(db.Query(ctx))
}

// VerifyAuditIn is VerifyAudit inside a transaction.
func VerifyAuditIn(q *gorm.DB) (AuditReport, error) {
	var report AuditReport
	rows, err := q.Table("audit_events").Order("id").Rows()
	if err != nil {
		return report, Classify(err)
	}
	defer rows.Close()
	previous := []byte{}
	for rows.Next() {
		var e auditRow
		if err := q.ScanRows(rows, &e); err != nil {
			return report, err
		}
		report.Events++
		want, err := e.hash()
		if err != nil {
			return report, err
		}
		switch {
		case e.ID != report.Events:
			report.Problem = fmt.Sprintf("event %d is missing", report.Events)
		case string(e.Previous) != string(previous):
			report.Problem = fmt.Sprintf("event %d does not follow the event before it", e.ID)
		case string(e.Hash) != string(want):
			report.Problem = fmt.Sprintf("event %d was changed after it was written", e.ID)
		}
		if report.Problem != "" {
			return report, nil
		}
		previous = e.Hash
	}
	report.LastHash = hex.EncodeToString(previous)
	return report, errors.Join(rows.Err())
}
