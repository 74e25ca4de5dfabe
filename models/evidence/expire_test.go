package evidence_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/evidence"
)

// age moves the date of an attachment, which no command can.
func (w *world) age(id int64, days int) {
	w.Helper()
	for _, sql := range []string{"alter table evidence disable trigger evidence_append_only",
		fmt.Sprintf("update evidence set keep_until = (now() at time zone 'utc')::date + %d where id = %d", days, id), "alter table evidence enable trigger evidence_append_only"} {
		if err := w.exec(sql); err != nil {
			w.Fatal(err)
		}
	}
}

func TestExpiry(t *testing.T) {
	w := newWorld(t)
	alone, shared, twin, held := w.attach("alone.txt", "alone"), w.attach("shared.txt", "shared"), w.attach("twin.txt", "shared"), w.attach("held.txt", "held")
	for _, a := range []evidence.Attachment{alone, shared, held} {
		w.age(a.ID, -1)
	}
	hold := func(fn func(tx *models.Tx) error) {
		if _, err := models.Do(t.Context(), w.db, w.author, nil, func(tx *models.Tx) (struct{}, error) { return struct{}{}, fn(tx) }); err != nil {
			t.Fatal(err)
		}
	}
	hold(func(tx *models.Tx) error {
		return evidence.Hold(tx, "/runs/41", "its discrepancy is open", held.ID, held.ID)
	})
	now, _ := w.db.Now(t.Context())
	if s := w.of(alone.ID).State(now); s != evidence.Expired {
		t.Error("before the job:", s)
	}
	if _, _, err := evidence.Open(t.Context(), w.db, alone.ID); !evidence.IsGone(err) {
		t.Error(err)
	}
	if w.bytes(held.ID) != "held" || w.of(held.ID).Counts(now) {
		t.Error("what is held can be read and does not count")
	}
	// Two servers at once.
	var all sync.WaitGroup
	removed := make([]int, 2)
	for i := range removed {
		all.Go(func() {
			var err error
			if removed[i], err = evidence.RemoveExpired(t.Context(), w.db); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if removed[0]+removed[1] != 1 {
		t.Error(removed)
	}
	a := w.of(alone.ID)
	if a.State(now) != evidence.Removed || a.SHA256 != alone.SHA256 || a.Size != 5 || a.Name != "alone.txt" || a.RemovedAt == nil {
		t.Errorf("%+v", a)
	}
	if w.of(shared.ID).State(now) != evidence.Expired || w.bytes(twin.ID) != "shared" {
		t.Error("shared bytes")
	}
	if n := w.number("select count(*) from audit_events where action = 'evidence.removed' and object_id = ? and person_id is null", alone.ID); n != 1 {
		t.Errorf("%d events", n)
	}
	if n := w.number("select count(*) from blob_chunks"); n != 2 {
		t.Errorf("%d chunks", n)
	}
	// The same bytes again are stored anew.
	if again := w.attach("again.txt", "alone"); w.bytes(again.ID) != "alone" || w.of(alone.ID).RemovedAt == nil {
		t.Error("bytes came back to life")
	}
	hold(func(tx *models.Tx) error { return evidence.Release(tx, "/runs/41") })
	if n, err := evidence.RemoveExpired(t.Context(), w.db); err != nil || n != 1 {
		t.Error(n, err)
	}
}

func TestUndecidedUploadsGo(t *testing.T) {
	w := newWorld(t)
	w.flag("a.csv", flaggedText)
	if _, err := evidence.RemoveExpired(t.Context(), w.db); err != nil {
		t.Fatal(err)
	}
	if n := w.number("select count(*) from blob_chunks"); n != 1 {
		t.Error("it went before its hour was over")
	}
	if err := w.exec("update uploads set expires_at = now() - interval '1 second'"); err != nil {
		t.Fatal(err)
	}
	if _, err := evidence.RemoveExpired(t.Context(), w.db); err != nil {
		t.Fatal(err)
	}
	w.nothing()
	if n := w.number("select count(*) from audit_events where action = 'upload.expired'"); n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestStates(t *testing.T) {
	now := time.Date(2026, 5, 8, 23, 59, 0, 0, time.UTC)
	for days, want := range map[int]evidence.State{-1: evidence.Expired, 0: evidence.Expiring, 14: evidence.Expiring, 15: evidence.InForce} {
		a := evidence.Attachment{Kind: evidence.File, KeepUntil: time.Date(2026, 5, 8+days, 0, 0, 0, 0, time.UTC)}
		if a.State(now) != want || a.Counts(now) != (days >= 0) || a.Readable(now) != (days >= 0) {
			t.Errorf("%d: %s", days, a.State(now))
		}
		a.RemovedAt = &now
		if a.State(now) != evidence.Removed || a.Counts(now) || a.Readable(now) {
			t.Errorf("%d: removed is %s", days, a.State(now))
		}
	}
}

func TestEvidenceIsAppendOnly(t *testing.T) {
	w := newWorld(t)
	a := w.attach("a.txt", "text")
	for _, sql := range []string{"delete from evidence", "update evidence set name = 'b.txt'", "update evidence set keep_until = keep_until + 1", "update evidence set removed_at = now(), name = 'b.txt'", "truncate evidence cascade",
		"update blob_chunks set bytes = 'other'", "update blob_chunks set number = 7", "update blobs set size = 1", "update blobs set removed_at = now(), sha256 = repeat('0', 64)",
		"truncate blob_chunks", "truncate uploads", "truncate evidence_holds", "truncate blobs cascade"} {
		if err := w.exec(sql); err == nil {
			t.Errorf("%s was not refused", sql)
		}
	}
	if err := w.exec("update evidence set removed_at = now()"); err != nil {
		t.Error(err)
	}
	if err := w.exec("update evidence set removed_at = null"); err == nil {
		t.Error("removed bytes came back")
	}
	if err := w.exec("update blobs set removed_at = now()"); err != nil {
		t.Error(err)
	}
	if err := w.exec("update blobs set removed_at = null"); err == nil {
		t.Error("a removed blob came back")
	}
	if w.of(a.ID).Name != "a.txt" || w.number("select count(*) from blob_chunks where bytes = 'text'") != 1 {
		t.Error("it changed")
	}
}
