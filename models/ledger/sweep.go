package ledger

import (
	"context"

	"countersign/models"
)

const (
	sweepSize   = 200 // leases that one pass looks at
	sweepPasses = 50  // of one call
)

// Sweep notes leases that ended, and duplicates that followed from one. Nothing
// depends on it; several servers may run it at once. It returns how many actions
// it noted.
func Sweep(ctx context.Context, db *models.DB) (total int, err error) {
	for range sweepPasses {
		n, err := sweepPass(ctx, db)
		if total += n; err != nil || n < sweepSize {
			return total, err
		}
	}
	return total, nil
}

func sweepPass(ctx context.Context, db *models.DB) (int, error) {
	var ids []int64
	if err := db.Query(ctx).Raw(`select distinct action_id from (select action_id from attempts
		where outcome is null and noted_at is null and lease_until <= now() order by lease_until limit ?) t order by 1`, sweepSize).Scan(&ids).Error; err != nil {
		return 0, models.Classify(err)
	}
	for n, id := range ids {
		if _, err := models.Do(ctx, db, models.Actor{}, nil, func(tx *models.Tx) (bool, error) { return true, sweepOne(tx, id) }); err != nil {
			return n, err
		}
	}
	return len(ids), nil
}

// sweepOne notes what ended at one action, observed attempts too, unless somebody
// else holds it: they note it themselves.
func sweepOne(tx *models.Tx, id int64) error {
	l, err := readAction(tx.DB, id, " for update skip locked")
	if models.IsKind(err, models.KindNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := l.loadAttempts(tx.DB, ""); err != nil {
		return err
	}
	if err := l.noteLapsed(tx); err != nil {
		return err
	}
	return tx.Exec("update attempts set noted_at = clock_timestamp() where action_id = ? and kind = 'observed' and outcome is null and noted_at is null and lease_until <= clock_timestamp()", id).Error
}

// RemovePayloads takes out stored payloads whose retention is over, and returns
// how many.
func RemovePayloads(ctx context.Context, db *models.DB) (int, error) {
	total := 0
	for {
		r := db.Query(ctx).Exec(`update deliveries set payload = null where id in (select id from deliveries
			where payload is not null and payload_until < (now() at time zone 'UTC')::date order by payload_until limit 1000)`)
		total += int(r.RowsAffected)
		if r.Error != nil || r.RowsAffected < 1000 {
			return total, models.Classify(r.Error)
		}
	}
}
