package browser

import "testing"

func TestAPersonWithAKeyboardOnlySignsInAndFindsTheWay(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	tab := site.NewTab(t, Desk)
	tab.Open("/login")
	tab.Key("Tab")
	tab.wantFocus("Skip to content")
	tab.TabTo("E-mail")
	tab.Type("viewer@example.test")
	tab.TabTo("Password")
	tab.Type("countersign-demo")
	tab.Key("Enter")
	tab.At("/")

	// The first Tab offers to skip the navigation.
	tab.Key("Tab")
	tab.wantFocus("Skip to content")
	tab.Key("Enter")
	tab.wantFocus("main")

	// Keys: the list of them, and a way to a page.
	tab.Key("?")
	tab.See("Keyboard shortcuts", "Keys move the focus.")
	tab.Key("Escape")
	tab.NotSee("Keys move the focus.")
	tab.Key("g", "c")
	tab.At("/controls")
}

func TestTheMenuOpensOnAPhoneByTouchAndByKey(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	for name, view := range map[string]View{"with JavaScript": Phone, "without JavaScript": Phone.WithoutScript()} {
		t.Run(name, func(t *testing.T) {
			tab := site.NewTab(t, view)
			tab.SignIn("admin")
			tab.NotSee("Destinations")
			tab.Press("Menu")
			tab.See("Destinations", "People")
			tab.Key("Escape")
			tab.NotSee("Destinations")
			tab.wantFocus("Menu")
			tab.Key("Enter")
			tab.TabTo("Audit log")
			tab.Key("Enter")
			tab.At("/audit")
		})
	}
}
