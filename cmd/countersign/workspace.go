package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"countersign/internal/localpg"
	"countersign/models/workspace"
)

type exportCmd struct {
	File string `arg:"" optional:"" default:"-" help:"File to write, readable by its owner only; it must not be there yet. Without it, or with -: standard output."`
}

// Help is what --help adds.
func (exportCmd) Help() string {
	return `Writes every row of the workspace at one instant, also while a server runs: people, records, history, evidence with its bytes, ledger, queue and audit log, as JSON lines with a hash over all of them.

The file is as secret as the database: it holds the hashes of passwords and tokens and the secrets of webhooks, so that everybody signs in and every automation goes on as before after a move. Sessions are left out: everybody signs in again. Jobs are left out too: e-mails and webhook messages that are still waiting are sent from here, if at all.

Example: countersign export workspace.jsonl`
}

func (cmd exportCmd) Run(ctx context.Context, g *globals) (err error) {
	db, done, err := g.open(ctx, localpg.Join, g.logger())
	if err != nil {
		return err
	}
	defer done()
	if cmd.File == "-" {
		_, err := workspace.Export(ctx, db, g.out)
		return err
	}
	f, err := os.OpenFile(cmd.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	report, err := workspace.Export(ctx, db, f)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = os.Remove(cmd.File) // half a file is none
		return err
	}
	fmt.Fprintf(g.out, "%d rows of %d tables are in %s. Keep it as you keep the database: it holds hashes of passwords and tokens.\n", report.Rows, report.Tables, cmd.File)
	said(g.out, report)
	return nil
}

type importCmd struct {
	File string `arg:"" help:"File that export wrote; - is standard input."`
}

// Help is what --help adds.
func (importCmd) Help() string {
	return `Reads an export into an empty workspace, with the same version of Countersign that wrote it, in one transaction. A file with a problem changes nothing: what is wrong is listed by line. The audit chain, every fingerprint and every hash of evidence is computed again before anything is kept.

Stop the servers of the new workspace first; a set-up link that nobody used does not count as something. Passwords, tokens and webhook secrets work as before; everybody signs in again. The old workspace stays as it is: end it, so that no action is claimed in both.

Example: DATABASE_URL=postgres://... countersign import workspace.jsonl`
}

func (cmd importCmd) Run(ctx context.Context, g *globals) error {
	from := io.Reader(os.Stdin)
	if cmd.File != "-" {
		f, err := os.Open(cmd.File)
		if err != nil {
			return err
		}
		defer f.Close()
		from = f
	}
	db, done, err := g.open(ctx, localpg.Join, g.logger())
	if err != nil {
		return err
	}
	defer done()
	report, err := workspace.Import(ctx, db, from)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.out, "%d rows of %d tables were imported. The audit log is whole, and every fingerprint and hash of evidence was computed again.\n", report.Rows, report.Tables)
	said(g.out, report)
	return nil
}

// said is what both commands say in the end.
func said(out io.Writer, r workspace.Report) {
	if r.LastHash != "" {
		fmt.Fprintf(out, "Last hash of the audit log: %s\n", r.LastHash)
	}
	if r.Waiting > 0 {
		fmt.Fprintf(out, "%d e-mails and webhook messages were waiting to be sent; they are not sent from a new place.\n", r.Waiting)
	}
}
