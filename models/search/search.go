// Package search finds anything that has a name or a number, across everything
// below it. Identifiers are found whole or from their beginning, names by any
// part of a word; every statement reads along an index and has a limit.
package search

import (
	"context"
	"strings"
	"unicode/utf8"

	"countersign/models"
	"countersign/models/people"
)

// Kind is what was found.
type Kind string

const (
	Workflow    Kind = "workflows"
	Control     Kind = "controls"
	Rule        Kind = "rules"
	Destination Kind = "destinations"
	Record      Kind = "requests" // a business record, with everything that was done for it
	Event       Kind = "events"
	Person      Kind = "people"

	// Only found whole.
	Action   Kind = "action"
	Delivery Kind = "delivery"
	Replay   Kind = "replay"
	Review   Kind = "review"
	Run      Kind = "run"
	Revision Kind = "revision"
	Evidence Kind = "evidence"
)

// Groups are the kinds that are found by a part of what they are called, in the
// order they are shown.
var Groups = []Kind{Workflow, Control, Rule, Record, Event, Destination, Person}

// Hit is one thing that was found.
type Hit struct {
	Kind  Kind
	Title string
	Ref   string // A-12, RR-3 or a whole identifier; "" for what has a name
	Text  string // where it belongs
	State string // as views name it; "" when it has none
	Path  string

	Effects []Effect // of a record: what became of each action
}

// Effect is one action of a record.
type Effect struct{ Control, State string }

// Group is the first hits of one kind; Next leads to the page of all of them.
type Group struct {
	Kind Kind
	Hits []Hit
	More bool
}

// Results is what was found. Exact are the things that the whole text names.
type Results struct {
	Text   string
	Short  bool // too short to look for
	Exact  []Hit
	Groups []Group
	Near   bool // nothing is called so; the groups hold what is called nearly so
}

// Any reports whether anything was found.
func (r Results) Any() bool { return len(r.Exact)+len(r.Groups) > 0 }

const (
	maxText = 600 // characters: as long as an identity key can be
	first   = 6   // hits of each kind
	least   = 2   // characters
)

// Find looks for text everywhere that by may look. Invalid for a text that is
// too long or holds what no name does.
func Find(ctx context.Context, db *models.DB, by models.Actor, text string) (Results, error) {
	r := Results{Text: models.Clean(text)}
	if err := check(r.Text); err != nil {
		return r, err
	}
	f := finder{ctx: ctx, db: db, by: by, text: r.Text, words: wordsOf(r.Text)}
	var err error
	if r.Exact, err = f.exact(); err != nil {
		return r, models.Classify(err)
	}
	if r.Short = utf8.RuneCountInString(r.Text) < least && len(r.Exact) == 0; r.Short {
		return r, nil
	}
	if r.Groups, err = f.groups(f.named); err != nil {
		return r, models.Classify(err)
	}
	if !r.Any() {
		r.Groups, err = f.groups(f.nearly)
		r.Near = len(r.Groups) > 0
	}
	return r, models.Classify(err)
}

// In is a page of the hits of one kind, in the order of their names. NotFound
// for a kind that is none, or that by may not look for; BadRequest for a cursor
// that no page of ours made.
func In(ctx context.Context, db *models.DB, by models.Actor, kind Kind, text, at string) (models.Page[Hit], error) {
	f := finder{ctx: ctx, db: db, by: by, text: models.Clean(text)}
	f.words = wordsOf(f.text)
	if err := check(f.text); err != nil {
		return models.Page[Hit]{}, err
	}
	if !f.may(kind) {
		return models.Page[Hit]{}, models.NotFoundf("There is no such list.")
	}
	if utf8.RuneCountInString(f.text) < least {
		return models.Page[Hit]{}, nil
	}
	page, err := f.page(kind, at)
	return page, models.Classify(err)
}

func check(text string) error {
	var c models.Check
	c.Line("q", text, maxText)
	return c.Err()
}

type finder struct {
	ctx   context.Context
	db    *models.DB
	by    models.Actor
	text  string
	words []string
}

// may reports whether by may open what is found of a kind.
func (f finder) may(kind Kind) bool {
	for _, k := range Groups {
		if k == kind {
			return kind != Person || people.MayAdminister(f.by) == nil
		}
	}
	return false
}

func (f finder) groups(find func(Kind) ([]Hit, error)) (all []Group, err error) {
	for _, kind := range Groups {
		if !f.may(kind) {
			continue
		}
		hits, err := find(kind)
		if err != nil {
			return nil, err
		}
		if g := (Group{Kind: kind, Hits: hits}); len(hits) > 0 {
			if g.More = len(hits) > first; g.More {
				g.Hits = hits[:first]
			}
			all = append(all, g)
		}
	}
	return all, nil
}

const (
	maxWords = 8
	maxWord  = 50 // characters
)

// wordsOf splits as the function search_text of the database does.
func wordsOf(text string) (words []string) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || strings.ContainsRune("-_./@:,", r) }) {
		if len(words) == maxWords {
			break
		}
		if r := []rune(w); len(r) > maxWord {
			w = string(r[:maxWord])
		}
		words = append(words, w)
	}
	return words
}
