package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"

	"countersign/models"
)

// Limit is the largest file, in bytes.
const Limit = 50 << 20

// chunkSize is how much of a file one row holds, in bytes.
const chunkSize = 1 << 20

// collectEvery is after how many chunks their garbage is collected. The driver
// copies a chunk twice to send it, and left to itself the collector lets tens of
// megabytes of that pile up.
const collectEvery = 4

// blobWriter stores bytes as they come. Until finish nothing refers to them.
type blobWriter struct {
	tx   *models.Tx
	id   int64
	n    int
	size int64
	hash interface {
		Write(p []byte) (int, error)
		Sum(b []byte) []byte
	}
	buf []byte
}

func newBlob(tx *models.Tx) (*blobWriter, error) {
	w := &blobWriter{tx: tx, hash: sha256.New(), buf: make([]byte, 0, chunkSize)}
	err := tx.Raw("select nextval(pg_get_serial_sequence('blobs', 'id'))").Row().Scan(&w.id)
	return w, err
}

// Write stores every full chunk. ErrTooLarge when there are more than Limit bytes.
func (w *blobWriter) Write(p []byte) (int, error) {
	w.size += int64(len(p))
	if w.size > Limit {
		return 0, ErrTooLarge
	}
	w.hash.Write(p)
	for rest := p; len(rest) > 0; {
		n := copy(w.buf[len(w.buf):cap(w.buf)], rest)
		w.buf, rest = w.buf[:len(w.buf)+n], rest[n:]
		if len(w.buf) == cap(w.buf) {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

func (w *blobWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	err := w.tx.Exec("insert into blob_chunks (blob_id, number, bytes) values (?, ?, ?)", w.id, w.n, w.buf).Error
	w.buf, w.n = w.buf[:0], w.n+1
	if w.n%collectEvery == 0 {
		runtime.GC()
	}
	return err
}

// finish returns the id of the blob that holds these bytes: an earlier one when
// there is one, which no other transaction can remove until this one ends.
func (w *blobWriter) finish() (int64, error) {
	if err := w.flush(); err != nil {
		return 0, err
	}
	sum := hex.EncodeToString(w.hash.Sum(nil))
	for {
		made := w.tx.Exec("insert into blobs (id, sha256, size) overriding system value values (?, ?, ?) on conflict (sha256, size) where removed_at is null do nothing", w.id, sum, w.size)
		if made.Error != nil {
			return 0, made.Error
		}
		if made.RowsAffected == 1 {
			return w.id, nil
		}
		var earlier []int64
		if err := w.tx.Raw("select id from blobs where sha256 = ? and size = ? and removed_at is null for share", sum, w.size).Scan(&earlier).Error; err != nil {
			return 0, err
		}
		if len(earlier) == 1 { // else it was removed this instant: these bytes stay
			return earlier[0], w.abandon()
		}
	}
}

// abandon removes what was stored; nothing refers to it.
func (w *blobWriter) abandon() error {
	return w.tx.Exec("delete from blob_chunks where blob_id = ?", w.id).Error
}

func storeText(tx *models.Tx, text string) (*int64, error) {
	w, err := newBlob(tx)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write([]byte(text)); err != nil {
		return nil, err
	}
	id, err := w.finish()
	return &id, err
}
