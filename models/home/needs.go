// Package home gathers what waits for one person, across everything below it.
package home

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/models"
)

// Need is one thing that waits for a person, with the verb that settles it.
type Need struct {
	Kind   string // sign, confirm, question, rework, finish, submit, reach, review_date, stopped, replace, propose, expectation, run, record, returned, discrepancy, waiver, prove, renew, upload, queue
	Title  string
	Line   string // why, in one line; says for whom when it comes through a delegation
	Verb   string
	Path   string
	Since  time.Time  // when it began to wait
	Due    *time.Time // a calendar date, UTC
	Urgent bool       // somebody else is blocked by it, or a date has come
	Head   int        // what comes before everything else: 2 a stop, 1 two effects
}

// mostOfAKind bounds what one kind contributes; the lists behind show the rest.
const mostOfAKind = 20

// Needs lists what waits for by, or for somebody they stand in for: urgent
// things first, a stop and two effects before all, then the longest waiting. Only what they may do is listed.
func Needs(ctx context.Context, db *models.DB, by models.Actor) ([]Need, error) {
	now, err := db.Now(ctx)
	if err != nil {
		return nil, err
	}
	r := reader{ctx: ctx, db: db, by: by, ids: append([]int64{by.ID}, by.StandIns()...), today: now.Truncate(24 * time.Hour)}
	if r.names, err = r.standsFor(); err != nil {
		return nil, err
	}
	var all []Need
	for _, find := range []func() ([]Need, error){
		r.toSign, r.toConfirm, r.toAnswer, r.toClose, r.toRework, r.toFinish, r.toCheckReach, r.toReview, r.toLift, r.toReplace,
		r.toAgree, r.toReviewRuns, r.toRecord, r.toRetest, r.toWaive, r.toProve, r.toRenew, r.toClear, r.toDecide,
	} {
		some, err := find()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b Need) int {
		if a.Head != b.Head {
			return b.Head - a.Head
		}
		if a.Urgent != b.Urgent {
			if a.Urgent {
				return -1
			}
			return 1
		}
		return a.Since.Compare(b.Since)
	})
	return all, nil
}

// reader is who reads, and what the queries are asked with.
type reader struct {
	ctx   context.Context
	db    *models.DB
	by    models.Actor
	ids   []int64 // by and everybody by stands in for
	names map[int64]string
	today time.Time
}

// as lists in whose place by may act in a role, their own included.
func (r reader) as(role models.Role) []int64 {
	var ids []int64
	for _, id := range r.ids {
		if r.by.ActsAs(id, role) {
			ids = append(ids, id)
		}
	}
	return ids
}

// standsFor is the names of those by stands in for.
func (r reader) standsFor() (map[int64]string, error) {
	names := map[int64]string{}
	if len(r.by.StandsFor) == 0 {
		return names, nil
	}
	var people []struct {
		ID   int64
		Name string
	}
	err := r.db.Query(r.ctx).Raw("select id, name from people where id in ?", r.by.StandIns()).Scan(&people).Error
	for _, p := range people {
		names[p.ID] = p.Name
	}
	return names, err
}

// found is what one of the queries names. Whom is whose it is to do, 0 when
// that is nobody in particular.
type found struct {
	Slug, Name, Text, Field, State string
	ID, Whom                       int64
	Number, Count                  int
	At                             time.Time
	Date                           *time.Time
}

// needs runs a query and words each row. The query may use the names @ids,
// @me and those in more.
func (r reader) needs(sql string, more map[string]any, as func(found) Need) ([]Need, error) {
	args := map[string]any{"ids": r.ids, "me": r.by.ID}
	for name, v := range more {
		args[name] = v
	}
	var rows []found
	err := r.db.Query(r.ctx).Raw(sql+fmt.Sprintf(" limit %d", mostOfAKind), args).Scan(&rows).Error
	all := make([]Need, len(rows))
	for i, f := range rows {
		all[i] = as(f)
		all[i].Since = f.At
		if name := r.names[f.Whom]; name != "" && f.Whom != r.by.ID {
			all[i].Line = "For " + name + ": " + all[i].Line
		}
	}
	return all, err
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// shorten keeps the first 160 characters on one line.
func shorten(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > 160 {
		return string(r[:157]) + "..."
	}
	return string(r)
}
