package search

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"

	"countersign/models"
	"countersign/models/ledger"
)

// source is a column of identifiers that is found from its beginning, in the
// order of its bytes.
type source struct{ table, column string }

var sources = map[Kind][]source{
	Record: {{"actions", "record_id"}, {"deliveries", "record_id"}},
	Event:  {{"deliveries", "event_id"}},
}

// last is behind every text that begins with another one.
const last = "\U0010FFFF"

// beginning are the first n identifiers that begin with the text and come after
// another one, as hits.
func (f finder) beginning(kind Kind, after string, n int) ([]Hit, error) {
	names, err := f.names(kind, after, n)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	if kind == Event {
		return f.events(names)
	}
	return f.records(names)
}

// names jumps from one identifier to the next along the index, however many rows
// have the same.
func (f finder) names(kind Kind, after string, n int) (all []string, err error) {
	if after == "" {
		after = f.text // itself is an exact hit
	}
	for _, s := range sources[kind] {
		step := fmt.Sprintf("(select x.%[1]s from %[2]s x where x.%[1]s ~>~ %%s and x.%[1]s ~<~ $2 order by x.%[1]s using ~<~ limit 1)", s.column, s.table)
		sql := fmt.Sprintf("with recursive n(v) as ("+fmt.Sprintf(step, "$1")+" union all select "+fmt.Sprintf(step, "n.v")+" from n where n.v is not null) select v from n where v is not null limit %d", n)
		found, err := collect[struct{ V string }](f, sql, after, f.text+last)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			all = append(all, r.V)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), n)], nil
}

// beginningPage is a page of identifiers, one direction only; its cursor is the
// last of the page before.
func (f finder) beginningPage(kind Kind, at string) (page models.Page[Hit], err error) {
	after, err := base64.RawURLEncoding.DecodeString(at)
	if err != nil || check(string(after)) != nil {
		return page, models.BadRequestf("This page link is damaged. Start again from the first page.")
	}
	names, err := f.names(kind, string(after), models.PageSize+1)
	if err != nil || len(names) == 0 {
		return page, err
	}
	if len(names) > models.PageSize {
		names = names[:models.PageSize]
		page.Next = base64.RawURLEncoding.EncodeToString([]byte(names[len(names)-1]))
	}
	if kind == Event {
		page.Items, err = f.events(names)
	} else {
		page.Items, err = f.records(names)
	}
	return page, err
}

// shown is how many rows of one identifier are looked at.
const shown = 20

// records are the places where records were seen, with what became of each effect.
func (f finder) records(names []string) (hits []Hit, err error) {
	rows, err := collect[struct {
		Record, WorkflowSlug, EnvSlug, Workflow, Environment string
		Control, State                                       string
	}](f, fmt.Sprintf(`select v.record, w.slug, e.slug, w.name, e.name, coalesce(c.name, ''), coalesce(t.state, '') from unnest($1::text[]) with ordinality v(record, place)
		cross join lateral (
			(select a.id, a.workflow_id, a.environment_id, a.control_id, state_now(a.state, a.lease_until, a.waiting) as state, 1 as from_where from actions a where a.record_id = v.record order by a.id desc limit %[1]d)
			union all (select d.id, d.workflow_id, d.environment_id, null, null, 2 from deliveries d where d.record_id = v.record order by d.id desc limit %[1]d)) t
		join workflows w on w.id = t.workflow_id join environments e on e.id = t.environment_id left join controls c on c.id = t.control_id
		order by v.place, w.name, e.name, t.from_where, t.id`, shown), names)
	for _, r := range rows {
		path := ledger.RequestPath(r.WorkflowSlug, r.EnvSlug, r.Record)
		if len(hits) == 0 || hits[len(hits)-1].Path != path {
			hits = append(hits, Hit{Kind: Record, Title: r.Record, Text: r.Workflow + ", " + r.Environment, Path: path})
		}
		if h := &hits[len(hits)-1]; r.Control != "" {
			h.Effects = append(h.Effects, Effect{r.Control, r.State})
		}
	}
	return hits, err
}

// events are events by where they came from, with how the first of each arrived.
func (f finder) events(names []string) (hits []Hit, err error) {
	rows, err := collect[struct {
		Event, Sender, Workflow, Environment, State string
	}](f, fmt.Sprintf(`select v.event, s.name, w.name, e.name, case when i.state <> 'open' then 'review_' || i.state else d.disposition end from unnest($1::text[]) with ordinality v(event, place)
		cross join lateral (select * from deliveries x where x.event_id = v.event order by x.id limit %d) d
		left join review_items i on i.id = d.review_id
		join senders s on s.id = d.sender_id join workflows w on w.id = d.workflow_id join environments e on e.id = d.environment_id
		order by v.place, w.name, e.name, s.name, d.id`, shown), names)
	for _, r := range rows {
		text := r.Sender + ", " + r.Workflow + ", " + r.Environment
		if n := len(hits); n > 0 && hits[n-1].Title == r.Event && hits[n-1].Text == text {
			continue
		}
		hits = append(hits, Hit{Kind: Event, Title: r.Event, Text: text, State: r.State, Path: "/ledger?" + url.Values{"show": {"deliveries"}, "q": {r.Event}}.Encode()})
	}
	return hits, err
}
