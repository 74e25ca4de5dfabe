package main

import "countersign/internal/browser"

// looks are the screens that pictures are taken on.
var looks = []struct {
	suffix string
	view   browser.View
}{
	{"-light", browser.Desk}, {"-dark", browser.Desk.InDark()},
	{"-phone", browser.Phone}, {"-phone-dark", browser.Phone.InDark()},
}

type place struct {
	name, path string
	readme     bool
}

// places are the pages by who looks at them; "" is nobody.
var places = map[string][]place{
	"": {{name: "login", path: "/login"}},
	"owner": {
		{"home", "/", true}, {"control", "/controls/create-crm-task", true}, {"sign-off", "/controls/create-crm-task/sign-off", true},
		{name: "revision", path: "/controls/create-crm-task/revisions/1"}, {name: "ask", path: "/controls/create-crm-task?talk=exact_effect#f-exact_effect"},
		{name: "history", path: "/controls/create-crm-task/answers/action_identity/history"}, {name: "account", path: "/account"}, {name: "stop", path: "/workflows/service-request/stop"},
	},
	"implementer": {
		{name: "controls", path: "/controls"}, {name: "control-draft", path: "/controls/book-visit"}, {name: "control-edit", path: "/controls/book-visit?edit=operation#f-operation"},
		{name: "control-changes", path: "/controls/send-confirmation"}, {name: "control-new", path: "/controls/new"},
		{name: "workflows", path: "/workflows"}, {name: "workflow", path: "/workflows/service-request"}, {name: "workflow-edit", path: "/workflows/service-request/edit"},
		{name: "sender", path: "/workflows/service-request/senders/web-form"}, {name: "destinations", path: "/destinations"}, {name: "destination", path: "/destinations/crm-demo-01"},
		{name: "operation", path: "/destinations/crm-demo-01/operations/create-task"},
	},
	"admin": {
		{name: "people", path: "/admin/people"}, {name: "person", path: "/admin/people/1"}, {name: "person-new", path: "/admin/people/new"},
		{name: "environments", path: "/admin/environments"}, {name: "environment", path: "/admin/environments/production"}, {name: "audit", path: "/audit"},
	},
}
