package signoff_test

import (
	"errors"
	"testing"

	"countersign/models/control"
	"countersign/models/signoff"
)

// A rule that satisfied the checker when it was saved and no longer does blocks
// submission, and so does a saved pair that it breaks.
func TestRulesAndPairsBlockSubmission(t *testing.T) {
	w := newWorld(t)
	slug := w.filled()
	pair := control.SavePairCmd{Control: slug, Name: "Sent again", Expected: "same_delivery", InputA: `{"event_id": "event-demo-01", "request_id": "request-demo-01"}`,
		InputB: `{"event_id": "event-demo-02", "request_id": "request-demo-01"}`, EnvironmentA: "sandbox", AccountA: "crm-sandbox", EnvironmentB: "sandbox", AccountB: "crm-sandbox"}
	saved, err := control.SavePair(t.Context(), w.DB, w.Reviewer, pair)
	if err != nil || !saved.Broken {
		t.Fatal(saved, err)
	}
	w.Exec("update senders set event_id_field = '$.request_id'")
	before := w.State()
	_, err = signoff.Submit(t.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version})
	var blocked *signoff.Blocked
	if !errors.As(err, &blocked) || len(blocked.Conditions) != 2 || blocked.Conditions[0].Key != "rules" || blocked.Conditions[1].Key != "pairs" {
		t.Fatalf("%+v %v", blocked, err)
	}
	if w.State() != before {
		t.Error("a blocked submission changed something")
	}
	w.Exec("update senders set event_id_field = ''")
	if _, err := control.ArchivePair(t.Context(), w.DB, w.Reviewer, control.ArchivePairCmd{Control: slug, Pair: saved.ID}); err != nil {
		t.Fatal(err)
	}
	w.submit(slug)
}
