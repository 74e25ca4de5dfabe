package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"countersign/internal/testdb"
)

func TestALinkWithoutBaseURLSaysWhatToReplace(t *testing.T) {
	const hint = "BASE_URL is not set: put the address people use in place of http://localhost:8080."
	for base, want := range map[string]string{"": "http://localhost:8080/invite/abc", "https://c.example.test/": "https://c.example.test/invite/abc"} {
		var out bytes.Buffer
		userAddCmd{BaseURL: base}.printLink(&out, "abc")
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), hint) != (base == "") {
			t.Errorf("with BASE_URL %q: %s", base, out.String())
		}
	}
}

func TestAnEmptyAuditLogIsAnError(t *testing.T) {
	db := testdb.New(t)
	g := &globals{DatabaseURL: db.Pool.Config().ConnString(), LogFormat: "text", out: io.Discard}
	err := verifyCmd{}.Run(t.Context(), g)
	if err == nil || !strings.HasPrefix(err.Error(), "The audit log is empty: nothing was ever done in this database.") {
		t.Errorf("verify of an empty log answered %v", err)
	}
	if _, err := os.Stat("data"); err == nil {
		t.Error("verify started a private PostgreSQL")
	}
}
