package workspace_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/demo"
	"countersign/models/workspace"
)

func TestEveryTableTravelsOrSaysWhyNot(t *testing.T) {
	db := testdb.New(t)
	var names []string
	if err := db.Query(t.Context()).Raw("select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and relkind in ('r','p') order by 1").Scan(&names).Error; err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		_, left := workspace.Left[name]
		if travels := slices.Contains(workspace.Tables, name); travels == (left || strings.HasPrefix(name, "river_")) {
			t.Errorf("%s: travels %v, left behind %v. Add it to workspace.Tables, or to workspace.Left with the reason.", name, travels, left)
		}
	}
}

// dump is every row of every table, and the numbers that come next.
func dump(t *testing.T, db *models.DB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range workspace.Tables {
		var text string
		if err := db.Query(t.Context()).Raw(fmt.Sprintf("select coalesce(string_agg(r, chr(10) order by r), '') from (select t::text as r from %s t) x", name)).Row().Scan(&text); err != nil {
			t.Fatal(err)
		}
		all[name] = text
	}
	var sequences string
	if err := db.Query(t.Context()).Raw("select string_agg(sequencename || ' ' || coalesce(last_value, 0), ', ' order by sequencename) from pg_sequences where schemaname = current_schema() and sequencename not like 'river%' and sequencename not like 'goose%'").Row().Scan(&sequences); err != nil {
		t.Fatal(err)
	}
	all["sequences"] = sequences
	var schema string
	if err := db.Query(t.Context()).Raw(`select string_agg(x, chr(10) order by x) from (
		select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated::text as x from pg_constraint where connamespace = current_schema()::regnamespace
		union all select tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal) s`).Row().Scan(&schema); err != nil {
		t.Fatal(err)
	}
	all["schema"] = schema
	return all
}

func same(t *testing.T, want, got map[string]string) {
	t.Helper()
	for name, rows := range want {
		if got[name] != rows {
			t.Errorf("%s differs:\n%.600s\nwant\n%.600s", name, got[name], rows)
		}
	}
}

func filled(t *testing.T) *models.DB {
	t.Helper()
	db := testdb.New(t)
	if err := demo.Load(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	// What no command of the demo makes: a null next to a JSON null, bytes of every kind, numbers that no float holds.
	for _, sql := range []string{
		"insert into submissions (key, answer) values ('a', 'null'), ('b', '{\"n\": 12345678901234567890.10, \"t\": \"a\\u2028\\\\b\\\"\"}')",
		"insert into idempotency_keys (key, body, answer) select decode(string_agg(lpad(to_hex(i), 2, '0'), ''), 'hex'), '', E'tab\\there' from generate_series(0, 255) i",
		"update deliveries set payload = payload where false",
		"insert into record_versions (workflow_id, environment_id, record_id, ordering, version_rank, version) values (1, 1, E'line\\nbreak \\\\ \" 🙂', 'integer', 123456789012345678901234567890.5000, '1')",
		"insert into sign_ins (email, address, succeeded, at) values ('x@example.test', '127.0.0.1', false, '2026-01-02 03:04:05.678901+00')",
		"insert into access_links (token_hash, kind, person_id, created_by, expires_at) values ('\\x00ff', 'invite', 1, 1, 'infinity')",
		"select nextval('controls_id_seq'), nextval('controls_id_seq')",
	} {
		if err := db.Query(t.Context()).Exec(sql).Error; err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	return db
}

func export(t *testing.T, db *models.DB) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := workspace.Export(t.Context(), db, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	from, to := filled(t), testdb.New(t)
	if err := to.Query(t.Context()).Exec("insert into access_links (token_hash, kind, expires_at) values ('\\x01', 'setup', now())").Error; err != nil {
		t.Fatal(err)
	}
	before := dump(t, from)
	file := export(t, from)
	report, err := workspace.Import(t.Context(), to, strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	same(t, before, dump(t, to))
	same(t, before, dump(t, from))
	if int(report.Rows) != strings.Count(file, "\n")-2 || report.LastHash == "" {
		t.Errorf("%+v for %d lines", report, strings.Count(file, "\n"))
	}
	audit, err := models.VerifyAudit(t.Context(), to)
	if err != nil || audit.Problem != "" || audit.LastHash != report.LastHash || audit.Events == 0 {
		t.Errorf("the audit log: %+v %v", audit, err)
	}
	again := export(t, to)
	if stripped(again) != stripped(file) {
		t.Error("an export of what was imported is another file")
	}
	if err := to.Query(t.Context()).Exec("update audit_events set reason = 'x'").Error; err == nil {
		t.Error("history can be changed after an import")
	}
	if err := to.Query(t.Context()).Exec("insert into controls (slug, name, workflow_id, effect, unresolved, created_by) values ('new', 'New', 1, 'new', 0, 1)").Error; err != nil {
		t.Fatal(err)
	}
	var cases int
	if err := to.Query(t.Context()).Raw("select count(*) from test_cases t join controls c on c.id = t.control_id where c.slug = 'new'").Row().Scan(&cases); err != nil || cases != 6 {
		t.Errorf("a new control has %d scenarios, %v", cases, err)
	}
	t.Run("refused where something is", func(t *testing.T) {
		now := dump(t, to)
		_, err := workspace.Import(t.Context(), to, strings.NewReader(file))
		if !models.IsKind(err, models.KindConflict) || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("import into a full workspace: %v", err)
		}
		same(t, now, dump(t, to))
	})
	t.Run("hostile", func(t *testing.T) { hostile(t, file) })
}

// stripped is a file in any order of rows, without when it was written and the hash over both.
func stripped(file string) string {
	lines := strings.Split(strings.TrimSpace(file), "\n")
	var end map[string]any
	_ = json.Unmarshal([]byte(lines[len(lines)-1]), &end)
	delete(end, "sha256")
	last, _ := json.Marshal(end)
	rows := lines[1 : len(lines)-1]
	slices.Sort(rows)
	return strings.Join(rows, "\n") + string(last)
}

// sealed puts the right hash into the last line of a changed file.
func sealed(file string) string {
	lines := strings.Split(strings.TrimSuffix(file, "\n"), "\n")
	rest := strings.Join(lines[:len(lines)-1], "\n") + "\n"
	var end map[string]any
	_ = json.Unmarshal([]byte(lines[len(lines)-1]), &end)
	sum := sha256.Sum256([]byte(rest))
	end["sha256"] = hex.EncodeToString(sum[:])
	last, _ := json.Marshal(end)
	return rest + string(last) + "\n"
}

func hostile(t *testing.T, file string) {
	to := testdb.New(t)
	empty := dump(t, to)
	lineOf := func(part string) int { return strings.Count(file[:strings.Index(file, part)], "\n") + 1 }
	replaced := func(old, with string) string { return sealed(strings.Replace(file, old, with, 1)) }
	person := `{"table":"people","row":{"id":"1",`
	at := fmt.Sprintf("Line %d: ", lineOf(person))
	lines := strings.SplitAfter(file, "\n")
	cases := map[string]struct{ file, want string }{
		"empty":                  {"", "Line 1: the file is empty"},
		"no export":              {"hello\n", "Line 1: this is no export of a workspace"},
		"another format":         {strings.Replace(file, "workspace/1", "workspace/2", 1), `the format is "countersign.workspace/2"`},
		"another schema":         {strings.Replace(file, `"migrations":[1,`, `"migrations":[`, 1), "Export and import with the same version"},
		"a member twice at top":  {strings.Replace(file, `{"format"`, `{"format":"x","format"`, 1), `the member "format" occurs twice`},
		"an unknown member":      {strings.Replace(file, `{"format"`, `{"more":1,"format"`, 1), "unknown field"},
		"cut off":                {strings.Join(lines[:len(lines)-2], ""), "The file is cut off"},
		"cut off in a line":      {file[:len(file)/2], "it is cut off"},
		"changed":                {strings.Replace(file, "Business owner", "Business Owner", 1), "the lines before were changed"},
		"more after the end":     {file + "{}\n", "something stands after the last line"},
		"a row less":             {sealed(strings.Replace(file, lines[lineOf(person)-1], "", 1)), "people: 6 rows came, and the last line says 7"},
		"a row twice":            {replaced(lines[lineOf(person)-1], lines[lineOf(person)-1]+lines[lineOf(person)-1]), fmt.Sprintf("Line %d: people: duplicate key value", lineOf(person)+1)},
		"a name twice":           {replaced(person, `{"table":"people","row":{"id":"1","id":"2",`), at + `the member "id" occurs twice`},
		"an unknown table":       {replaced(person, `{"table":"pg_authid","row":{"id":"1",`), at + `there is no table "pg_authid"`},
		"sessions":               {replaced(person, `{"table":"sessions","row":{"id":"1",`), at + `there is no table "sessions"`},
		"an unknown column":      {replaced(person, `{"table":"people","row":{"x":"1","id":"1",`), at + `people: there is no member "x"`},
		"a missing column":       {replaced(person, `{"table":"people","row":{`), at + `people: the member "id" is missing`},
		"a number":               {replaced(person, `{"table":"people","row":{"id":1,`), at + "people.id: it must be a text or null"},
		"an object":              {replaced(person, `{"table":"people","row":{"id":{"a":1},`), at + "people.id: it must be a text or null"},
		"no number":              {replaced(person, `{"table":"people","row":{"id":"one",`), at + "people: invalid input syntax for type bigint"},
		"a number too large":     {replaced(person, `{"table":"people","row":{"id":"99999999999999999999",`), at + "people: value \"99999999999999999999\" is out of range"},
		"null":                   {replaced(person, `{"table":"people","row":{"id":null,`), at + "people.id: it cannot be null"},
		"more in a line":         {replaced(person, `{"more":1,"table":"people","row":{"id":"1",`), at + "a line is"},
		"two values in a line":   {replaced(person, `{} `+person), at + "something stands after its end"},
		"a list":                 {sealed(strings.Replace(file, person, "[]\n"+person, 1)), at + "a line is"},
		"nothing":                {sealed(strings.Replace(file, person, "\n"+person, 1)), at + "it is cut off"},
		"deep":                   {sealed(strings.Replace(file, person, strings.Repeat("[", 100000)+"\n"+person, 1)), at + "it is nested more than 4 levels deep"},
		"huge":                   {sealed(strings.Replace(file, person, `{"table":"`+strings.Repeat("x", 17<<20)+"\"}\n"+person, 1)), at + "it is longer than 16 MiB"},
		"bytes":                  {sealed(strings.Replace(file, person, "\xff\xfe\n"+person, 1)), at + "it is not UTF-8"},
		"a zero character":       {replaced(`"name":"Business owner"`, `"name":"Business\u0000owner"`), "people: "},
		"a broken link":          {replaced(`{"table":"role_grants","row":{"person_id":"1"`, `{"table":"role_grants","row":{"person_id":"4711"`), "violates foreign key constraint"},
		"a check":                {replaced(`"email":"owner@example.test"`, `"email":"Owner@example.test"`), at + "people: new row for relation \"people\" violates check constraint"},
		"a record":               {replaced(`"content":"{\"accounts\"`, `"content":"{ \"accounts\"`), "has another content than its fingerprint says"},
		"a number that is taken": {replaced(`"controls":5`, `"controls":1`), "The last line says that controls went to number 1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := workspace.Import(t.Context(), to, strings.NewReader(c.file))
			var refused *workspace.Refused
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("answered %.400v, want %q", err, c.want)
			}
		})
	}
	t.Run("the audit log", func(t *testing.T) {
		changed := sealed(strings.Replace(file, `"action":"workflow.created"`, `"action":"workflow.deleted"`, 1))
		_, err := workspace.Import(t.Context(), to, strings.NewReader(changed))
		if err == nil || !strings.Contains(err.Error(), "The audit log was tampered with: event") {
			t.Errorf("answered %v", err)
		}
	})
	t.Run("many problems", func(t *testing.T) {
		_, err := workspace.Import(t.Context(), to, strings.NewReader(lines[0]+strings.Repeat("{}\n", 1000)))
		var refused *workspace.Refused
		if !errors.As(err, &refused) || len(refused.Problems) != workspace.MaxProblems || !strings.Contains(err.Error(), "There may be more") {
			t.Errorf("answered %.200v", err)
		}
	})
	same(t, empty, dump(t, to))
}
