package people

import (
	"sync"
	"sync/atomic"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
)

// Guesses through several servers do not share the turns of one: the database
// alone keeps the limit.
func TestReservingKeepsThePairLimitAcrossServers(t *testing.T) {
	db := testdb.New(t)
	var taken atomic.Int32
	var wg sync.WaitGroup
	for range 24 {
		wg.Go(func() {
			_, err := reserve(t.Context(), db, "owner@example.test", "10.0.0.1")
			if err == nil {
				taken.Add(1)
			} else if !models.IsKind(err, models.KindTooMany) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := taken.Load(); n != pairLimit {
		t.Errorf("%d guesses got through, want %d", n, pairLimit)
	}
}
