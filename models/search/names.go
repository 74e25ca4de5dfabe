package search

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/workflow"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// table is where things of one kind are found by the words of their names. Text
// is the expression of the index.
type table struct {
	text, title, id, columns, from string
	hit                            func(row) Hit
}

type row struct {
	ID                       int64
	Title, Slug, Note, State string
	Field                    string
	Text                     string // as it is searched
}

var ruleFields = "('transport_event','business_record','action_identity','legitimate_repeat')"

var tables = map[Kind]table{
	Workflow: {"n.name || ' ' || n.slug", "n.name", "n.id",
		"n.slug, o.name as note, case when n.archived_at is not null then 'archived' when exists (select 1 from stops s where s.workflow_id = n.id and s.lifted_at is null) then 'stopped' else '' end as state, '' as field",
		"workflows n join people o on o.id = n.business_owner_id where true",
		func(r row) Hit {
			return Hit{Kind: Workflow, Title: r.Title, Text: "Workflow of " + r.Note, State: r.State, Path: workflow.Path(r.Slug)}
		}},
	Control: {"n.name || ' ' || n.slug || ' ' || n.effect", "n.name", "n.id",
		"n.slug, w.name as note, l.state as state, '' as field",
		"controls n join workflows w on w.id = n.workflow_id join revisions l on l.id = n.latest_revision_id where true",
		func(r row) Hit {
			return Hit{Kind: Control, Title: r.Title, Text: "Control of " + r.Note, State: r.State, Path: "/controls/" + r.Slug}
		}},
	Rule: {"n.value", "c.name", "n.id",
		"c.slug, n.value as note, n.state, n.field",
		"answers n join controls c on c.id = n.control_id where n.field in " + ruleFields + " and n.value <> '' and not exists (select 1 from answers m where m.control_id = n.control_id and m.field = n.field and m.version > n.version)",
		func(r row) Hit {
			f, _ := control.FieldByKey(r.Field)
			return Hit{Kind: Rule, Title: f.Label + " of " + r.Title, Text: r.Note, State: r.State, Path: "/controls/" + r.Slug + "#" + f.Anchor()}
		}},
	Destination: {"n.system || ' ' || n.account || ' ' || n.slug", "n.system", "n.id",
		"n.slug, n.account || ', ' || e.name as note, case when n.archived_at is not null then 'archived' else '' end as state, '' as field",
		"destinations n join environments e on e.id = n.environment_id where true",
		func(r row) Hit {
			return Hit{Kind: Destination, Title: r.Title, Text: r.Note, State: r.State, Path: "/destinations/" + r.Slug}
		}},
	Person: {"n.name || ' ' || n.email", "n.name", "n.id",
		"'' as slug, n.email as note, case when not n.active then 'deactivated' when n.password_hash = '' then 'invited' else '' end as state, '' as field",
		"people n where true",
		func(r row) Hit {
			return Hit{Kind: Person, Title: r.Title, Text: r.Note, State: r.State, Path: fmt.Sprintf("/admin/people/%d", r.ID)}
		}},
}

func (t table) searched() string { return "search_text(" + t.text + ")" }

// has is the condition that the name has a part of a word, with its arguments.
func (t table) has(part string) (string, []any) {
	return "(search_grams(" + t.searched() + ") @> search_grams(lower(?)) and strpos(" + t.searched() + ", lower(?)) > 0)", []any{part, part}
}

// part is what of a word is looked for: a word of two letters only where a word begins.
func part(word string) (string, bool) {
	switch n := utf8.RuneCountInString(word); {
	case n >= 3:
		return word, true
	case n == 2:
		return " " + word, true
	}
	return "", false
}

// conditions are that every word is in the name; none when no word is long enough.
func (t table) conditions(words []string) (where []string, args []any) {
	for _, w := range words {
		if p, ok := part(w); ok {
			condition, values := t.has(p)
			where, args = append(where, condition), append(args, values...)
		}
	}
	return where, args
}

// considered is how many names that match are ordered; the page of a kind shows all.
const considered = 300

// named are the hits of one kind: what is called exactly so, then what begins
// so, then the others by name.
func (f finder) named(kind Kind) ([]Hit, error) {
	t, ok := tables[kind]
	if !ok {
		return f.beginning(kind, "", first+1)
	}
	where, args := t.conditions(f.words)
	if len(where) == 0 {
		return nil, nil
	}
	sql := fmt.Sprintf(`select * from (select %s as id, %s as title, %s, %s as text from %s and %s limit %d) t
		order by lower(title) = lower(?) or slug = lower(?) desc, starts_with(lower(title), lower(?)) desc, title, id limit %d`,
		t.id, t.title, t.columns, t.searched(), t.from, strings.Join(where, " and "), considered, first+1)
	return f.hits(t, sql, append(args, f.text, f.text, f.text))
}

func (f finder) hits(t table, sql string, args []any) ([]Hit, error) {
	var rows []row
	if err := f.db.Query(f.ctx).Raw(sql, args...).Scan(&rows).Error; err != nil {
		return nil, err
	}
	return hitsOf(t, rows), nil
}

func hitsOf(t table, rows []row) []Hit {
	hits := make([]Hit, len(rows))
	for i, r := range rows {
		hits[i] = t.hit(r)
	}
	return hits
}

// page is a page of one kind.
func (f finder) page(kind Kind, at string) (models.Page[Hit], error) {
	t, ok := tables[kind]
	if !ok {
		return f.beginningPage(kind, at)
	}
	where, args := t.conditions(f.words)
	if len(where) == 0 {
		return models.Page[Hit]{}, nil
	}
	from, fixed, _ := strings.Cut(t.from, " where ")
	var q *gorm.DB = f.db.Query(f.ctx).Table(from).Select(fmt.Sprintf("%s as id, %s as title, %s", t.id, t.title, t.columns)).
		Where(fixed).Where(strings.Join(where, " and "), args...)
	page, err := models.Keyset(q, at, models.PageSize, models.Order{Columns: []string{t.title, t.id}}, func(r row) []any { return []any{r.Title, r.ID} })
	return models.Page[Hit]{Items: hitsOf(t, page.Items), Next: page.Next, Prev: page.Prev}, err
}

// nearly are the hits of one kind that a slip of the finger away from. One slip
// leaves one half of a word as it is, so halves are looked for along the index,
// and then the words are compared.
func (f finder) nearly(kind Kind) ([]Hit, error) {
	t, ok := tables[kind]
	if !ok || len(f.words) == 0 {
		return nil, nil
	}
	var where []string
	var args []any
	for _, w := range f.words {
		r := []rune(w)
		if len(r) < 6 {
			more, values := t.conditions([]string{w})
			where, args = append(where, more...), append(args, values...)
			continue
		}
		left, one := t.has(string(r[:len(r)/2]))
		right, two := t.has(string(r[len(r)/2:]))
		where, args = append(where, "("+left+" or "+right+")"), append(append(args, one...), two...)
	}
	if len(where) == 0 {
		return nil, nil
	}
	var rows []row
	sql := fmt.Sprintf("select %s as id, %s as title, %s, %s as text from %s and %s limit %d", t.id, t.title, t.columns, t.searched(), t.from, strings.Join(where, " and "), considered)
	if err := f.db.Query(f.ctx).Raw(sql, args...).Scan(&rows).Error; err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r row) bool { return !near(f.words, strings.Fields(r.Text)) })
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.Title, b.Title) })
	return hitsOf(t, rows[:min(len(rows), first+1)]), nil
}

// collect reads every row of a statement.
func collect[T any](f finder, sql string, args ...any) ([]T, error) {
	rows, err := f.db.Pool.Query(f.ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}
