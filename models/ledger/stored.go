package ledger

import (
	"context"
	"time"

	"countersign/models"
)

// StoredBody is a delivery whose body is kept for a while, as its workflow says.
type StoredBody struct {
	ID                   int64
	Event, Record        string
	Sender               string
	Environment, EnvSlug string
	ReceivedAt           time.Time
	PayloadUntil         time.Time // kept through this date, UTC
	Payload              string    // only from StoredBodyOf
}

const mostStored = 20

const storedRows = `select d.id, d.event_id as event, d.record_id as record, s.name as sender, e.name as environment, e.slug as env_slug, d.received_at, d.payload_until`

const storedPlaces = ` from deliveries d join senders s on s.id = d.sender_id join environments e on e.id = d.environment_id
	where d.workflow_id = (select workflow_id from controls where slug = ?) and d.payload is not null and octet_length(d.payload) <= 200000`

// StoredBodies are the newest deliveries of a control's workflow whose bodies are
// kept, 20 at most. Two bodies have to fit in one form, so those of more than
// 200,000 bytes are left out.
func StoredBodies(ctx context.Context, db *models.DB, control string) (list []StoredBody, err error) {
	err = db.Query(ctx).Raw(storedRows+storedPlaces+" order by d.id desc limit ?", control, mostStored).Scan(&list).Error
	return list, models.Classify(err)
}

// StoredBodyOf is one of them, with its body. NotFound for a delivery of another
// workflow, or whose body was never kept or is removed.
func StoredBodyOf(ctx context.Context, db *models.DB, control string, id int64) (StoredBody, error) {
	var b StoredBody
	r := db.Query(ctx).Raw(storedRows+", d.payload"+storedPlaces+" and d.id = ?", control, id).Scan(&b)
	if r.Error == nil && r.RowsAffected == 0 {
		return b, models.NotFoundf("The body of delivery D-%d is not kept, or it belongs to another workflow.", id)
	}
	return b, models.Classify(r.Error)
}
