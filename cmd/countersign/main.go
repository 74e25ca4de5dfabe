// Command countersign is the server and its tools for operators.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"countersign/internal/localpg"
	"countersign/models"

	"github.com/alecthomas/kong"
)

type cli struct {
	globals
	Serve   serveCmd   `cmd:"" help:"Run the web server."`
	Migrate migrateCmd `cmd:"" help:"Bring the database schema up to date and stop."`
	Demo    demoCmd    `cmd:"" help:"Load the demo data: a workflow, three controls and seven people."`
	User    userCmd    `cmd:"" help:"Manage people."`
	Token   tokenCmd   `cmd:"" help:"Manage the tokens of automations."`
	Audit   auditCmd   `cmd:"" help:"Check the audit log."`
	Export  exportCmd  `cmd:"" help:"Write the whole workspace into one file."`
	Import  importCmd  `cmd:"" help:"Read an exported workspace into an empty one."`
}

// globals are the settings of every command.
type globals struct {
	DatabaseURL string `env:"DATABASE_URL" placeholder:"URL" help:"PostgreSQL to use, e.g. postgres://user:secret@host/countersign. Empty: a private PostgreSQL under the data folder."`
	DataDir     string `env:"DATA_DIR" default:"./data" type:"path" help:"Folder of the private PostgreSQL."`
	NoDownload  bool   `env:"COUNTERSIGN_NO_DOWNLOAD" help:"Never download PostgreSQL; use what is installed or stop with a message."`
	LogFormat   string `env:"LOG_FORMAT" enum:"auto,text,json" default:"auto" help:"Log as text or json; auto is text on a terminal."`

	out io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c cli
	c.out = os.Stdout
	k := kong.Parse(&c, kong.Name("countersign"), kong.Description("Agree what counts as the same action, prove it, and decide every replay."),
		kong.UsageOnError(), kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(&c.globals))
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "countersign:", plain(err))
		os.Exit(1)
	}
}

// plain is the error as a person at a terminal reads it.
func plain(err error) string {
	if e := models.AsError(err); e != nil && len(e.Fields) > 0 {
		var lines []string
		for _, f := range e.Fields {
			lines = append(lines, f.Field+": "+f.Message)
		}
		return strings.Join(lines, "\n  ")
	}
	return err.Error()
}

func (g *globals) logger() *slog.Logger {
	info, err := os.Stderr.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	if g.LogFormat == "json" || (g.LogFormat == "auto" && !terminal) {
		return slog.New(slog.NewJSONHandler(os.Stderr, nil))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, nil))
}

// open connects to the database that the settings name, migrated. The private
// one is joined when it runs and started when it doesn't. Call close when done.
func (g *globals) open(ctx context.Context, mode localpg.Mode, log *slog.Logger) (db *models.DB, close func() error, err error) {
	db, close, err = g.connect(ctx, mode, log)
	if err != nil {
		return nil, nil, err
	}
	if _, err := models.Migrate(ctx, db.Pool); err != nil {
		return nil, nil, errors.Join(err, close())
	}
	return db, close, nil
}

// hasDatabase says which folder holds no database, for a command that would
// otherwise begin an empty one.
func (g *globals) hasDatabase() error {
	if g.DatabaseURL != "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(g.DataDir, "pg")); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("no database in %s: set DATA_DIR to the folder of the server, or DATABASE_URL", g.DataDir)
	}
	return nil
}

func (g *globals) connect(ctx context.Context, mode localpg.Mode, log *slog.Logger) (*models.DB, func() error, error) {
	if g.DatabaseURL != "" {
		db, err := models.Open(ctx, g.DatabaseURL)
		if err != nil {
			return nil, nil, err
		}
		return db, func() error { db.Close(); return nil }, nil
	}
	inst, err := localpg.Open(ctx, localpg.Options{DataDir: g.DataDir, Mode: mode, Log: log, Fetch: localpg.Download{}, NoDownload: g.NoDownload})
	if err != nil {
		return nil, nil, err
	}
	db, err := models.Open(ctx, inst.URL())
	if err != nil {
		return nil, nil, errors.Join(err, inst.Close())
	}
	return db, func() error { db.Close(); return inst.Close() }, nil
}
