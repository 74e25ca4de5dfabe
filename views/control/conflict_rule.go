package control

import (
	"cmp"
	"fmt"
	"strings"

	"countersign/models/control"
	"countersign/models/identity"
)

// RulePart is one part of a rule in the three versions that a conflict is about.
type RulePart struct {
	Label             string
	Base, Saved, Mine string // "" where the version has no such part
	Change            string // who changed it, in words
	Touched           bool   // somebody did
}

// rulePart is a part of one rule, by the key that makes it the same part in
// another version.
type rulePart struct{ key, label, text string }

// ruleParts takes a rule apart: what it says, then each component by its name.
// Components of one name, or of none, are told apart by their count.
func ruleParts(r identity.Rule) []rulePart {
	parts := []rulePart{{"statement", "Statement", r.Statement}}
	seen, order := map[string]int{}, []string{}
	for _, c := range r.Components {
		if c == (identity.Component{}) { // the row for the next one
			continue
		}
		name := cmp.Or(c.Name, "without a name")
		order = append(order, name)
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		plain := c
		plain.Default = nil
		parts = append(parts, rulePart{"component " + name, "Component " + name, cmp.Or(control.ComponentWords(plain), "no path yet")})
		if c.Default != nil {
			parts = append(parts, rulePart{"default " + name, "Default of " + name, *c.Default + " when absent"})
		}
	}
	return append(parts, rulePart{"order", "Order of components", strings.Join(order, ", ")}, rulePart{"boundary", "Never mixed up", r.Boundary},
		rulePart{"missing", "Missing identifier", "Goes to review"}, rulePart{"example", "Example input", r.Example})
}

// compareRules lines up two versions of a rule with the one that both started
// from; nil base: there was none.
func compareRules(base *identity.Rule, saved, mine identity.Rule, savedBy string) []RulePart {
	var keys []string
	all := map[string]*RulePart{}
	add := func(r identity.Rule, set func(*RulePart, string)) {
		last := -1
		for _, p := range ruleParts(r) {
			if all[p.key] == nil {
				all[p.key] = &RulePart{Label: p.label}
				keys = append(keys[:last+1], append([]string{p.key}, keys[last+1:]...)...)
			}
			set(all[p.key], p.text)
			for i, k := range keys {
				if k == p.key {
					last = i
				}
			}
		}
	}
	add(saved, func(p *RulePart, text string) { p.Saved = text })
	add(mine, func(p *RulePart, text string) { p.Mine = text })
	if base != nil {
		add(*base, func(p *RulePart, text string) { p.Base = text })
	}
	var parts []RulePart
	for _, k := range keys {
		p := *all[k]
		p.Change = changeOf(p, base == nil, savedBy)
		p.Touched = p.Change != "Same in both"
		parts = append(parts, p)
	}
	return parts
}

func changeOf(p RulePart, new bool, savedBy string) string {
	switch {
	case p.Saved == p.Mine && (new || p.Saved == p.Base):
		return "Same in both"
	case p.Saved == p.Mine:
		return "Both changed it alike"
	case new:
		return "Differs"
	case p.Saved == p.Base:
		return "Only you changed it"
	case p.Mine == p.Base:
		return "Only " + savedBy + " changed it"
	}
	return "Both changed it"
}
