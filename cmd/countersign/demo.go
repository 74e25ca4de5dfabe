package main

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/localpg"
	"countersign/models/demo"
)

type demoCmd struct {
	Actions int `help:"Add this many made-up actions with deliveries, attempts, lookups and replay requests." placeholder:"N"`
}

func (c demoCmd) Run(ctx context.Context, g *globals) error {
	db, done, err := g.open(ctx, localpg.Join, g.logger())
	if err != nil {
		return err
	}
	defer done()
	if err := demo.Load(ctx, db); err != nil {
		return err
	}
	if c.Actions > 0 {
		began := time.Now()
		if err := demo.AddActions(ctx, db, c.Actions, func(done int) { fmt.Fprintf(g.out, "\r%d of %d actions", done, c.Actions) }); err != nil {
			return err
		}
		fmt.Fprintf(g.out, "\rAdded %d actions in %s.\n", c.Actions, time.Since(began).Round(time.Second))
	}
	fmt.Fprintf(g.out, "The demo data is loaded. Sign in with any of these and the password %s:\n", demo.Password)
	for _, p := range demo.People {
		fmt.Fprintf(g.out, "  %-24s %s\n", p.Email, p.Name)
	}
	return nil
}
