// Package layout is the frame around every page: navigation, breadcrumbs, flash.
package layout

// Page is what the frame needs to know about the page inside it.
type Page struct {
	Title  string
	Nav    string // key of the current navigation item
	Crumbs []Crumb
	Width  string // "", read, full, wide
	Split  string // "", list or detail: two panes side by side
	User   *User  // nil when signed out
	Theme  string // light, dark or system
	Flash  *Flash
	Counts map[string]int // by navigation key: how much waits there
	Mark   string         // what its stream of changes goes on from
	Path   string
	Bare   bool // without navigation
}

// Crumb is one step of the way here; the last has no Href.
type Crumb struct{ Text, Href string }

// User is who is signed in.
type User struct {
	Name, Email string
	Admin       bool
}

// Flash says what the last form did, and links to what comes next when Href is
// not empty. Tones: ok, warn, bad, ink, idle.
type Flash struct{ Tone, Strong, Text, Link, Href string }

func (p Page) theme() string {
	if p.Theme == "light" || p.Theme == "dark" {
		return p.Theme
	}
	return "system"
}
