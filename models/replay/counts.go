package replay

import (
	"context"

	"countersign/models"
)

// CountLimit is the most that is counted: more is "99+".
const CountLimit = 100

// Count says how much a view of the queue holds. It counts no further than
// CountLimit, so that it costs the same however much waits.
func Count(ctx context.Context, db *models.DB, by models.Actor, f QueueFilter) (n int, err error) {
	for _, b := range branchesOf(f) {
		items, err := b.read(db.Query(ctx), bounds{by: by, f: f, limit: CountLimit - n, ids: true})
		if err != nil {
			return n, models.Classify(err)
		}
		if n += len(items); n >= CountLimit {
			break
		}
	}
	return n, nil
}
