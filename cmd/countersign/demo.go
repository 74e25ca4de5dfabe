package main

import (
	"context"
	"fmt"

	"countersign/internal/localpg"
	"countersign/models/demo"
)

type demoCmd struct{}

func (demoCmd) Run(ctx context.Context, g *globals) error {
	db, done, err := g.open(ctx, localpg.Join, g.logger())
	if err != nil {
		return err
	}
	defer done()
	if err := demo.Load(ctx, db); err != nil {
		return err
	}
	fmt.Fprintf(g.out, "The demo data is loaded. Sign in with any of these and the password %s:\n", demo.Password)
	for _, p := range demo.People {
		fmt.Fprintf(g.out, "  %-24s %s\n", p.Email, p.Name)
	}
	return nil
}
