package main

import (
	"bytes"
	"regexp"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/people"
)

// The command prints the token and nothing else, so that a script can take it as it is.
func TestTokenCreatePrintsTheTokenOnly(t *testing.T) {
	db := testdb.New(t)
	exec := func(sql string) {
		t.Helper()
		if err := db.Query(t.Context()).Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
	}
	exec("insert into people (email, name) values ('implementer@example.test', 'Implementer')")
	exec("insert into workflows (slug, name, business_owner_id, implementer_id, reviewer_id, created_by) values ('service-request', 'Intake', 1, 1, 1, 1)")
	exec("insert into environments (slug, name, kind, reaches_customers, reach_set_by) values ('sandbox', 'Sandbox', 'test', false, 1)")
	run := func(cmd tokenCreateCmd) (string, error) {
		var out bytes.Buffer
		err := cmd.Run(t.Context(), &globals{DatabaseURL: db.Pool.Config().ConnString(), LogFormat: "text", out: &out})
		return out.String(), err
	}
	cmd := tokenCreateCmd{Workflow: "service-request", Environment: "sandbox", Name: "Intake flow", Scope: []people.Scope{"claims"}}
	printed, err := run(cmd)
	if err != nil || !regexp.MustCompile(`^cs_[A-Za-z0-9_-]{43}\n$`).MatchString(printed) {
		t.Fatalf("printed %q %v", printed, err)
	}
	a, err := people.Authenticate(t.Context(), db, printed[:len(printed)-1])
	if err != nil || a.Actor.ID != 1 || len(a.Scopes) != 1 {
		t.Errorf("%+v %v", a, err)
	}
	cmd.Workflow = "none"
	if printed, err := run(cmd); printed != "" || !models.IsKind(err, models.KindInvalid) {
		t.Errorf("printed %q %v", printed, err)
	}
}
