package evidence

import (
	"countersign/models"
)

// Hold keeps the bytes of evidence that something open rests on, whatever its
// date says. path names what is open, reason says it in words. Holding twice is
// once.
func Hold(tx *models.Tx, path, reason string, ids ...int64) error {
	for _, id := range ids {
		if err := tx.Exec("insert into evidence_holds (evidence_id, path, reason) values (?, ?, ?) on conflict (evidence_id, path) do nothing", id, path, reason).Error; err != nil {
			return err
		}
	}
	return nil
}

// Release ends what Hold began for path.
func Release(tx *models.Tx, path string) error {
	return tx.Exec("delete from evidence_holds where path = ?", path).Error
}
