package models

import (
	"context"
	"strings"
	"time"
)

// AuditFilter narrows the audit log; zero values don't.
type AuditFilter struct {
	ObjectType string
	ObjectID   int64
	Label      string     // the object's name starts with this
	Person     string     // name or e-mail of who did it, or whom a delegate stood for, starts with this
	Action     string     // object.verb
	From, To   *time.Time // days, UTC, both inclusive
	Refused    bool
}

// AuditEntry is an event as a person reads it.
type AuditEntry struct {
	ID                      int64
	At                      time.Time
	PersonName, PersonEmail string // empty: Countersign itself
	ForName                 string // whom a delegate stood for
	Action                  string
	ObjectType              string
	ObjectID                int64
	ObjectLabel, ObjectPath string
	Before, After           string // JSON, "" when there was nothing
	Refused                 bool
	Reason, RequestID       string
}

// ListAudit returns events, newest first.
func ListAudit(ctx context.Context, db *DB, f AuditFilter, at string) (Page[AuditEntry], error) {
	q := db.Query(ctx).Table("audit_events e").
		Joins("left join people p on p.id = e.person_id").Joins("left join people d on d.id = e.for_person_id").
		Select(`e.id, e.at, coalesce(p.name, '') person_name, coalesce(p.email, '') person_email, coalesce(d.name, '') for_name, e.action, e.object_type,
			e.object_id, e.object_label, e.object_path, coalesce(e.before::text, '') before, coalesce(e.after::text, '') after, e.refused, e.reason, e.request_id`)
	if f.ObjectType != "" {
		q = q.Where("e.object_type = ?", f.ObjectType)
	}
	if f.ObjectID != 0 {
		q = q.Where("e.object_id = ?", f.ObjectID)
	}
	if f.Action != "" {
		q = q.Where("e.action = ?", f.Action)
	}
	if f.Label != "" {
		q = q.Where("lower(e.object_label) like ?", prefix(f.Label))
	}
	if f.Person != "" {
		ids := db.Query(ctx).Table("people").Select("id").Where("lower(name) like ? or email like ?", prefix(f.Person), prefix(f.Person))
		q = q.Where("(e.person_id in (?) or e.for_person_id in (?))", ids, ids)
	}
	if f.From != nil {
		q = q.Where("e.at >= ?", *f.From)
	}
	if f.To != nil {
		q = q.Where("e.at < ?", f.To.AddDate(0, 0, 1))
	}
	if f.Refused {
		q = q.Where("e.refused")
	}
	return Keyset(q, at, PageSize, Order{Columns: []string{"e.id"}, Desc: true}, func(e AuditEntry) []any { return []any{e.ID} })
}

// prefix is a LIKE pattern for texts that start with s, whatever the case.
func prefix(s string) string { return LikeEscape(strings.ToLower(s)) + "%" }

// LikeEscape makes s match only itself inside a LIKE pattern.
func LikeEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}
