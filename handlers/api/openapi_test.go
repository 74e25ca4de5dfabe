package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"countersign/handlers/api"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the document again")

func document(t testing.TB) []byte {
	t.Helper()
	plain, err := json.Marshal(api.Describe())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, plain, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// The committed document is what the server says: go test ./handlers/api -run Document -update
func TestTheCommittedDocumentIsCurrent(t *testing.T) {
	const path = "openapi.json"
	now := document(t)
	if *update {
		if err := os.WriteFile(path, now, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(committed, now) {
		t.Errorf("%s is not what the server says (%v): run this test with -update", path, err)
	}
}

// schemas compiles parts of the document, by where they stand in it.
func schemas(t testing.TB) *jsonschema.Compiler {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("doc:openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return c
}

// testdata/openapi-3.1.json is the OpenAPI Initiative's own schema of documents, of 2022-10-07.
func TestTheDocumentIsValid(t *testing.T) {
	of, err := jsonschema.NewCompiler().Compile("testdata/openapi-3.1.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document(t)))
	if err != nil {
		t.Fatal(err)
	}
	if err := of.Validate(doc); err != nil {
		t.Error(err)
	}
	doc.(map[string]any)["paths"].(map[string]any)["/api/v1/deliveries"].(map[string]any)["post"].(map[string]any)["responses"] = "none"
	if of.Validate(doc) == nil {
		t.Error("a broken document is valid")
	}
	names := api.Describe().Components.Schemas.Map()
	for name := range names {
		if _, err := schemas(t).Compile("doc:openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(names) < 10 || !strings.Contains(string(document(t)), `"openapi": "3.1.0"`) {
		t.Errorf("%d schemas", len(names))
	}
}

func TestEveryCallIsDescribed(t *testing.T) {
	doc := api.Describe()
	calls := 0
	for path, item := range doc.Paths {
		for _, op := range []any{item.Get, item.Post} {
			raw, _ := json.Marshal(op)
			if string(raw) == "null" {
				continue
			}
			calls++
			var o struct {
				ID       string `json:"operationId"`
				Scope    string `json:"x-scope"`
				Summary  string
				Text     string                    `json:"description"`
				Examples []struct{ Source string } `json:"x-codeSamples"`
			}
			_ = json.Unmarshal(raw, &o)
			if o.Scope == "" || o.Summary == "" || o.Text == "" || len(o.Examples) != 1 || !strings.Contains(o.Examples[0].Source, "curl") || api.Order(o.ID) < 0 {
				t.Errorf("%s %s lacks a scope, words, an example or its place: %+v", path, o.ID, o)
			}
		}
	}
	if calls < 7 {
		t.Errorf("only %d calls", calls)
	}
}
