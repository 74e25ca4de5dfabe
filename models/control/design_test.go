package control_test

import (
	"testing"

	"countersign/models/control"
	"countersign/models/control/controltest"
)

func TestTheKeptDesignIsTheSnapshots(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	kept := func() (hash string) {
		t.Helper()
		q := w.DB.Query(t.Context())
		if err := q.Raw("select design_hash from controls where slug = ?", slug).Row().Scan(&hash); err != nil {
			t.Fatal(err)
		}
		content, err := control.Snapshot(w.DB.Query(t.Context()), w.Show(slug).ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		prints, err := content.Fingerprints()
		if err != nil || hash != prints.Design {
			t.Fatalf("kept %q, the snapshot has %q: %v", hash, prints.Design, err)
		}
		return hash
	}
	seen := map[string]bool{kept(): true}
	for _, field := range []string{"exact_effect", "action_identity", "operation", "sender"} {
		f, _ := control.FieldByKey(field)
		w.Answer(w.Implementer, slug, field, w.Input(f))
		if hash := kept(); seen[hash] {
			t.Errorf("%s changes nothing in the design", field)
		} else {
			seen[hash] = true
		}
	}
	before := kept()
	f, _ := control.FieldByKey("monitoring")
	if w.Answer(w.Implementer, slug, "monitoring", w.Input(f)); kept() != before {
		t.Error("a safeguard changes the design")
	}
}
