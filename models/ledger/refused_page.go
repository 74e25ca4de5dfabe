package ledger

import (
	"context"
	"fmt"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

// RefusedClaim is a claim of a version that is no longer the newest, refused
// before there was an action. A person can say that it must go on.
type RefusedClaim struct {
	ID                        int64
	Control, ControlSlug      string
	Workflow, WorkflowSlug    string
	Environment, EnvSlug      string
	RecordID, Version, Newest string
	Worker                    string
	At                        time.Time
	ReviewKind                ReviewKind
	ReviewID                  int64 // of the appeal; 0: there is none
}

// RefusedPath is the page of a refused claim.
func RefusedPath(id int64) string { return fmt.Sprintf("/ledger/claims/%d", id) }

// Review is the appeal's number, "" without one.
func (c RefusedClaim) Review() string {
	if c.ReviewID == 0 {
		return ""
	}
	return ref(c.ReviewKind, c.ReviewID)
}

const refusedClaims = `select s.id, c.name as control, c.slug as control_slug, w.name as workflow, w.slug as workflow_slug, e.name as environment, e.slug as env_slug,
	s.record_id, s.version, coalesce(s.newest::text, '') as newest, s.worker, s.at, coalesce(i.kind, '') as review_kind, coalesce(i.id, 0) as review_id
	from suppressed_claims s join controls c on c.id = s.control_id join workflows w on w.id = s.workflow_id join environments e on e.id = s.environment_id
	left join lateral (select kind, id from review_items where suppressed_id = s.id limit 1) i on true
	where s.action_id is null and s.code = 'stale_version' and `

// RefusedOf reads the page of a refused claim. NotFound, also for one of an
// action: its own page has it.
func RefusedOf(ctx context.Context, db *models.DB, id int64) (RefusedClaim, error) {
	var c RefusedClaim
	done := db.Query(ctx).Raw(refusedClaims+"s.id = ?", id).Scan(&c)
	if done.Error == nil && done.RowsAffected == 0 {
		return c, models.NotFoundf("There is no such refused claim.")
	}
	return c, models.Classify(done.Error)
}

// refusedOfRecord are the newest refused claims of a record.
func refusedOfRecord(q *gorm.DB, workflow, environment int64, record string) (all []RefusedClaim, err error) {
	err = q.Raw(refusedClaims+"s.workflow_id = ? and s.environment_id = ? and s.record_id = ? order by s.id desc limit ?", workflow, environment, record, shownOfRecord).Scan(&all).Error
	return all, err
}
