package ledger

import (
	"fmt"
	"strings"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

// walks take a page of a list from short walks along an index in the order of
// time: one for each environment and state asked for, and each control or workflow
// where one is. So no filter, however rare what it asks for, reads past what the
// page shows. Numbers and states are written out: they are ours.
type walks struct {
	table, prefix string // of the list: actions a
	state, at     string // columns
	order         models.Order

	environments []int64
	states       []string
	by           string // control_id or workflow_id; "" for any
	among        []int64
	also         string // a further condition
	day          *time.Time
	search       string // a condition that few items meet; "" for none
	args         []any
}

// environment asks for one by its slug, or for all of them.
func (w *walks) environment(q *gorm.DB, slug string) error {
	return q.Raw("select id from environments where ? in ('', slug)", slug).Scan(&w.environments).Error
}

// only asks for the controls or workflows that sql finds.
func (w *walks) only(q *gorm.DB, column, sql string, slugs ...any) error {
	w.by = column
	return q.Raw(sql, slugs...).Scan(&w.among).Error
}

// list is the query of the page at a cursor, to which Keyset adds the rest. What a
// search finds is little, and narrowed; everything else is taken from walks.
func (w *walks) list(q *gorm.DB, at, places string) (*gorm.DB, error) {
	if w.search != "" {
		return q.Table(w.table+" "+w.prefix+places).Where(w.search, w.args...).Where(w.within("any("+bigints(w.environments)+")", "any("+texts(w.states)+")", "any("+bigints(w.among)+")")), nil
	}
	after, args, tail, err := w.order.Walk(at, models.PageSize)
	if err != nil {
		return nil, err
	}
	from := "unnest(" + bigints(w.environments) + ") e cross join unnest(" + texts(w.states) + ") s"
	if w.by != "" {
		from += " cross join unnest(" + bigints(w.among) + ") o"
	}
	columns := strings.Join(w.order.Columns, ", ")
	walk := "select " + columns + " from " + w.table + " " + w.prefix + " where " + w.within("e", "s", "o") + after + tail
	page := "(select " + columns + " from " + from + " cross join lateral (" + walk + ") " + w.prefix + tail + ") page"
	return q.Table(page+" join "+w.table+" "+w.prefix+" on "+w.prefix+".id = page.id"+places, args...), nil
}

// within is what an item must be, in SQL.
func (w *walks) within(environment, state, by string) string {
	p := w.prefix + "."
	all := []string{p + "environment_id = " + environment, p + w.state + " = " + state}
	if w.by != "" {
		all = append(all, p+w.by+" = "+by)
	}
	if w.day != nil {
		all = append(all, fmt.Sprintf("%s%s >= '%s 00:00+00' and %[1]s%[2]s < '%[4]s 00:00+00'", p, w.at, w.day.Format(time.DateOnly), w.day.AddDate(0, 0, 1).Format(time.DateOnly)))
	}
	if w.also != "" {
		all = append(all, w.also)
	}
	return strings.Join(all, " and ")
}

func bigints(ids []int64) string { return "'" + array(ids) + "'::bigint[]" }

func texts(states []string) string { return "'{" + strings.Join(states, ",") + "}'::text[]" }
