package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// fewOpen and manyOpen are how many replay requests wait.
const (
	fewOpen  = 100
	manyOpen = 100_000
)

// seedRequests adds open requests like the demo's until there are so many, each for an
// action of its own; half of them and 400 at most wait on the approver, the others on
// the lead, so that both see a full page however many there are.
const seedRequests = `
with made as (
  insert into actions (workflow_id, environment_id, control_id, destination_id, revision_id, rule_id, identity_key, record_id, state, attempt_id, lease_until, changed_at)
  select a.workflow_id, a.environment_id, a.control_id, a.destination_id, a.revision_id, a.rule_id, a.identity_key || n, 'request-load-' || n, 'unknown', a.attempt_id, a.lease_until, a.changed_at + n * interval '1 ms'
  from requests r join actions a on a.id = r.action_id, generate_series(2, $1::int) n where r.id = 1 returning id, record_id),
asked as (
  insert into requests (action_id, workflow_id, environment_id, control_id, reason, uncertain, policy_id, asked_by, level, next_at, expires_at)
  select m.id, r.workflow_id, r.environment_id, r.control_id, r.reason, r.uncertain, case when m.n < least(400, $1::int / 2) then r.policy_id else (select max(id) from policy_versions) end, r.asked_by, 1, r.next_at + m.n * interval '1 s', r.expires_at
  from requests r, (select id, row_number() over (order by id) as n from made) m where r.id = 1 returning id, next_at)
insert into request_levels (request_id, number, minutes, due_at) select a.id, l.number, l.minutes, a.next_at + (l.number - 1) * interval '30 minutes' from asked a, request_levels l where l.request_id = 1`

// seedAttempts gives each of those actions an attempt like the demo's.
const seedAttempts = `
insert into attempts (action_id, number, kind, worker, token_hash, revision_id, lease_seconds, lease_until, outcome, detail, ended_at, started_at)
select a.id, 1, t.kind, t.worker, t.token_hash, t.revision_id, t.lease_seconds, t.lease_until, t.outcome, t.detail, t.ended_at, t.started_at
from requests r join actions x on x.id = r.action_id join attempts t on t.id = x.attempt_id, actions a where r.id = 1 and a.record_id like 'request-load-%'`

// otherPolicy is a version of the policy without the approver.
const otherPolicy = `
with v as (insert into policy_versions (policy_id, number, expiry_days, authorization_minutes, person_id) select policy_id, 2, 7, 30, person_id from policy_versions where id = 1 returning id),
l as (insert into policy_levels (version_id, number, respond_minutes) select v.id, 1, 60 from v)
insert into level_people (version_id, level, person_id) select v.id, 1, p.id from v, people p where p.email = 'lead@example.test'`

// queue measures the queue in databases of its own.
func queue(ctx context.Context, server string) error {
	all, drop, err := workspaces(ctx, server, workspace{controls: few}, workspace{controls: few})
	if drop != nil {
		defer drop()
	}
	if err != nil {
		return err
	}
	if err := queuePages(ctx, all[0], all[1]); err != nil {
		return err
	}
	return events(ctx, all[1])
}

// queuePages measures the queue with few and with many open requests, in turn.
func queuePages(ctx context.Context, few, much workspace) error {
	looks := []struct{ who, path string }{{"approver", "/queue"}, {"approver", "/queue?view=open"}, {"approver", "/queue/RR-1"}, {"lead", "/queue"}, {"viewer", "/queue?view=open"}, {"approver", "/controls"}}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nqueue\tms, %s open\tms, %s open\ttimes slower\t\n", thousands(fewOpen), thousands(manyOpen))
	for _, in := range []struct {
		workspace
		open int
	}{{few, fewOpen}, {much, manyOpen}} {
		for _, sql := range []string{otherPolicy, strings.ReplaceAll(seedRequests, "$1::int", fmt.Sprint(in.open)),
			seedAttempts, "update actions a set attempt_id = t.id from attempts t where t.action_id = a.id and a.record_id like 'request-load-%'",
			"update actions a set request_id = r.id from requests r where r.action_id = a.id and r.closed_at is null and a.request_id is null", "vacuum analyze"} {
			if _, err := in.db.Pool.Exec(ctx, sql); err != nil {
				return fmt.Errorf("seed %d requests: %w", in.open, err)
			}
		}
	}
	for _, l := range looks {
		var took [2][]time.Duration
		var as [2]*browser
		var err error
		for i, in := range []workspace{few, much} {
			if as[i], err = signIn(in.web, l.who+"@example.test"); err != nil {
				return err
			}
		}
		for round := range 60 {
			for i, b := range as { // in turn, so that both meet the same machine
				began := time.Now()
				if _, err := b.get(l.path); err != nil {
					return err
				}
				if round >= 10 { // the others warm up
					took[i] = append(took[i], time.Since(began))
				}
			}
		}
		slices.Sort(took[0])
		slices.Sort(took[1])
		a, b := took[0][len(took[0])/2], took[1][len(took[1])/2]
		fmt.Fprintf(w, "%s, %s\t%.2f\t%.2f\t%.2f\t\n", l.path, l.who, ms(a), ms(b), float64(b)/float64(a))
	}
	return w.Flush()
}

// eventRounds is how many decisions are measured until somebody else's page hears of them.
const eventRounds = 200

// events measures from sending a decision over loopback to the event in another browser.
func events(ctx context.Context, in workspace) error {
	web := httptest.NewServer(in.web)
	defer web.CloseClientConnections()
	approver, err := signIn(in.web, "approver@example.test")
	if err != nil {
		return err
	}
	viewer, err := signIn(in.web, "viewer@example.test")
	if err != nil {
		return err
	}
	heard, err := listen(ctx, web.URL, viewer)
	if err != nil {
		return err
	}
	var took []time.Duration
	for n := range eventRounds {
		d, err := rejected(ctx, web.URL, approver, fmt.Sprintf("RR-%d", n+10), heard)
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	slices.Sort(took)
	fmt.Printf("\nFrom sending a decision to its event in another browser, over loopback, %d times: %.1f ms in the middle, %.1f ms p99.\n", len(took), ms(took[len(took)/2]), ms(took[len(took)*99/100]))
	return nil
}

// told is what a page heard, and when.
type told struct {
	ref string
	at  time.Time
}

// listen opens the stream of a page and passes on what it names.
func listen(ctx context.Context, address string, b *browser) (<-chan told, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/queue/events", nil)
	if err != nil {
		return nil, err
	}
	r.AddCookie(b.cookie)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	heard := make(chan told, 1000)
	go func() {
		defer answer.Body.Close()
		for text := bufio.NewScanner(answer.Body); text.Scan(); {
			if ref, ok := strings.CutPrefix(text.Text(), "data: "); ok {
				heard <- told{ref, time.Now()}
			}
		}
	}()
	select {
	case <-heard: // the server listens now
		return heard, nil
	case <-time.After(30 * time.Second):
		return nil, errors.New("the stream says nothing")
	}
}

// rejected sends a rejection and waits until the other page hears of it.
func rejected(ctx context.Context, address string, b *browser, ref string, heard <-chan told) (time.Duration, error) {
	text, err := b.get("/queue/" + ref)
	if err != nil {
		return 0, err
	}
	page, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	if err != nil {
		return 0, err
	}
	form := url.Values{"decision": {"reject"}, "note": {"A measurement."}}
	page.Find(".decision form input[type=hidden]").Each(func(_ int, f *goquery.Selection) { form.Set(f.AttrOr("name", ""), f.AttrOr("value", "")) })
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/queue/"+ref+"/decision", strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	r.AddCookie(b.cookie)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	began := time.Now()
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		return 0, fmt.Errorf("%s was answered %d", ref, answer.StatusCode)
	}
	for {
		select {
		case t := <-heard:
			if t.ref == ref {
				return t.at.Sub(began), nil
			}
		case <-time.After(10 * time.Second):
			return 0, fmt.Errorf("nobody heard of %s", ref)
		}
	}
}
