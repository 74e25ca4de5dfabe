// Package workspace moves a whole workspace from one database to another: every
// row of every table below, as text, in one file of JSON lines that is checked
// while it is read. docs/handoff.md describes the file.
package workspace

import (
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// Format names the shape of the file.
const Format = "countersign.workspace/1"

// Tables are what a workspace is, in the order they are written. A test fails
// when a table of the schema is neither here nor in Left.
var Tables = []string{
	"people", "role_grants", "delegations", "access_links", "sign_ins", "mail_choices", "milestones", "retention",
	"escalation_policies", "policy_versions", "policy_levels", "level_people",
	"environments", "workflows", "stops", "senders", "destinations", "operations",
	"controls", "control_accounts", "revisions", "answers", "suggestions", "comments", "question_closings", "rule_states", "rule_reasons", "lab_pairs", "signatures",
	"blobs", "blob_chunks", "uploads", "evidence", "evidence_holds",
	"test_cases", "expectations", "expectation_effects", "expectation_decisions", "discrepancies", "runs", "run_counts", "run_results", "run_after",
	"run_evidence", "run_reviews", "open_runs", "waivers", "case_cells",
	"tokens", "deliveries", "record_versions", "claim_rules", "actions", "action_keys", "attempts", "attempt_reports", "lookups", "authorizations",
	"duplicates", "suppressed_claims", "review_items", "counters",
	"requests", "request_levels", "decisions", "refused_tries", "request_views",
	"mails", "notices", "webhooks", "webhook_messages", "webhook_deliveries", "trouble_told", "daily_figures",
	"submissions", "idempotency_keys", "audit_events",
}

// Left are the tables that stay behind, and why.
var Left = map[string]string{
	"sessions":         "everybody signs in again",
	"ended_sessions":   "as sessions",
	"token_rates":      "forgotten in a crash as well",
	"goose_db_version": "the schema, which the program brings itself",
}

// column is a column as the database has it. Generated ones are left out.
type column struct {
	Name, Type string
	NotNull    bool
}

type table struct {
	name    string
	columns []column
	at      map[string]int
}

// catalogue reads the columns of every table.
func catalogue(q *gorm.DB) (map[string]table, error) {
	var rows []struct {
		Rel, Name, Type string
		NotNull         bool
	}
	err := q.Raw(`select c.relname as rel, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as not_null
		from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = current_schema() and c.relname in ? and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by c.relname, a.attnum`, Tables).Scan(&rows).Error
	all := map[string]table{}
	for _, r := range rows {
		t := all[r.Rel]
		if t.at == nil {
			t.name, t.at = r.Rel, map[string]int{}
		}
		t.at[r.Name] = len(t.columns)
		t.columns = append(t.columns, column{r.Name, r.Type, r.NotNull})
		all[r.Rel] = t
	}
	if err == nil && len(all) != len(Tables) {
		err = fmt.Errorf("the database has %d of %d tables", len(all), len(Tables))
	}
	return all, err
}

// selected gives every row as a JSON object of texts.
func (t table) selected() string {
	var columns []string
	for _, c := range t.columns {
		columns = append(columns, fmt.Sprintf("%s::text as %[1]s", quoted(c.Name)))
	}
	return fmt.Sprintf("select row_to_json(r)::text from (select %s from %s) r", strings.Join(columns, ", "), quoted(t.name))
}

// inserted takes a JSON list of such objects.
func (t table) inserted() string {
	var names, values []string
	for _, c := range t.columns {
		names = append(names, quoted(c.Name))
		values = append(values, fmt.Sprintf("(r->>'%s')::%s", strings.ReplaceAll(c.Name, "'", "''"), c.Type))
	}
	return fmt.Sprintf("insert into %s (%s) overriding system value select %s from json_array_elements(cast(? as json)) r", quoted(t.name), strings.Join(names, ", "), strings.Join(values, ", "))
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// migrations are the versions of the schema, in order.
func migrations(q *gorm.DB) (all []int64, err error) {
	err = q.Raw("select version_id from goose_db_version where is_applied and version_id > 0 order by version_id").Scan(&all).Error
	return all, err
}
