package destinations

import "countersign/views/ui"

// Catalogue is a page of what providers document, to start from.
type Catalogue struct {
	Senders    bool // senders instead of operations
	Q          string
	Mechanism  string
	Confidence string
	Mechanisms []ui.Option
	Count      string // "72 operations", "3 of 72 operations"
	Entries    []Entry
	Pager      ui.Pager
	Tabs       []ui.Tab
	All        string // the same list without the filter
	For        For
}

func (p Catalogue) confidences() []ui.Option {
	return []ui.Option{{Value: "", Label: "Any confidence"}, {Value: "verified", Label: "Read in the provider’s text"}, {Value: "partly", Label: "Partly"}}
}

// For is the destination or workflow that somebody came from; the zero For is nobody's.
type For struct {
	Param, Slug string // of the address: "destination", "crm-demo"
	Name, Path  string
}

// Entry is what the catalogue holds about one operation or one sender.
type Entry struct {
	Title, Path string
	State       ui.State // of the mechanism, or of duplicates
	Partly      bool     // not all of it was read in the provider's own words
	Text        string   // what a repeat does
	Summary     string   // what the facts are about
	Facts       []Fact
}

// Fact is a label and what the source says, as text.
type Fact struct{ Label, Text string }

// EntryShow is the page of one entry, with the form that starts from it.
type EntryShow struct {
	Entry
	Sender   bool
	Start    string // where the form leads
	Choice   ui.Field
	WhyNot   string // why this person may not start from it
	NewPlace string // where to add a destination or workflow when there is none to choose
}
