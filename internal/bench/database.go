package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"countersign/handlers"
	"countersign/models"
	"countersign/models/demo"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed seed.sql
var seed string

// workspace is one database with so many controls, or actions, and the whole
// application on it.
type workspace struct {
	controls int // 0: the demo's
	actions  int // made up; 0: only the demo's
	db       *models.DB
	web      http.Handler
	trace    *tracer
	close    func()
}

// workspaces makes a database with demo data and copies it once for each of wanted.
// drop removes them all, whatever happened.
func workspaces(ctx context.Context, server string, wanted ...workspace) (all []workspace, drop func(), err error) {
	admin, err := pgx.Connect(ctx, server)
	if err != nil {
		return nil, nil, err
	}
	var made []string
	drop = func() {
		for _, w := range all {
			w.close()
		}
		for _, name := range made {
			if _, e := admin.Exec(ctx, "drop database if exists "+name+" with (force)"); e != nil {
				fmt.Fprintln(os.Stderr, "bench: could not drop", name+":", e)
			}
		}
		_ = admin.Close(ctx)
	}
	create := func(name, from string) (string, error) {
		name = fmt.Sprintf("countersign_bench_%d_%d_%s", os.Getpid(), time.Now().UnixMilli(), name)
		made = append(made, name)
		_, err := admin.Exec(ctx, "create database "+name+" template "+from)
		return name, err
	}
	base, err := create("base", "template1")
	if err != nil {
		return nil, drop, err
	}
	if err := loadDemo(ctx, at(server, base)); err != nil {
		return nil, drop, err
	}
	for i, w := range wanted {
		name, err := create(fmt.Sprint(i), base)
		if err != nil {
			return all, drop, err
		}
		if err := w.open(ctx, at(server, name)); err != nil {
			return all, drop, err
		}
		all = append(all, w)
	}
	return all, drop, nil
}

// at is the connection string server with another database.
func at(server, database string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	u.Path = "/" + database
	return u.String()
}

func loadDemo(ctx context.Context, url string) error {
	db, err := models.Open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := models.Migrate(ctx, db.Pool); err != nil {
		return err
	}
	return demo.Load(ctx, db)
}

// open fills the database and puts the application on it.
func (w *workspace) open(ctx context.Context, url string) error {
	w.trace = &tracer{}
	db, err := models.Open(ctx, url, func(c *pgxpool.Config) { c.ConnConfig.Tracer = w.trace })
	if err != nil {
		return err
	}
	if err := w.fill(ctx, db); err != nil {
		db.Close()
		return err
	}
	srv := handlers.New(db, slog.New(slog.DiscardHandler), handlers.Config{BaseURL: origin})
	srv.Ready()
	w.db, w.web = db, srv.Handler()
	w.close = func() { srv.Close(); db.Close() }
	return nil
}

func (w *workspace) fill(ctx context.Context, db *models.DB) error {
	if w.controls > 0 {
		return grow(ctx, db, w.controls)
	}
	if err := demo.AddActions(ctx, db, w.actions, func(int) {}); err != nil {
		return err
	}
	_, err := db.Pool.Exec(ctx, "vacuum analyze")
	return err
}

// grow adds controls to the demo's until there are size of them.
func grow(ctx context.Context, db *models.DB, size int) error {
	var there int
	if err := db.Pool.QueryRow(ctx, "select count(*) from controls").Scan(&there); err != nil {
		return err
	}
	err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, strings.ReplaceAll(seed, ":many", fmt.Sprint(size-there)), pgx.QueryExecModeSimpleProtocol)
		return err
	})
	if err == nil {
		_, err = db.Pool.Exec(ctx, "vacuum analyze")
	}
	if err != nil {
		return fmt.Errorf("seed %d controls: %w", size, err)
	}
	if err := db.Pool.QueryRow(ctx, "select count(*) from controls").Scan(&there); err != nil || there != size {
		return errors.Join(err, fmt.Errorf("there are %d controls, want %d", there, size))
	}
	return nil
}
