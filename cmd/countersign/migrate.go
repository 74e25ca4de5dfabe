package main

import (
	"context"
	"fmt"

	"countersign/internal/localpg"
	"countersign/models"
)

type migrateCmd struct{}

func (migrateCmd) Run(ctx context.Context, g *globals) error {
	db, done, err := g.connect(ctx, localpg.Join, g.logger())
	if err != nil {
		return err
	}
	defer done()
	applied, err := models.Migrate(ctx, db.Pool)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.out, "The database is up to date. Migrations applied: %d.\n", applied)
	return nil
}
