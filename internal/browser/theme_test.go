package browser

import (
	"fmt"
	"strings"
	"testing"
)

func TestADarkThemeStaysAfterAReload(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	for name, view := range map[string]View{"with JavaScript": Desk, "without JavaScript": Desk.WithoutScript()} {
		t.Run(name, func(t *testing.T) {
			tab := site.NewTab(t, view)
			tab.SignIn("viewer")
			wantTheme(t, tab, "system", false)

			tab.Press("Dark")
			wantTheme(t, tab, "dark", true)
			tab.Reload()
			wantTheme(t, tab, "dark", true)
			if !strings.Contains(tab.Source(), `data-theme="dark"`) {
				t.Error("the first HTML does not say dark, so the page flashes")
			}

			tab.Press("Light")
			tab.Scheme(true)
			tab.Reload()
			wantTheme(t, tab, "light", false)

			tab.Press("As the system")
			wantTheme(t, tab, "system", true)
		})
	}
}

func wantTheme(t *testing.T, tab *Tab, name string, dark bool) {
	t.Helper()
	var n string
	var d bool
	tab.until(func() bool { n, d = tab.Theme(); return n == name && d == dark },
		func() string { return fmt.Sprintf("theme %s, dark %v; want %s, %v", n, d, name, dark) })
}
