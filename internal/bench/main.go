// Command bench measures whole page renders against the bare SQL that each page
// needs: the same statements, sent straight to the database. It prints ratios;
// no absolute time decides anything. The keys of inputs are measured against a
// bare parse of the same JSON. It needs TEST_DATABASE_URL, a superuser's
// connection string, and makes and drops its own databases:
//
//	make bench
//
// Parts of it can be named: pages, ledger, queue, keys, claims.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// few fills a part of a page, full one page and a bit, many 2,000 pages.
const (
	few  = 10
	full = 60
	many = 100_000

	short = 1_000 // actions of a ledger
	long  = 1_000_000
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	server := os.Getenv("TEST_DATABASE_URL")
	if server == "" {
		return errors.New("TEST_DATABASE_URL is not set: run `make bench`")
	}
	began := time.Now()
	wanted := []workspace{{controls: few}}
	if has("pages") {
		wanted = append(wanted, workspace{controls: full}, workspace{controls: many})
	}
	if has("ledger") {
		wanted = append(wanted, workspace{actions: short}, workspace{actions: long})
	}
	all, drop, err := workspaces(ctx, server, wanted...)
	if drop != nil {
		defer drop()
	}
	if err != nil {
		return err
	}
	fmt.Printf("Seeded in %.0f s. Each person is named by 200 controls where there are many.\n", time.Since(began).Seconds())
	printMachine(ctx, all[0].db.Pool)
	if len(wanted) > 1 {
		if err := pages(ctx, all); err != nil {
			return err
		}
	}
	if has("queue") {
		if err := queue(ctx, server); err != nil {
			return err
		}
	}
	if has("keys") {
		if err := printKeys(); err != nil {
			return err
		}
	}
	if has("claims") {
		return claims(ctx, all[0].db.Pool.Config().ConnString())
	}
	return nil
}

// has reports whether a part was asked for: all of them are unless some are named.
func has(part string) bool {
	return len(os.Args) < 2 || slices.Contains(os.Args[1:], part)
}

func pages(ctx context.Context, all []workspace) error {
	pages, err := plan(ctx, all)
	if err != nil {
		return err
	}
	results, err := measure(ctx, pages)
	if err != nil {
		return err
	}
	printTable(results)
	printGrowth(results)
	printSlow(results)
	return nil
}

// plan is what is measured.
func plan(ctx context.Context, all []workspace) ([]page, error) {
	var pages []page
	add := func(w *workspace, as *browser, key, name, path, wants string, rows int) {
		pages = append(pages, page{name: fmt.Sprintf("%s, %s controls", name, thousands(w.controls)), key: fmt.Sprint(key, w.controls),
			in: w, as: as, path: path, wants: wants, rows: rows})
	}
	for i := range all {
		w := &all[i]
		if w.actions > 0 {
			more, err := ledgerPlan(ctx, w)
			if err != nil {
				return nil, err
			}
			pages = append(pages, more...)
			continue
		}
		owner, err := signIn(w.web, "owner@example.test")
		if err != nil {
			return nil, err
		}
		implementer, err := signIn(w.web, "implementer@example.test")
		if err != nil {
			return nil, err
		}
		add(w, owner, "home", "home, business owner", "/", "<h1", 0)
		if w.controls == many {
			add(w, implementer, "home implementer", "home, implementer", "/", "<h1", 0)
		}
		add(w, owner, "list", "control list, first page", "/controls", "<h1", min(w.controls, 50))
		if w.controls == many {
			deep, err := cursorAt(ctx, w, many-1_000)
			if err != nil {
				return nil, err
			}
			add(w, owner, "deep", "control list, page 1,981", "/controls?at="+deep, "<h1", 50)
			for _, f := range [][2]string{{"one workflow", "workflow=workflow-7"}, {"in review", "state=in_review"}, {"gate manual", "gate=manual"},
				{"blocked", "gate=blocked"}, {"unresolved", "unresolved=1"}} {
				add(w, owner, f[0], "control list, "+f[0], "/controls?"+f[1], "<h1", 50)
			}
			add(w, owner, "grid", "matrix of all controls, first page", "/matrix", "<h1", 0)
			add(w, owner, "grid failed", "matrix of all controls, failed", "/matrix?state=failed", "<h1", 0)
			for _, runs := range []int{littleRun, muchRun} {
				slug, last, err := testedControl(ctx, w, runs)
				if err != nil {
					return nil, err
				}
				add(w, owner, fmt.Sprint("matrix ", runs), fmt.Sprintf("matrix of a control with %s runs", thousands(runs)), "/controls/"+slug+"/matrix", "<h1", 0)
				add(w, owner, fmt.Sprint("run ", runs), fmt.Sprintf("one of %s runs", thousands(runs)), fmt.Sprint("/runs/", last), "<h1", 0)
			}
			add(w, owner, "search", "control list, search for one", "/controls?q=control-77777", "control-77777", 1)
		}
		add(w, owner, "control", "control in review", "/controls/create-crm-task", "create-crm-task", 0)
	}
	return pages, nil
}

// littleRun and muchRun are how many runs the two tested controls have.
const (
	littleRun = 10
	muchRun   = 10_000
)

// testedControl finds the control with so many runs, and the last of them.
func testedControl(ctx context.Context, w *workspace, runs int) (slug string, last int64, err error) {
	err = w.db.Pool.QueryRow(ctx, "select c.slug, max(r.id) from runs r join controls c on c.id = r.control_id where c.slug like 'control-%' group by c.slug having count(*) = $1", runs).Scan(&slug, &last)
	return slug, last, err
}

// cursorAt is the link to the page of the list that begins after n controls.
func cursorAt(ctx context.Context, w *workspace, n int) (string, error) {
	var name, id string
	if err := w.db.Pool.QueryRow(ctx, "select name, id::text from controls order by name, id offset $1 limit 1", n-1).Scan(&name, &id); err != nil {
		return "", err
	}
	return cursor(name, id), nil
}

// cursor is the link to the page of a list that begins after an item.
func cursor(key ...string) string {
	b, _ := json.Marshal(map[string]any{"k": key}) // texts only
	return base64.RawURLEncoding.EncodeToString(b)
}

// thousands is n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	var groups []string
	for len(s) > 3 {
		groups = append([]string{s[len(s)-3:]}, groups...)
		s = s[:len(s)-3]
	}
	return strings.Join(append([]string{s}, groups...), ",")
}
