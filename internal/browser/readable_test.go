package browser

import (
	"fmt"
	"testing"
)

// What was measured once is not measured again where it looks the same. What
// cannot be read is found as often as it is there.
func TestTextThatCannotBeReadIsFoundEachTime(t *testing.T) {
	t.Parallel()
	site := emptySite(t)
	tab := site.NewTab(t, Desk)
	tab.Open(site.setupLink(t))
	for _, look := range []struct {
		dark            bool
		letters, behind int // shades that are too near to what is there
	}{{false, 180, 60}, {true, 70, 190}} {
		tab.Scheme(look.dark)
		for range 2 { // the second time every look that can be read is known
			for what, change := range map[string]string{
				"nothing":         "",
				"its letters":     fmt.Sprintf("color: rgb(%[1]d %[1]d %[1]d)", look.letters),
				"what is behind":  fmt.Sprintf("display: block; padding: 9px; background-color: rgb(%[1]d %[1]d %[1]d)", look.behind),
				"how faded it is": "opacity: .4",
				"its small size":  fmt.Sprintf("font-size: 9px; color: rgb(%[1]d %[1]d %[1]d)", look.letters),
			} {
				eval[any](tab, fmt.Sprintf("void (document.querySelector('main label').style.cssText = %q)", change))
				if found := tab.axe("", colourRules); (len(found) > 0) != (change != "") {
					t.Errorf("dark %v, with another look for %s: %v", look.dark, what, found)
				}
			}
		}
	}
}
