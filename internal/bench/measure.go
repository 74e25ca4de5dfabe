package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// page is one page to measure, and a proof that the right one was rendered.
type page struct {
	name  string
	key   string // to compare one with another
	in    *workspace
	as    *browser
	path  string
	wants string // text in it ...
	rows  int    // ... and how many links to controls a list must have; 0: not a list
}

// result is what a page took: medians.
type result struct {
	page
	statements    []statement
	size          int // bytes of HTML
	render, bare  time.Duration
	each          []time.Duration // of the statements, in their order
	renders, bars []time.Duration
	eachRun       [][]time.Duration
}

const (
	warmups   = 3
	fewest    = 11
	most      = 61
	timeLimit = 20 * time.Second
)

// measure renders every page and sends its statements without it, in turns, so
// that a slow moment of the machine meets all of them.
func measure(ctx context.Context, pages []page) ([]*result, error) {
	var all []*result
	for _, p := range pages {
		r, err := prepare(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		all = append(all, r)
	}
	began := time.Now()
	for round := range most {
		if round >= fewest && time.Since(began) > timeLimit {
			break
		}
		for _, r := range all {
			if err := r.once(ctx); err != nil {
				return nil, fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	for _, r := range all {
		r.render, r.bare = median(r.renders), median(r.bars)
		for i := range r.statements {
			r.each = append(r.each, median(r.eachRun[i]))
		}
	}
	return all, nil
}

// prepare warms the page up, checks it and notes its statements.
func prepare(ctx context.Context, p page) (*result, error) {
	r := &result{page: p}
	for range warmups {
		text, err := p.as.get(p.path)
		if err != nil {
			return nil, err
		}
		r.size = len(text)
		if !strings.Contains(text, p.wants) {
			return nil, fmt.Errorf("%q is not on the page", p.wants)
		}
		if n := controlsOn(text); p.rows > 0 && n != p.rows {
			return nil, fmt.Errorf("%d controls on the page, want %d", n, p.rows)
		}
	}
	var err error
	r.statements, err = p.in.trace.record(func() error { _, err := p.as.get(p.path); return err })
	if err != nil {
		return nil, err
	}
	r.eachRun = make([][]time.Duration, len(r.statements))
	for range warmups {
		if _, err := replay(ctx, p.in.db.Pool, r.statements); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// once renders the page and sends its bare statements.
func (r *result) once(ctx context.Context) error {
	start := time.Now()
	if _, err := r.as.get(r.path); err != nil {
		return err
	}
	r.renders = append(r.renders, time.Since(start))
	took, err := replay(ctx, r.in.db.Pool, r.statements)
	if err != nil {
		return err
	}
	var sum time.Duration
	for i, d := range took {
		sum += d
		r.eachRun[i] = append(r.eachRun[i], d)
	}
	r.bars = append(r.bars, sum)
	return nil
}

// controlsOn counts the different controls that a page links to.
func controlsOn(text string) int {
	found := map[string]bool{}
	for _, part := range strings.Split(text, `href="/controls/`)[1:] {
		slug, _, _ := strings.Cut(part, `"`)
		if slug, _, _ = strings.Cut(slug, "#"); slug != "new" && !strings.ContainsAny(slug, "/?") {
			found[slug] = true
		}
	}
	return len(found)
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}
