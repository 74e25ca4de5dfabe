package main

import (
	"context"
	"errors"
	"fmt"

	"countersign/internal/localpg"
	"countersign/models"
)

type auditCmd struct {
	Verify verifyCmd `cmd:"" help:"Walk the whole audit log and check that nothing was changed, removed or put in."`
}

type verifyCmd struct{}

func (verifyCmd) Run(ctx context.Context, g *globals) error {
	db, done, err := g.open(ctx, localpg.Join, g.logger())
	if err != nil {
		return err
	}
	defer done()
	report, err := models.VerifyAudit(ctx, db)
	if err != nil {
		return err
	}
	if report.Problem != "" {
		return errors.New("the audit log was tampered with: " + report.Problem)
	}
	if report.Events == 0 {
		return models.Conflictf("The audit log is empty: nothing was ever done in this database. After a restore that means nothing was restored.")
	}
	fmt.Fprintf(g.out, "The audit log is whole: %d events.\nLast hash: %s\nKeep a copy of the last line elsewhere: it shows later whether the end was cut off.\n", report.Events, report.LastHash)
	return nil
}
