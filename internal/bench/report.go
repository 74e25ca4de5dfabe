package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// printMachine says where the figures come from.
func printMachine(ctx context.Context, pool *pgxpool.Pool) {
	var version, buffers, fsync string
	_ = pool.QueryRow(ctx, "select current_setting('server_version'), current_setting('shared_buffers'), current_setting('fsync')").Scan(&version, &buffers, &fsync)
	fmt.Printf("%s/%s, %d CPUs (%s), memory %s, %s, PostgreSQL %s (shared_buffers %s, fsync %s), all on this machine.\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), procLine("/proc/cpuinfo", "model name"), procLine("/proc/meminfo", "MemTotal"), runtime.Version(), version, buffers, fsync)
}

// procLine is the value of a line of a /proc file; "unknown" where there is none.
func procLine(file, key string) string {
	f, err := os.Open(file)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func printTable(results []*result) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "page\tKB\tstatements\tms page\tms bare SQL\tratio\t")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%.0f\t%d\t%.2f\t%.2f\t%.1f\t\n", r.name, float64(r.size)/1024, len(r.statements), ms(r.render), ms(r.bare), float64(r.render)/float64(r.bare))
	}
	w.Flush()
	fmt.Printf("\nMedians of %d turns. A page is the whole request inside this process: session, person, queries, HTML.\n"+
		"Bare SQL is the same statements with the same values on one connection, rows read and dropped.\n\n", len(results[0].renders))
}

// printGrowth compares the same page in workspaces of different size.
func printGrowth(results []*result) {
	by := map[string]*result{}
	for _, r := range results {
		by[r.key] = r
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "as the workspace grows\tpage\tbare SQL\t")
	compared := []struct{ name, of, to string }{
		{"control list, 100,000 against 10 controls (50 rows against 10)", key("list", many), key("list", few)},
		{"control list, 100,000 against 60 controls (50 rows each)", key("list", many), key("list", full)},
		{"control list, page 1,981 against page 1", key("deep", many), key("list", many)},
		{"home, 100,000 against 10 controls", key("home", many), key("home", few)},
		{"matrix of a control, 10,000 against 10 runs", key(fmt.Sprint("matrix ", muchRun), many), key(fmt.Sprint("matrix ", littleRun), many)},
		{"a run of a control with 10,000 against 10 runs", key(fmt.Sprint("run ", muchRun), many), key(fmt.Sprint("run ", littleRun), many)},
		{"control in review, 100,000 against 10 controls", key("control", many), key("control", few)},
	}
	for _, v := range append([]string{oneAction}, ledgerNames()...) {
		compared = append(compared, struct{ name, of, to string }{v + ", 1,000,000 against 1,000 actions", key(v, long), key(v, short)})
	}
	for _, c := range compared {
		a, b := by[c.of], by[c.to]
		if a == nil || b == nil {
			continue // that part was not asked for
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t\n", c.name, float64(a.render)/float64(b.render), float64(a.bare)/float64(b.bare))
	}
	w.Flush()
}

func key(page string, controls int) string { return fmt.Sprint(page, controls) }

// slow is what a single statement may take before the bench points at it.
const slow = 5 * time.Millisecond

// printSlow names the statements worth an EXPLAIN.
func printSlow(results []*result) {
	for _, r := range results {
		for i, s := range r.statements {
			if r.each[i] < slow {
				continue
			}
			sql := strings.Join(strings.Fields(s.sql), " ")
			if len(sql) > 160 {
				sql = sql[:160] + "..."
			}
			fmt.Printf("\n%.1f ms on %s: %s\n", ms(r.each[i]), r.name, sql)
		}
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
