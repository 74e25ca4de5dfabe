package evidence

import (
	"context"
	"time"

	"countersign/models"
)

// RemoveExpired removes the bytes of files and texts whose every attachment
// expired and on which nothing open rests, and files that nobody decided about
// in their hour. Hash, size, names and dates stay. Several servers may run it at
// once. It returns how many attachments lost their bytes.
func RemoveExpired(ctx context.Context, db *models.DB) (int, error) {
	if err := removeUploads(ctx, db); err != nil {
		return 0, err
	}
	removed := 0
	err := each(ctx, db, `select distinct e.blob_id from evidence e where e.removed_at is null and e.kind <> 'link' and e.keep_until < (now() at time zone 'utc')::date and e.blob_id > ?`,
		func(tx *models.Tx, blob int64) error {
			n, err := removeUnused(tx, blob)
			removed += n
			return err
		})
	if err != nil {
		return removed, err
	}
	return removed, each(ctx, db, `select b.id from blobs b where not exists (select from evidence e where e.blob_id = b.id) and not exists (select from uploads u where u.blob_id = b.id) and b.id > ?`, forget)
}

// each runs fn for every id that the query names, each in a transaction of its
// own; the query's one mark is the id before.
func each(ctx context.Context, db *models.DB, query string, fn func(tx *models.Tx, id int64) error) error {
	for last := int64(0); ; {
		var ids []int64
		if err := db.Query(ctx).Raw(query+" order by 1 limit 100", last).Scan(&ids).Error; err != nil || len(ids) == 0 {
			return models.Classify(err)
		}
		for _, id := range ids {
			_, err := models.Do(ctx, db, models.Actor{}, nil, func(tx *models.Tx) (struct{}, error) { return struct{}{}, fn(tx, id) })
			if err != nil {
				return err
			}
			last = id
		}
	}
}

func removeUploads(ctx context.Context, db *models.DB) error {
	_, err := models.Do(ctx, db, models.Actor{}, nil, func(tx *models.Tx) (struct{}, error) {
		var gone []Upload
		err := tx.Raw(`delete from uploads where id in (select id from uploads where expires_at < now() order by id limit 1000 for update skip locked)
			returning id, blob_id, name, findings, found, decided_at`).Scan(&gone).Error
		for _, u := range gone {
			if err != nil {
				break
			}
			if u.DecidedAt == nil && u.Found > 0 {
				tx.Audit("upload.expired", u.object(), nil, nil)
			}
			_, err = removeUnused(tx, u.BlobID)
		}
		return struct{}{}, err
	})
	return err
}

// removeUnused removes the bytes of a blob that nothing needs any more: no
// attachment in force or held, no upload that waits. It returns how many
// attachments lost their bytes. A blob that another transaction works on is
// left to it.
func removeUnused(tx *models.Tx, blob int64) (int, error) {
	var free []int64
	if err := tx.Raw("select id from blobs where id = ? and removed_at is null for update skip locked", blob).Scan(&free).Error; err != nil || len(free) == 0 {
		return 0, err
	}
	var needed bool
	err := tx.Raw(`select exists (select from evidence e where e.blob_id = @blob and e.removed_at is null
			and (e.keep_until >= (now() at time zone 'utc')::date or exists (select from evidence_holds h where h.evidence_id = e.id)))
		or exists (select from uploads u where u.blob_id = @blob and u.decided_at is null and u.expires_at > now())`, map[string]any{"blob": blob}).Row().Scan(&needed)
	if err != nil || needed {
		return 0, err
	}
	if err := tx.Exec("delete from blob_chunks where blob_id = ?", blob).Error; err != nil {
		return 0, err
	}
	if err := tx.Exec("update blobs set removed_at = ? where id = ?", tx.Now, blob).Error; err != nil {
		return 0, err
	}
	var lost []Attachment
	err = tx.Raw("update evidence set removed_at = ? where blob_id = ? and removed_at is null returning id, name, keep_until", tx.Now, blob).Scan(&lost).Error
	for _, a := range lost {
		tx.Audit("evidence.removed", models.Object{Type: "evidence", ID: a.ID, Label: a.Name, Path: PathOf(a.ID)}, nil,
			map[string]any{"kept_until": a.KeepUntil.Format(time.DateOnly)})
	}
	return len(lost), err
}

// forget removes what is left of bytes that never became evidence.
func forget(tx *models.Tx, blob int64) error {
	var free []int64
	if err := tx.Raw("select id from blobs where id = ? for update skip locked", blob).Scan(&free).Error; err != nil || len(free) == 0 {
		return err
	}
	if err := tx.Exec("delete from blob_chunks where blob_id = ? and not exists (select from uploads u where u.blob_id = ?) and not exists (select from evidence e where e.blob_id = ?)", blob, blob, blob).Error; err != nil {
		return err
	}
	return tx.Exec("delete from blobs b where b.id = ? and not exists (select from uploads u where u.blob_id = b.id) and not exists (select from evidence e where e.blob_id = b.id)", blob).Error
}
