package search

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"countersign/models/evidence"
	"countersign/models/ledger"
	"countersign/models/replay"
)

// numbered is what actions, deliveries, requests, review items and runs are called.
var numbered = regexp.MustCompile(`^(?i)(?:(rr|lr|rv|a|d|run)[- ]?)?#?([1-9][0-9]{0,17})$`)

// hash is the beginning of a SHA-256, as long as pages show it at least.
var hash = regexp.MustCompile(`^(?i)[0-9a-f]{8,64}$`)

// exact are the things that the whole text names.
func (f finder) exact() (hits []Hit, err error) {
	if f.text == "" {
		return nil, nil
	}
	for _, find := range []func() ([]Hit, error){f.number, f.key, f.destination, f.whole, f.fingerprint} {
		some, err := find()
		if err != nil {
			return nil, err
		}
		hits = append(hits, some...)
	}
	return hits, nil
}

type actionRow struct {
	ID                int64
	Title, Env, State string
}

type numberedRow struct{ Kind, Title, Text, State string }

// number are the things with this number; a number alone may be any of them.
func (f finder) number() (hits []Hit, err error) {
	m := numbered.FindStringSubmatch(f.text)
	if m == nil {
		return nil, nil
	}
	letter, n := strings.ToUpper(m[1]), m[2]
	rows, err := collect[numberedRow](f, `select * from (
		select 'A', c.name, e.name, state_now(a.state, a.lease_until, a.waiting) from actions a join controls c on c.id = a.control_id join environments e on e.id = a.environment_id where a.id = $1
		union all select 'D', d.event_id, w.name || ', ' || e.name, case when i.state <> 'open' then 'review_' || i.state else d.disposition end from deliveries d left join review_items i on i.id = d.review_id join workflows w on w.id = d.workflow_id join environments e on e.id = d.environment_id where d.id = $1
		union all select 'RR', c.name, e.name, 'request_' || r.state from requests r join controls c on c.id = r.control_id join environments e on e.id = r.environment_id where r.id = $1
		union all select case i.kind when 'repeat' then 'LR' else 'RV' end, coalesce(c.name, w.name), e.name, 'review_' || i.state from review_items i join workflows w on w.id = i.workflow_id
			join environments e on e.id = i.environment_id left join controls c on c.id = i.control_id where i.id = $1
		union all select 'RUN', c.name, t.title, case s.outcome when 'failed' then 'run_failed' else coalesce(s.outcome, 'run_started') end from runs r join controls c on c.id = r.control_id
			join test_cases t on t.id = r.case_id left join run_results s on s.run_id = r.id where r.id = $1) t`, n)
	for _, r := range rows {
		if letter == "" || letter == r.Kind {
			hits = append(hits, r.hit(n))
		}
	}
	return hits, err
}

func (r numberedRow) hit(n string) Hit {
	h := Hit{Ref: r.Kind + "-" + n, Title: r.Title, Text: r.Text, State: r.State}
	switch r.Kind {
	case "A":
		h.Kind, h.Path = Action, "/ledger/actions/"+n
	case "D":
		h.Kind, h.Path = Delivery, "/ledger?"+url.Values{"show": {"deliveries"}, "q": {h.Ref}}.Encode()
		if h.Title == "" {
			h.Title = "Delivery without an event ID"
		}
	case "RR":
		h.Kind, h.Path = Replay, replay.Path(h.Ref)
	case "RUN":
		h.Kind, h.Ref, h.Path = Run, "Run "+n, "/runs/"+n
	default:
		h.Kind, h.Path = Review, ledger.ReviewPath(h.Ref)
	}
	return h
}

// key are the actions with this identity key; more than one where a rule changed.
func (f finder) key() ([]Hit, error) {
	rows, err := collect[actionRow](f, `select a.id, c.name, e.name, state_now(a.state, a.lease_until, a.waiting) from actions a join controls c on c.id = a.control_id join environments e on e.id = a.environment_id
		where a.identity_key = $1 limit 5`, f.text)
	return actionHits(rows), err
}

// destination are the actions that are known by this result or key at the destination.
func (f finder) destination() ([]Hit, error) {
	ids, err := ledger.SeenAtDestination(f.db.Query(f.ctx), f.text)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	rows, err := collect[actionRow](f, `select a.id, c.name, e.name || ', ' || a.record_id, state_now(a.state, a.lease_until, a.waiting) from actions a join controls c on c.id = a.control_id join environments e on e.id = a.environment_id
		where a.id = any($1) order by a.id desc limit 5`, ids)
	return actionHits(rows), err
}

func actionHits(rows []actionRow) (hits []Hit) {
	for _, r := range rows {
		hits = append(hits, Hit{Kind: Action, Ref: fmt.Sprintf("A-%d", r.ID), Title: r.Title, Text: r.Env, State: r.State, Path: ledger.ActionPath(r.ID)})
	}
	return hits
}

// whole are the record and the event of this name.
func (f finder) whole() ([]Hit, error) {
	records, err := f.records([]string{f.text})
	if err != nil {
		return nil, err
	}
	events, err := f.events([]string{f.text})
	return append(records, events...), err
}

// fingerprint are the revisions and the evidence with this SHA-256, or one that
// begins so.
func (f finder) fingerprint() (hits []Hit, err error) {
	if !hash.MatchString(f.text) {
		return nil, nil
	}
	from := strings.ToLower(f.text)
	revisions, err := collect[struct {
		Slug, Name, State string
		Number            int
	}](f, `select c.slug, c.name, r.state, r.number from revisions r join controls c on c.id = r.control_id where r.full_hash ~>=~ $1 and r.full_hash ~<~ $2 limit 5`, from, from+last)
	if err != nil {
		return nil, err
	}
	for _, r := range revisions {
		hits = append(hits, Hit{Kind: Revision, Ref: fmt.Sprintf("Revision %d", r.Number), Title: r.Name, Text: "Revision with this fingerprint", State: r.State, Path: fmt.Sprintf("/controls/%s/revisions/%d", r.Slug, r.Number)})
	}
	files, err := collect[struct {
		ID          int64
		Name, About string
	}](f, `select e.id, e.name, e.about from blobs b join evidence e on e.blob_id = b.id where b.sha256 ~>=~ $1 and b.sha256 ~<~ $2 limit 5`, from, from+last)
	for _, e := range files {
		hits = append(hits, Hit{Kind: Evidence, Ref: fmt.Sprintf("Evidence %d", e.ID), Title: e.Name, Text: e.About, Path: evidence.PathOf(e.ID)})
	}
	return hits, err
}
