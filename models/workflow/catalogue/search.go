package catalogue

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"countersign/models"
)

// Filter narrows a list; the zero value is all of it.
type Filter struct {
	Q          string // each of its words is somewhere in the entry
	Mechanism  string // of operations only
	Confidence string
	Page       string // from "1"; "" is the first
}

// Operations returns a page of the operations by provider, and how many match.
// BadRequest when there is no such page.
func Operations(f Filter) (models.Page[Operation], int, error) {
	words := f.words()
	var found []Operation
	for _, o := range all().operations {
		if (f.Mechanism == "" || f.Mechanism == o.Mechanism) && (f.Confidence == "" || f.Confidence == o.Confidence) &&
			holds(words, o.Provider, o.Operation, o.Field, o.KeyLifetime, o.RepeatReturns, o.ConflictBehaviour, o.Lookup, MechanismWords(o.Mechanism), o.Caveats, o.Title) {
			found = append(found, o)
		}
	}
	slices.SortStableFunc(found, func(a, b Operation) int { return cmp.Compare(strings.ToLower(a.Provider), strings.ToLower(b.Provider)) })
	p, err := page(found, f.Page)
	return p, len(found), err
}

// Senders returns a page of the senders by name, and how many match.
// BadRequest when there is no such page.
func Senders(f Filter) (models.Page[Sender], int, error) {
	words := f.words()
	var found []Sender
	for _, s := range all().senders {
		if (f.Confidence == "" || f.Confidence == s.Confidence) &&
			holds(words, s.Sender, s.EventID, s.Duplicates, s.Ordering, s.Retries, s.Signature, s.VersionField, s.Caveats, s.Title) {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b Sender) int { return cmp.Compare(strings.ToLower(a.Sender), strings.ToLower(b.Sender)) })
	p, err := page(found, f.Page)
	return p, len(found), err
}

// Sizes says how many operations and senders there are.
func Sizes() (operations, senders int) { return len(all().operations), len(all().senders) }

func (f Filter) words() []string { return strings.Fields(strings.ToLower(f.Q)) }

func holds(words []string, texts ...string) bool {
	text := strings.ToLower(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// page is one page of a list that changes with the program only, so its pages
// have numbers.
func page[T any](found []T, at string) (models.Page[T], error) {
	n, last := 1, max(1, (len(found)+models.PageSize-1)/models.PageSize)
	if at != "" {
		var err error
		if n, err = strconv.Atoi(at); err != nil || n < 1 || n > last {
			return models.Page[T]{}, models.BadRequestf("This page link is damaged. Start again from the first page.")
		}
	}
	p := models.Page[T]{Items: found[(n-1)*models.PageSize : min(n*models.PageSize, len(found))]}
	if n > 1 {
		p.Prev = strconv.Itoa(n - 1)
	}
	if n < last {
		p.Next = strconv.Itoa(n + 1)
	}
	return p, nil
}
