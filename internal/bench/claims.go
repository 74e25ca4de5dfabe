package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/people"
)

// claimTime is how long each number of connections is measured, one way.
const claimTime = 8 * time.Second

// rate is what one way of claiming came to.
type rate struct {
	perSecond float64
	p50, p99  time.Duration
}

// claims measures claims of new keys over HTTP, against the program as a process
// of its own, and the statement that a claim comes to, sent by pgbench.
func claims(ctx context.Context, database string) error {
	bench, err := exec.LookPath("pgbench")
	if err != nil {
		fmt.Println("\nClaims are not measured: pgbench is not on the path.")
		return nil
	}
	dir, err := os.MkdirTemp("", "countersign-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := models.Open(ctx, database)
	if err != nil {
		return err
	}
	defer db.Close()
	token, script, err := claimant(ctx, db, dir)
	if err != nil {
		return err
	}
	bin, err := build(ctx, dir)
	if err != nil {
		return err
	}
	server, err := serve(ctx, bin, database, dir)
	if server != nil {
		defer server.stop()
	}
	if err != nil {
		return err
	}
	idle, _ := server.memory()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nclaims of new keys\tover HTTP/s\tbare statement/s\tratio\tms p50\tms p99\tbare ms p99\tratio of p99\t")
	for _, connections := range []int{1, 8, 64} {
		if _, err := overHTTP(ctx, server.url, token, connections, time.Second); err != nil { // warm
			return err
		}
		bare, err := byPgbench(ctx, bench, database, script, dir, connections)
		if err != nil {
			return err
		}
		http, err := overHTTP(ctx, server.url, token, connections, claimTime)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d connections\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", connections, http.perSecond, bare.perSecond, http.perSecond/bare.perSecond,
			ms(http.p50), ms(http.p99), ms(bare.p99), float64(http.p99)/float64(bare.p99))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	now, most := server.memory()
	fmt.Printf("\nThe server is a process of its own, the client runs in this one, pgbench (%s) alone. Memory of the server: %.0f MB idle, %.0f MB afterwards, %.0f MB at most.\n",
		bench, idle, now, most)
	return nil
}

// claimant makes a token for the demo control, and the script of the bare claim.
func claimant(ctx context.Context, db *models.DB, dir string) (token, script string, err error) {
	made, err := people.CreateTokenByCommand(ctx, db, people.CreateTokenByCommandCmd{TokenFacts: people.TokenFacts{Name: "Bench", Workflow: "service-request", Environment: "sandbox"}})
	if err != nil {
		return "", "", err
	}
	by, err := people.ActorByEmail(ctx, db, "implementer@example.test")
	if err != nil {
		return "", "", err
	}
	text, err := ledger.BareClaim(ctx, db, ledger.Person(by), "create-crm-task", "sandbox")
	if err != nil {
		return "", "", err
	}
	script = filepath.Join(dir, "claim.sql")
	return made.Token, script, os.WriteFile(script, []byte(text), 0o600)
}

var claimNumber atomic.Int64

// overHTTP claims new keys on so many connections at once.
func overHTTP(ctx context.Context, url, token string, connections int, during time.Duration) (rate, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	each := make([][]time.Duration, connections)
	var failed atomic.Value
	var wg sync.WaitGroup
	began := time.Now()
	for c := range connections {
		wg.Go(func() {
			for time.Since(began) < during && failed.Load() == nil {
				start := time.Now()
				if err := claimOnce(ctx, client, url, token); err != nil {
					failed.Store(err)
					return
				}
				each[c] = append(each[c], time.Since(start))
			}
		})
	}
	wg.Wait()
	if err, ok := failed.Load().(error); ok {
		return rate{}, err
	}
	return rateOf(slices.Concat(each...), time.Since(began)), nil
}

func claimOnce(ctx context.Context, client *http.Client, url, token string) error {
	body := fmt.Appendf(nil, `{"control": "create-crm-task", "environment": "sandbox", "input": {"request_id": "http-%d-%d"}, "worker": "bench", "lease_seconds": %d}`, os.Getpid(), claimNumber.Add(1), ledger.MaxLease)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/v1/actions/claim", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusCreated {
		err = fmt.Errorf("a claim was answered %d: %s", answer.StatusCode, text)
	}
	return err
}

func rateOf(all []time.Duration, took time.Duration) rate {
	slices.Sort(all)
	if len(all) == 0 {
		return rate{}
	}
	return rate{perSecond: float64(len(all)) / took.Seconds(), p50: all[len(all)/2], p99: all[len(all)*99/100]}
}

// byPgbench sends the bare statement on so many connections at once.
func byPgbench(ctx context.Context, bench, database, script, dir string, connections int) (rate, error) {
	log := filepath.Join(dir, fmt.Sprint("bare", connections))
	cmd := exec.CommandContext(ctx, bench, "-n", "-M", "prepared", "-c", fmt.Sprint(connections), "-j", fmt.Sprint(min(connections, 2)), "-T", fmt.Sprint(int(claimTime.Seconds())),
		"-f", script, "-l", "--log-prefix", log, database)
	cmd.Env = append(os.Environ(), "PGOPTIONS=-c synchronous_commit=on -c jit=off") // as the server's own connections
	out, err := cmd.CombinedOutput()
	if err != nil {
		return rate{}, fmt.Errorf("pgbench: %w: %s", err, out)
	}
	files, err := filepath.Glob(log + ".*")
	if err != nil {
		return rate{}, err
	}
	var all []time.Duration
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return rate{}, err
		}
		for line := range strings.Lines(string(text)) { // client, transaction, microseconds ...
			if fields := strings.Fields(line); len(fields) > 2 {
				us, _ := strconv.ParseInt(fields[2], 10, 64)
				all = append(all, time.Duration(us)*time.Microsecond)
			}
		}
	}
	return rateOf(all, claimTime), nil
}
