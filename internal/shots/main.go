// Command shots takes pictures of the application with the demo data, for
// looking at and for README:
//
//	go run ./internal/withpg -- go run ./internal/shots -out docs/screenshots
//	go run ./internal/withpg -- go run ./internal/shots -all -out /tmp/shots
package main

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"countersign/internal/browser"
	"countersign/models"
	"countersign/models/demo"

	"github.com/jackc/pgx/v5"
)

func main() {
	out := flag.String("out", "docs/screenshots", "folder for the pictures")
	all := flag.Bool("all", false, "every page in every look, at full length")
	flag.Parse()
	if err := run(*out, *all); err != nil {
		fmt.Fprintln(os.Stderr, "shots:", err)
		os.Exit(1)
	}
}

// run makes a database, serves the demo data from it and takes the pictures.
func run(out string, all bool) (err error) {
	ctx := context.Background()
	r := &reporter{}
	defer func() {
		if p := recover(); p != nil && p != errFailed {
			panic(p)
		}
		r.close()
		if r.failed != "" {
			err = fmt.Errorf("%s", r.failed)
		}
	}()
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	db, err := database(ctx, r)
	if err != nil {
		return err
	}
	chrome, err := browser.Launch()
	if err != nil {
		return err
	}
	r.Cleanup(chrome.Close)
	if err := demo.Load(ctx, db); err != nil {
		return err
	}
	site := browser.Serve(r, chrome, db)
	for _, l := range looks {
		for who, pages := range places {
			tab := site.NewTab(r, l.view)
			if who != "" {
				tab.SignIn(who)
			}
			for _, p := range pages {
				if !all && !p.readme {
					continue
				}
				tab.Open(p.path)
				file := filepath.Join(out, p.name+l.suffix+".png")
				if err := os.WriteFile(file, tab.Picture(all), 0o644); err != nil {
					return err
				}
				fmt.Println(file)
			}
		}
	}
	return nil
}

// database makes one on the server of TEST_DATABASE_URL and drops it at the end.
func database(ctx context.Context, r *reporter) (*models.DB, error) {
	server := os.Getenv("TEST_DATABASE_URL")
	u, err := url.Parse(server)
	if server == "" || err != nil {
		return nil, fmt.Errorf("TEST_DATABASE_URL names no server: run `go run ./internal/withpg -- go run ./internal/shots`")
	}
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("shots_%d", os.Getpid())
	if _, err := conn.Exec(ctx, "create database "+name); err != nil {
		return nil, err
	}
	r.Cleanup(func() {
		_, _ = conn.Exec(ctx, "drop database "+name+" with (force)")
		_ = conn.Close(ctx)
	})
	u.Path = "/" + name
	db, err := models.Open(ctx, u.String())
	if err != nil {
		return nil, err
	}
	r.Cleanup(db.Close)
	_, err = models.Migrate(ctx, db.Pool)
	return db, err
}

var errFailed = fmt.Errorf("failed")

// reporter keeps what went wrong and what to do at the end.
type reporter struct {
	failed string
	end    []func()
}

func (r *reporter) Helper()                      {}
func (r *reporter) Logf(format string, a ...any) { fmt.Fprintf(os.Stderr, format+"\n", a...) }
func (r *reporter) Errorf(format string, a ...any) {
	r.failed = fmt.Sprintf(format, a...)
}
func (r *reporter) Fatalf(format string, a ...any) { r.Errorf(format, a...); panic(errFailed) }
func (r *reporter) Cleanup(f func())               { r.end = append(r.end, f) }

func (r *reporter) close() {
	for _, f := range slices.Backward(r.end) {
		f()
	}
}
