package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// ledgerViews are the lists and searches of the ledger, and what a search looks for.
var ledgerViews = []struct{ name, query string }{
	{"ledger, first page", ""},
	{"ledger, one environment", "environment=sandbox"},
	{"ledger, unknown outcomes in one environment", "state=unknown&environment=production"},
	{"ledger, one control and day", "control=create-crm-task&day=DAY"},
	{"ledger, search by key", "q=KEY"},
	{"ledger, search by event ID", "q=EVENT"},
	{"ledger, search by request ID", "q=RECORD"},
	{"deliveries, duplicates in one environment", "show=deliveries&state=duplicate&environment=production"},
	{"deliveries, search by event ID", "show=deliveries&q=EVENT"},
	{"ledger, a page in the middle", "environment=production&at=MIDDLE"},
}

// ledgerPlan is what is measured of a ledger: about an action in the middle of it.
func ledgerPlan(ctx context.Context, w *workspace) (pages []page, err error) {
	owner, err := signIn(w.web, "owner@example.test")
	if err != nil {
		return nil, err
	}
	var id int64
	var identity, event, record string
	var at time.Time
	err = w.db.Pool.QueryRow(ctx, `select a.id, a.identity_key, d.event_id, a.record_id, a.created_at from actions a join deliveries d on d.id = a.delivery_id join environments e on e.id = a.environment_id
		where a.record_id like 'request-load-%' and e.slug = 'production' order by a.id offset $1 limit 1`, w.actions*3/10).Scan(&id, &identity, &event, &record, &at)
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("DAY", at.UTC().Format(time.DateOnly), "KEY", url.QueryEscape(identity), "EVENT", event, "RECORD", record, "MIDDLE", cursor(at.UTC().Format(time.RFC3339Nano), fmt.Sprint(id)))
	add := func(name, path, wants string) {
		pages = append(pages, page{name: fmt.Sprintf("%s, %s actions", name, thousands(w.actions)), key: key(name, w.actions), in: w, as: owner, path: path, wants: wants})
	}
	for _, v := range ledgerViews {
		wants := "request-load-"
		if strings.Contains(v.query, "q=") {
			wants = record
		}
		add(v.name, "/ledger?"+fill.Replace(v.query), wants)
	}
	for _, v := range searches {
		add(v.name, "/search?"+fill.Replace(v.query), fill.Replace(v.wants))
	}
	add(oneAction, fmt.Sprint("/ledger/actions/", id), record)
	return pages, nil
}

// searches are of everything, by what is typed.
var searches = []struct{ name, query, wants string }{
	{"search, a whole record", "q=RECORD", "RECORD"},
	{"search, a whole event", "q=EVENT", "event-load-"},
	{"search, a whole key", "q=KEY", "A-"},
	{"search, the beginning of records", "q=request-load-", "request-load-"},
	{"search, the beginning of events", "q=event-load-", "event-load-"},
	{"search, a name", "q=create+crm", "Create CRM task"},
	{"search, nothing", "q=nothing-of-this-name", "Nothing was found."},
	{"search, a page of records", "q=request-load-&in=requests", "request-load-"},
}

const oneAction = "ledger, one action"

func ledgerNames() (names []string) {
	for _, v := range ledgerViews {
		names = append(names, v.name)
	}
	for _, v := range searches {
		names = append(names, v.name)
	}
	return names
}
