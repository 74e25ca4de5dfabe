package workspace

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"

	"countersign/models"
)

// verify computes again what the rows say of themselves.
func (l *loader) verify() error {
	report, err := models.VerifyAuditIn(l.q)
	if err != nil {
		return err
	}
	if report.Problem != "" {
		l.problem("The audit log was tampered with: %s.", report.Problem)
	}
	var wrong []struct {
		Slug   string
		Number int
	}
	err = l.q.Raw(`select c.slug, r.number from revisions r join controls c on c.id = r.control_id
		where r.content is not null and encode(sha256(convert_to(r.content, 'UTF8')), 'hex') <> r.full_hash order by r.id limit ?`, MaxProblems).Scan(&wrong).Error
	if err != nil {
		return err
	}
	for _, r := range wrong {
		l.problem("Revision %d of %s has another content than its fingerprint says.", r.Number, r.Slug)
	}
	if err := l.q.Raw(`select c.slug, r.number from signatures s join revisions r on r.id = s.revision_id join controls c on c.id = r.control_id
		where s.voided_at is null and s.full_hash is distinct from r.full_hash order by s.id limit ?`, MaxProblems).Scan(&wrong).Error; err != nil {
		return err
	}
	for _, r := range wrong {
		l.problem("A signature on revision %d of %s is on another fingerprint.", r.Number, r.Slug)
	}
	return l.verifyBlobs()
}

// verifyBlobs hashes the bytes of evidence, chunk after chunk.
func (l *loader) verifyBlobs() error {
	after := int64(0)
	for {
		var blobs []struct {
			ID     int64
			SHA256 string `gorm:"column:sha256"`
			Size   int64
		}
		if err := l.q.Raw("select id, sha256, size from blobs where removed_at is null and id > ? order by id limit 500", after).Scan(&blobs).Error; err != nil || len(blobs) == 0 {
			return err
		}
		for _, b := range blobs {
			after = b.ID
			sum, size, err := l.hashOf(b.ID)
			if err != nil {
				return err
			}
			if (sum != b.SHA256 || size != b.Size) && !l.full() {
				l.problem("The bytes of blob %d are not those that its SHA-256 names.", b.ID)
			}
		}
	}
}

func (l *loader) hashOf(blob int64) (sum string, size int64, err error) {
	h := sha256.New()
	for n := 0; ; n++ {
		var chunk []byte
		row := l.q.Raw("select bytes from blob_chunks where blob_id = ? and number = ?", blob, n).Row()
		if err := row.Scan(&chunk); err != nil {
			if errors.Is(err, sql.ErrNoRows) {
				return hex.EncodeToString(h.Sum(nil)), size, nil
			}
			return "", 0, err
		}
		h.Write(chunk)
		size += int64(len(chunk))
	}
}
