package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"countersign/models"
)

// Desk takes claims for one process. It keeps compiled rules, which the database
// confirms with every claim, and groups claims that arrive together.
type Desk struct {
	db    *models.DB
	batch *batch // nil: one statement for each claim

	mu     sync.Mutex
	places map[placeName]*place
}

type placeName struct{ control, environment string }

// maxPlaces is how many places are kept; beyond it all are forgotten at once.
const maxPlaces = 10_000

// NewDesk makes a desk on db; batch says whether claims may be grouped into one
// statement and one commit while the database is busy.
func NewDesk(db *models.DB, batch bool) *Desk {
	d := &Desk{db: db, places: map[placeName]*place{}}
	if batch {
		d.batch = newBatch(db)
	}
	return d
}

func (d *Desk) place(ctx context.Context, control, environment string) (*place, error) {
	name := placeName{control, environment}
	d.mu.Lock()
	p := d.places[name]
	d.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := loadPlace(ctx, d.db, control, environment)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.places) >= maxPlaces {
		clear(d.places)
	}
	d.places[name] = p
	return p, nil
}

// forget drops a place that the database did not confirm.
func (d *Desk) forget(p *place) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := placeName{p.ControlSlug, p.EnvironmentSlug}
	if d.places[name] == p {
		delete(d.places, name)
	}
}

// run decides one claim, alone or with others.
func (d *Desk) run(ctx context.Context, row claimRow) (claimResult, error) {
	if d.batch != nil {
		return d.batch.run(ctx, row)
	}
	results, err := runClaims(ctx, d.db, []claimRow{row})
	if err != nil {
		return claimResult{}, err
	}
	return results[0], nil
}

// runClaims decides claims in one statement and one commit.
func runClaims(ctx context.Context, db *models.DB, rows []claimRow) ([]claimResult, error) {
	list, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	var answer []byte
	if err := db.Pool.QueryRow(ctx, "select ledger_claims($1::text::jsonb)::text", string(list)).Scan(&answer); err != nil {
		return nil, err
	}
	var results []claimResult
	if err := json.Unmarshal(answer, &results); err != nil {
		return nil, err
	}
	if len(results) != len(rows) {
		return nil, fmt.Errorf("%d answers to %d claims", len(results), len(rows))
	}
	return results, nil
}
