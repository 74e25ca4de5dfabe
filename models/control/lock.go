package control

import (
	"strings"
	"unicode/utf8"

	"countersign/models"

	"gorm.io/gorm"
)

// Locked is a control whose row this transaction holds: nobody else answers,
// asks, submits or signs until it ends.
type Locked struct {
	ID, WorkflowID         int64
	Slug, Name, Effect     string
	Unresolved             int
	OpenQuestions          int
	LatestRevisionID       int64
	ApprovedRevisionID     int64 // 0: none was ever approved
	OwnerID, ImplementerID int64 // 0 while the answer is unresolved
	ReviewerID             int64
}

// Object is the control in the audit log.
func (c Locked) Object() models.Object { return Object(c.ID, c.Slug, c.Name) }

// Parties are the people the current answers name, by id only.
func (c Locked) Parties() Parties {
	return Parties{Owner: Ref{ID: c.OwnerID}, Implementer: Ref{ID: c.ImplementerID}, Reviewer: Ref{ID: c.ReviewerID}}
}

// Lock takes the control for this transaction. NotFound.
func Lock(tx *models.Tx, slug string) (Locked, error) {
	var c Locked
	r := tx.Raw(`select id, workflow_id, slug, name, effect, unresolved, open_questions, latest_revision_id, approved_revision_id,
		business_owner_id as owner_id, implementer_id, reviewer_id from controls where slug = ? for update`, Plain(slug)).Scan(&c)
	if r.Error != nil {
		return c, r.Error
	}
	if r.RowsAffected == 0 {
		return c, notFound(slug)
	}
	return c, nil
}

func notFound(slug string) error {
	return models.NotFoundf("There is no control named “%s”.", Plain(slug))
}

// Recount brings what is kept on the control up to date with its answers,
// operations and questions: counters, people and the design fingerprint. The
// caller holds the lock.
func Recount(tx *models.Tx, id int64) error {
	design, err := DesignHash(tx.DB, id)
	if err != nil {
		return err
	}
	return tx.Exec(`with current as (
			select distinct on (field) field, state, data from answers where control_id = @id order by field, version desc)
		update controls set
			unresolved = @required - (select count(*) from current where state <> 'unresolved' and field in @fields
				and not (field in @rules and state = 'answered' and data is null)),
			open_questions = (select count(*) from comments q where q.control_id = @id and q.kind = 'question'
				and not exists (select 1 from question_closings k where k.comment_id = q.id)),
			business_owner_id = (select (data->>'person')::bigint from current where field = 'business_owner' and state = 'answered'),
			implementer_id = (select (data->>'person')::bigint from current where field = 'implementer' and state = 'answered'),
			reviewer_id = (select (data->>'person')::bigint from current where field = 'reviewer' and state = 'answered'),
			design_hash = @design, changed_at = @now, version = version + 1
		where id = @id`,
		map[string]any{"id": id, "required": RequiredFields(), "fields": requiredKeys(), "rules": ruleKeys(), "design": design, "now": tx.Now}).Error
}

func requiredKeys() []string {
	var keys []string
	for _, f := range Fields() {
		if f.Required {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// one scans the only row of a query; found is false when there is none.
func one(q *gorm.DB, into any) (found bool, err error) {
	r := q.Scan(into)
	return r.RowsAffected > 0, r.Error
}

// Plain is a slug as a person or URL gave it; "" when it is no text at all, which
// then matches nothing.
func Plain(slug string) string {
	if !utf8.ValidString(slug) || strings.ContainsRune(slug, 0) {
		return ""
	}
	return slug
}
