// Package search shows what a search found.
package search

import (
	"net/url"

	"countersign/models"
	"countersign/models/search"
	"countersign/views/ui"
)

// Props is the page of a search; In is not empty for the page of one kind.
type Props struct {
	Results  search.Results
	Problems []models.FieldError
	In       search.Kind
	Hits     []search.Hit
	Pager    ui.Pager
}

type word struct{ One, Many, Icon string }

var words = map[search.Kind]word{
	search.Workflow:    {"Workflow", "Workflows", "workflow"},
	search.Control:     {"Control", "Controls", "shield-check"},
	search.Rule:        {"Identity rule", "Identity rules", "fingerprint"},
	search.Destination: {"Destination", "Destinations", "server"},
	search.Record:      {"Request", "Requests", "layers"},
	search.Event:       {"Event", "Events", "arrow-down-to-line"},
	search.Person:      {"Person", "People", "users"},
	search.Action:      {"Action", "Actions", "book-open-text"},
	search.Delivery:    {"Delivery", "Deliveries", "arrow-down-to-line"},
	search.Replay:      {"Replay request", "Replay requests", "repeat"},
	search.Review:      {"Review item", "Review items", "scan-search"},
	search.Run:         {"Run", "Runs", "flask-conical"},
	search.Revision:    {"Revision", "Revisions", "badge-check"},
	search.Evidence:    {"Evidence", "Evidence", "paperclip"},
}

// named are the kinds whose titles are identifiers.
func identifier(k search.Kind) bool { return k == search.Record || k == search.Event }

// PathOf is the page of a search, of one kind when in is not empty.
func PathOf(text string, in search.Kind) string {
	q := url.Values{"q": {text}}
	if in != "" {
		q.Set("in", string(in))
	}
	return "/search?" + q.Encode()
}

// about is the line under a hit; what was found whole says what it is.
func about(h search.Hit, exact bool) string {
	switch {
	case !exact:
		return h.Text
	case h.Text == "":
		return words[h.Kind].One
	}
	return words[h.Kind].One + " · " + h.Text
}

// summary says how far the search went.
func summary(r search.Results) string {
	switch {
	case r.Text == "":
		return "Two characters at least. Names by any part of a word; events and requests whole or from their beginning; keys and result IDs whole."
	case r.Short:
		return "Enter at least two characters, or a number such as RR-3."
	case !r.Any():
		return "Nothing was found. Events and requests are found whole or from their beginning, keys and result IDs whole, as they are written."
	case r.Near:
		return "Nothing is called exactly so. This is called nearly so:"
	}
	return ""
}
