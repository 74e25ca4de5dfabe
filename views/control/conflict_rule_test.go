package control

import (
	"fmt"
	"strings"
	"testing"

	"countersign/models/identity"
)

func TestCompareRulesLosesNothing(t *testing.T) {
	one, two := "1", "2"
	rule := func(change func(*identity.Rule)) identity.Rule {
		r := identity.Rule{Kind: identity.BusinessRecord, Statement: "One request.", Boundary: "Two requests.", Example: "{}",
			Components: []identity.Component{{Name: "request_id", Path: "$.request_id"}, {Name: "version", Path: "$.version", Default: &one}}}
		change(&r)
		return r
	}
	base := rule(func(*identity.Rule) {})
	saved := rule(func(r *identity.Rule) {
		r.Statement = "One request of one form."
		r.Components = append(r.Components[:1:1], identity.Component{Name: "form", Path: "$.form"}, r.Components[1])
	})
	mine := rule(func(r *identity.Rule) {
		r.Boundary = "Two forms."
		r.Components = []identity.Component{{Name: "request_id", Path: "$.id"}, {Name: "version", Path: "$.version", Default: &two}, {Name: "version", Path: "$.v"}, {Path: "$.x"}, {}}
	})
	var got []string
	for _, p := range compareRules(&base, saved, mine, "Owner") {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%s", p.Label, p.Base, p.Saved, p.Mine, p.Change))
	}
	want := `Statement|One request.|One request of one form.|One request.|Only Owner changed it
Component request_id|$.request_id|$.request_id|$.id|Only you changed it
Component form||$.form||Only Owner changed it
Component version|$.version|$.version|$.version|Same in both
Default of version|1 when absent|1 when absent|2 when absent|Only you changed it
Component version (2)|||$.v|Only you changed it
Component without a name|||$.x|Only you changed it
Order of components|request_id, version|request_id, form, version|request_id, version, version, without a name|Both changed it
Never mixed up|Two requests.|Two requests.|Two forms.|Only you changed it
Missing identifier|Goes to review|Goes to review|Goes to review|Same in both
Example input|{}|{}|{}|Same in both`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	for _, p := range compareRules(nil, saved, mine, "Owner") {
		if p.Base != "" || p.Change != "Same in both" && p.Change != "Differs" {
			t.Errorf("%+v", p)
		}
	}
}
