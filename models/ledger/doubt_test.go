package ledger_test

import (
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/ledger"
)

func (w *world) mode(mode string) {
	w.T.Helper()
	w.answer("mode", control.Input{Mode: mode, Reason: "A week of watching."})
}

// lookedEarly records a lookup that began before whatever ended by now.
func (w *world) lookedEarly(action int64, result ledger.Looked, ids ...string) ledger.LookedUp {
	w.T.Helper()
	began := time.Now().Add(-time.Hour)
	out, err := ledger.Lookup(w.T.Context(), w.DB, w.token(), ledger.LookupCmd{Action: action, Method: "GET /tasks", Result: result, Results: ids, Began: &began})
	if err != nil {
		w.T.Fatal(err)
	}
	return out
}

func (w *world) seen(action int64) ledger.DuplicateRef {
	w.T.Helper()
	d, err := ledger.ReportDuplicate(w.T.Context(), w.DB, w.Reviewer, ledger.ReportDuplicateCmd{Action: action, Results: []string{"t-1", "t-2"}, Detail: "Two tasks in the CRM."})
	if err != nil {
		w.T.Fatal(err)
	}
	return d
}

// A success that an observed attempt reported counts as soon as the holder has
// ended, and nothing allows another effect.
func TestObservedSuccessCountsWhenTheHolderEnds(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name      string
		end       func(a ledger.Attempted)
		duplicate string
	}{
		{"failed", func(a ledger.Attempted) { w.report(a, ledger.Failed, "", "rejected") }, ""},
		{"unknown", func(a ledger.Attempted) { w.report(a, ledger.Unknown, "", "timeout") }, "possible"},
		{"lease end", w.endLease, "possible"},
		{"the same", func(a ledger.Attempted) { w.report(a, ledger.Succeeded, "v-obs", "") }, ""},
		{"no id", func(a ledger.Attempted) { w.report(a, ledger.Succeeded, "", "") }, "possible"},
	} {
		w.mode("observe")
		a, b := w.claim(c.name), w.claim(c.name)
		if out := w.report(b, ledger.Succeeded, "v-obs", ""); out.State != ledger.Pending || out.Duplicate != "" {
			t.Errorf("%s: the holder still runs: %+v", c.name, out)
		}
		if _, err := ledger.Heartbeat(t.Context(), w.DB, w.token(), ledger.HeartbeatCmd{Action: a.Action, ClaimToken: a.ClaimToken}); err != nil {
			t.Errorf("%s: observe stops nobody: %v", c.name, err)
		}
		c.end(a)
		w.mode("enforce")
		record, err := ledger.ActionRecord(t.Context(), w.DB, w.token(), a.Action)
		if err != nil || record.State != ledger.Succeeded || record.Result != "v-obs" || record.Duplicate != c.duplicate {
			t.Errorf("%s: the record by the clock: %+v %v", c.name, record, err)
		}
		if s, err := ledger.StandingOf(t.Context(), w.DB, a.Action); err != nil || s.State != ledger.Succeeded || s.Result != "v-obs" {
			t.Errorf("%s: stands at %+v %v", c.name, s, err)
		}
		rows, err := ledger.SearchActions(t.Context(), w.DB, ledger.SearchFilter{State: ledger.Succeeded})
		if err != nil || len(rows.Items) == 0 || rows.Items[0].ID != a.Action || rows.Items[0].State != ledger.Succeeded {
			t.Errorf("%s: the list says %+v %v", c.name, rows.Items, err)
		}
		_, err = w.retry(a.Action)
		if r := refusal(t, err, ledger.CodeSucceeded); r.Standing.Result != "v-obs" {
			t.Errorf("%s: %+v", c.name, r.Standing)
		}
		if out := w.lookup(a.Action, ledger.NotFound); out.State != ledger.Succeeded {
			t.Errorf("%s: %+v", c.name, out)
		}
		if f := w.facts(a.Action); f.Duplicate != c.duplicate || f.State != ledger.Succeeded {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

func TestObservedTwoResultsOpenWhatTheAnswerSays(t *testing.T) {
	w := newWorld(t)
	w.mode("observe")
	a, b := w.claim("r-1"), w.claim("r-1")
	w.report(a, ledger.Succeeded, "v-1", "")
	w.report(b, ledger.Succeeded, "v-1", "")
	if out := w.report(b, ledger.Succeeded, "v-3", ""); out.Duplicate != "confirmed" {
		t.Errorf("%+v", out)
	}
	if f := w.facts(a.Action); f.Duplicate != "confirmed" {
		t.Errorf("nothing was opened: %+v", f)
	}
	if n := w.Count("select count(*) from duplicates where result_ids @> array['v-1', 'v-3']"); n != 1 {
		t.Error("both results belong to it")
	}
}

// What is known of an action comes out the same in whichever order it was said.
func TestOrderDoesNotMatter(t *testing.T) {
	w := newWorld(t)
	retried := func(key string) (a, b ledger.Attempted) {
		a = w.claim(key)
		w.report(a, ledger.Failed, "", "rejected")
		return a, w.retries(a.Action)
	}
	observed := func(key string) (a, b ledger.Attempted) {
		w.mode("observe")
		defer w.mode("enforce")
		return w.claim(key), w.claim(key)
	}
	once := func(key string) (a, b ledger.Attempted) { a = w.claim(key); return a, a }
	says := func(first bool, said ledger.State, result, detail string) func(a, b ledger.Attempted) {
		return func(a, b ledger.Attempted) {
			if !first {
				a = b
			}
			w.report(a, said, result, detail)
		}
	}
	looks := func(ids ...string) func(a, b ledger.Attempted) {
		return func(a, _ ledger.Attempted) { w.lookup(a.Action, ledger.Found, ids...) }
	}
	type step = func(a, b ledger.Attempted)
	for _, c := range []struct {
		name      string
		begin     func(string) (ledger.Attempted, ledger.Attempted)
		one, two  step
		duplicate string
		result    string // "" : whichever
	}{
		{"a failure withdrawn beside a retry that succeeds", retried, says(true, ledger.Unknown, "", "Perhaps it was sent."), says(false, ledger.Succeeded, "r-2", ""), "possible", "r-2"},
		{"a lookup finds another than the retry made", retried, looks("X"), says(false, ledger.Succeeded, "Y", ""), "possible", "Y"},
		{"a lookup finds what the retry made", retried, looks("X"), says(false, ledger.Succeeded, "X", ""), "", "X"},
		{"a lookup finds what a success did not name", retried, looks("X"), says(false, ledger.Succeeded, "", ""), "", "X"},
		{"two results in a lookup", retried, looks("X", "Y"), says(false, ledger.Succeeded, "X", ""), "confirmed", "X"},
		{"the first and the retry succeed", retried, says(true, ledger.Succeeded, "X", ""), says(false, ledger.Succeeded, "Y", ""), "confirmed", ""},
		{"neither names its result", retried, says(true, ledger.Succeeded, "", ""), says(false, ledger.Succeeded, "", ""), "possible", ""},
		{"one names its result later", once, func(a, b ledger.Attempted) {
			w.report(a, ledger.Succeeded, "", "")
			w.report(a, ledger.Succeeded, "Y", "")
		}, looks("X"), "possible", "Y"},
		{"an observed success and a failure", observed, says(true, ledger.Failed, "", "rejected"), says(false, ledger.Succeeded, "v", ""), "", "v"},
		{"an observed success and an unknown", observed, says(true, ledger.Unknown, "", ""), says(false, ledger.Succeeded, "v", ""), "possible", "v"},
		{"an observed success and a lease end", observed, func(a, _ ledger.Attempted) { w.endLease(a) }, says(false, ledger.Succeeded, "v", ""), "possible", "v"},
		{"an observed success and another", observed, says(true, ledger.Succeeded, "u", ""), says(false, ledger.Succeeded, "v", ""), "confirmed", ""},
		{"an observed success and the same", observed, says(true, ledger.Succeeded, "v", ""), says(false, ledger.Succeeded, "v", ""), "", "v"},
		{"an observed success and what a lookup found", observed, looks("X"), func(a, b ledger.Attempted) {
			w.report(b, ledger.Succeeded, "v", "")
			w.report(a, ledger.Failed, "", "rejected")
		}, "possible", "v"},
	} {
		for order, steps := range map[string][]step{"forth": {c.one, c.two}, "back": {c.two, c.one}} {
			a, b := c.begin(c.name + order)
			for _, s := range steps {
				s(a, b)
			}
			f := w.facts(a.Action)
			if f.State != ledger.Succeeded || f.Duplicate != c.duplicate || c.result != "" && f.Result != c.result {
				t.Errorf("%s, %s: %s %q, duplicate %q, want %q %q", c.name, order, f.State, f.Result, f.Duplicate, c.result, c.duplicate)
			}
		}
	}
}

// S: the id that a lookup named stands until the attempt itself names another.
func TestAttemptNamesAnotherResultThanALookup(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	w.report(a, ledger.Succeeded, "", "")
	if out := w.lookup(a.Action, ledger.Found, "X"); out.Result != "X" || out.Duplicate != "" {
		t.Errorf("%+v", out)
	}
	if out := w.report(a, ledger.Succeeded, "Y", ""); out.Result != "Y" || out.Duplicate != "possible" {
		t.Errorf("%+v", out)
	}
	if f := w.facts(a.Action); f.Result != "Y" || f.Duplicate != "possible" {
		t.Errorf("%+v", f)
	}
}

// What stops an approval stops an automatic retry too.
func TestDoubtRefusesARetry(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name string
		make func(a ledger.Attempted)
		code ledger.Code
	}{
		{"found before the end, recorded after it", func(a ledger.Attempted) {
			w.report(a, ledger.Failed, "", "rejected")
			w.lookedEarly(a.Action, ledger.Found, "X")
		}, ledger.CodeLookupRequired},
		{"found while held", func(a ledger.Attempted) {
			w.lookup(a.Action, ledger.Found, "X")
			w.report(a, ledger.Failed, "", "rejected")
		}, ledger.CodeLookupRequired},
		{"found, and looked up again without a result", func(a ledger.Attempted) {
			w.lookup(a.Action, ledger.Found, "X")
			w.report(a, ledger.Failed, "", "rejected")
			w.lookup(a.Action, ledger.NotFound)
		}, ledger.CodeReplayRequired},
		{"a person saw a duplicate", func(a ledger.Attempted) {
			w.report(a, ledger.Failed, "", "rejected")
			w.seen(a.Action)
		}, ledger.CodeReplayRequired},
		{"two results found while held", func(a ledger.Attempted) {
			w.lookup(a.Action, ledger.Found, "X", "Y")
			w.report(a, ledger.Failed, "", "rejected")
		}, ledger.CodeReplayRequired},
	} {
		a := w.claim(c.name)
		c.make(a)
		_, err := w.retry(a.Action)
		if r := refusal(t, err, c.code); r.Standing.State != ledger.Failed || len(r.Error()) < 30 {
			t.Errorf("%s: %v", c.name, r)
		}
		if n := w.Count("select count(*) from attempts where action_id = ?", a.Action); n != 1 {
			t.Errorf("%s: %d attempts", c.name, n)
		}
	}
	a := w.claim("settled")
	w.report(a, ledger.Failed, "", "rejected")
	d := w.seen(a.Action)
	if _, err := ledger.SettleDuplicate(t.Context(), w.DB, w.Owner, ledger.SettleDuplicateCmd{Duplicate: d.ID, Version: 1, Done: "Closed one task."}); err != nil {
		t.Fatal(err)
	}
	w.retries(a.Action)
}

func TestDoubtMakesAnAuthorizationStale(t *testing.T) {
	w := newWorld(t)
	for name, doubt := range map[string]func(a ledger.Attempted){
		"RR-1": func(a ledger.Attempted) { w.seen(a.Action) },
		"RR-2": func(a ledger.Attempted) { w.lookedEarly(a.Action, ledger.Found, "X") },
		"RR-3": func(a ledger.Attempted) { // settled meanwhile, and never seen by the approver
			d := w.seen(a.Action)
			if _, err := ledger.SettleDuplicate(t.Context(), w.DB, w.Owner, ledger.SettleDuplicateCmd{Duplicate: d.ID, Version: 1, Done: "Closed one task."}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		a := w.claim(name)
		w.report(a, ledger.Failed, "", "rejected")
		grant := w.authorize(a.Action, name)
		doubt(a)
		_, err := w.start(grant)
		refusal(t, err, ledger.CodeStale)
		if n := w.Count("select count(*) from attempts where action_id = ?", a.Action); n != 1 {
			t.Errorf("%s: %d attempts", name, n)
		}
	}
	a := w.claim("approved in doubt") // by whoever does not go by the conditions
	w.report(a, ledger.Failed, "", "rejected")
	w.seen(a.Action)
	_, err := w.start(w.authorize(a.Action, "RR-4"))
	refusal(t, err, ledger.CodeStale)
}

// No read waits for the sweep: neither the duplicate of a lease end nor when it was.
func TestLeaseEndIsReadByTheClock(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	w.endLease(a)
	w.lookup(a.Action, ledger.NotFound)
	b := w.starts(w.authorize(a.Action, "RR-1"))
	w.report(a, ledger.Succeeded, "t-1", "")
	w.endLease(b)
	var ended time.Time
	if err := w.DB.Query(t.Context()).Raw("select lease_until from attempts where id = ?", b.Attempt).Row().Scan(&ended); err != nil {
		t.Fatal(err)
	}
	if n := w.Count("select count(*) from duplicates"); n != 0 {
		t.Fatal("somebody noted it already")
	}
	if r, err := ledger.ActionRecord(t.Context(), w.DB, w.token(), a.Action); err != nil || r.Duplicate != "possible" {
		t.Errorf("the record: %q %v", r.Duplicate, err)
	}
	if f := w.facts(a.Action); f.Duplicate != "possible" {
		t.Errorf("the facts: %q", f.Duplicate)
	}
	if n, err := ledger.Sweep(t.Context(), w.DB); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	p, err := ledger.PageOf(t.Context(), w.DB, a.Action)
	if err != nil {
		t.Fatal(err)
	}
	last := p.Moments[len(p.Moments)-2:]
	if last[0].Code != "lease_ended" || !last[0].At.Equal(ended) || last[1].Kind != "duplicate" || !last[1].At.Equal(ended) {
		t.Errorf("the lease ended at %s: %+v", ended, last)
	}
}

func TestTimelineHasTheCauseBeforeTheEffect(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	w.report(a, ledger.Unknown, "", "")
	w.lookup(a.Action, ledger.Found, "X", "Y")
	b := w.claim("r-2")
	w.report(b, ledger.Failed, "", "rejected")
	c := w.retries(b.Action)
	w.report(b, ledger.Succeeded, "X", "")
	w.report(c, ledger.Succeeded, "Y", "")
	for action, cause := range map[int64]string{a.Action: "lookup", b.Action: "report"} {
		p, err := ledger.PageOf(t.Context(), w.DB, action)
		if err != nil {
			t.Fatal(err)
		}
		n := len(p.Moments)
		if p.Moments[n-1].Kind != "duplicate" || p.Moments[n-2].Kind != cause || !p.Moments[n-1].At.Equal(p.Moments[n-2].At) {
			t.Errorf("%s: %+v", cause, p.Moments[n-2:])
		}
	}
}

func TestInvisibleDetailIsNoDetail(t *testing.T) {
	w := newWorld(t)
	for _, detail := range []string{"\u200b", " \u200b\u2060 ", "\u3164"} {
		if out := w.report(w.claim("r-"+models.Slugify(detail+"x")+detail), ledger.Failed, "", detail); out.Kept != ledger.Unknown || out.State != ledger.Unknown || out.Detail == "" {
			t.Errorf("%q: %+v", detail, out)
		}
	}
}
