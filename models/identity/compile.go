package identity

import (
	"fmt"
	"regexp"
	"strings"

	"countersign/models"
)

const (
	maxComponents = 20
	maxName       = 60
	maxFixed      = 200 // characters
	maxDefault    = 500 // bytes of JSON text
)

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Compiled is a rule whose paths have been read once. It is safe to use from
// several goroutines.
type Compiled struct {
	Kind  Kind
	parts []part
	scope bool // it starts with environment, account and effect
}

// part is one component, ready.
type part struct {
	Component
	path     path
	fixed    string // the value of a Fixed component
	standby  any    // the default, read
	hasStand bool
}

// Compile reads a rule. The error is an Invalid that names each field that must
// change as components.0.path and so on. A rule of an intended effect without
// its scope compiles, so that a draft can be saved, but derives no key.
func Compile(r Rule) (*Compiled, error) {
	var c models.Check
	if !r.Kind.Known() {
		c.Add("kind", "Choose what this rule recognises.")
	}
	if r.Missing != "" && r.Missing != Review {
		c.Add("missing", "A missing identifier goes to review. Nothing is guessed.")
	}
	switch n := len(r.Components); {
	case n == 0:
		c.Add("components", "Add at least one component.")
	case n > maxComponents:
		c.Add("components", "Remove components until there are %d. There are %d.", maxComponents, n)
		return nil, c.Err()
	}
	out := &Compiled{Kind: r.Kind, scope: scoped(r.Components)}
	names := map[string]bool{}
	for i, component := range r.Components {
		at := func(field string) string { return fmt.Sprintf("components.%d.%s", i, field) }
		checkName(&c, at("name"), component.Name, names)
		p := part{Component: component}
		if component.Scope != "" {
			compileScope(&c, at, &p)
		} else {
			compilePath(&c, at, &p)
		}
		out.parts = append(out.parts, p)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

func checkName(c *models.Check, field, name string, names map[string]bool) {
	switch {
	case !namePattern.MatchString(name) || len(name) > maxName:
		c.Add(field, "Use lower-case letters, digits and single underscores, %d at most, such as request_id.", maxName)
	case names[name]:
		c.Add(field, "Choose another name. Two components are called %s.", name)
	}
	names[name] = true
}

func compileScope(c *models.Check, at func(string) string, p *part) {
	if p.Path != "" {
		c.Add(at("path"), "Remove the path, or read this component from the input.")
	}
	if p.Default != nil {
		c.Add(at("default"), "Remove the default. Only a member of the input can be absent.")
	}
	switch p.Scope {
	case ScopeEnvironment, ScopeAccount, ScopeEffect:
		if p.Value != "" {
			c.Add(at("value"), "Remove the value. It comes from the claim.")
		}
	case ScopeFixed:
		if strings.TrimSpace(p.Value) == "" {
			c.Add(at("value"), "Enter the fixed value.")
		} else {
			c.Line(at("value"), p.Value, maxFixed)
		}
		var plain bool
		if p.fixed, plain = nfc(p.Value); !plain {
			c.Add(at("value"), "Remove combining marks. More than 30 follow one another.")
		}
	default:
		c.Add(at("scope"), "Choose environment, account, effect or a fixed value.")
	}
}

func compilePath(c *models.Check, at func(string) string, p *part) {
	if p.Value != "" {
		c.Add(at("value"), "Remove the value. This component is read from the input.")
	}
	read, problem := parsePath(p.Path)
	if problem != "" {
		c.Add(at("path"), "%s", problem)
		return
	}
	p.path = read
	if p.Default == nil {
		return
	}
	switch standby, err := readDefault(*p.Default); {
	case !read.endsInMember():
		c.Add(at("default"), "Remove the default. Only a named member can be absent, and this path ends elsewhere.")
	case err != nil:
		c.Add(at("default"), `Enter the default as one JSON value, such as 1 or "none": not null, empty, a list or an object.`)
	default:
		p.standby, p.hasStand = standby, true
	}
}

func readDefault(text string) (any, error) {
	if len(text) > maxDefault {
		return nil, fmt.Errorf("longer than %d bytes", maxDefault)
	}
	in, err := ParseInput([]byte(text))
	if err != nil {
		return nil, err
	}
	if code := unusable(in.root); code != "" {
		return nil, fmt.Errorf("the default is %s", code)
	}
	return in.root, nil
}
