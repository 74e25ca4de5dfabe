package layout

// Item is one link of the navigation.
type Item struct {
	Key, Text, Icon, Href string
	Go                    string // pressed after g it leads here
}

// Group is a titled part of the navigation.
type Group struct {
	Title string
	Admin bool // for admins only
	Items []Item
}

// Navigation holds the pages that are there. Its order is the product's:
// Decide, Agree, Prove, Record.
var Navigation = []Group{
	{Items: []Item{
		{"home", "Home", "house", "/", "h"},
		{"inbox", "Inbox", "inbox", "/inbox", "i"},
	}},
	{Title: "Decide", Items: []Item{
		{"queue", "Queue", "list-checks", "/queue", "q"},
	}},
	{Title: "Agree", Items: []Item{
		{"workflows", "Workflows", "workflow", "/workflows", "w"},
		{"controls", "Controls", "shield-check", "/controls", "c"},
		{"rules", "Identity rules", "fingerprint", "/identity-rules", "r"},
		{"destinations", "Destinations", "server", "/destinations", "d"},
	}},
	{Title: "Prove", Items: []Item{
		{"matrix", "Test matrix", "grid-3x3", "/matrix", "m"},
		{"evidence", "Evidence", "paperclip", "/evidence", "v"},
	}},
	{Title: "Record", Items: []Item{
		{"ledger", "Ledger", "book-open-text", "/ledger", "g"},
		{"audit", "Audit log", "scroll-text", "/audit", "l"},
		{"api", "API", "plug", "/api/docs", "a"},
		{"help", "Help", "circle-question-mark", "/help", "k"},
	}},
	{Title: "Admin", Admin: true, Items: []Item{
		{"admin", "Overview", "sliders-horizontal", "/admin", "n"},
		{"people", "People", "users", "/admin/people", "p"},
		{"environments", "Environments", "globe", "/admin/environments", "e"},
		{"tokens", "Tokens", "key-round", "/admin/tokens", "t"},
		{"policies", "Escalation policies", "layers", "/admin/policies", "o"},
		{"webhooks", "Webhooks", "webhook", "/admin/webhooks", "b"},
		{"mail", "E-mail", "mail", "/admin/mail", "s"},
	}},
}

func (p Page) groups() (shown []Group) {
	for _, g := range Navigation {
		if !g.Admin || (p.User != nil && p.User.Admin) {
			shown = append(shown, g)
		}
	}
	return shown
}
