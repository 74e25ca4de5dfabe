package identity

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

// A second implementation, written another way: it walks the raw text for each
// component, knows no JSONPath, and compares lists of values and never keys.

// rawValue is the text of the value at steps, how often its member occurs, and
// whether the object that should hold the last step is there.
func rawValue(text string, steps []any) (raw string, times int, parent bool) {
	raw, times = strings.TrimSpace(text), 1
	for i, step := range steps {
		var hits []string
		object := strings.HasPrefix(raw, "{")
		switch s := step.(type) {
		case string:
			if object {
				for _, m := range rawPieces(raw) {
					end := rawEnd(m, 0)
					if name := rawText(m[:end]); name == s {
						_, after, _ := strings.Cut(m[end:], ":")
						hits = append(hits, strings.TrimSpace(after))
					}
				}
			}
		case int:
			if strings.HasPrefix(raw, "[") {
				if pieces := rawPieces(raw); s < len(pieces) {
					hits = pieces[s : s+1]
				}
			}
		}
		if len(hits) != 1 {
			return "", len(hits), object && i == len(steps)-1
		}
		raw = hits[0]
	}
	return raw, 1, true
}

// rawPieces splits what is inside an object or a list at its commas.
func rawPieces(raw string) []string {
	var out []string
	depth, start := 0, 1
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = rawEnd(raw, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				if piece := strings.TrimSpace(raw[start:i]); piece != "" {
					out = append(out, piece)
				}
				return out
			}
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(raw[start:i]))
				start = i + 1
			}
		}
	}
	return out
}

// rawEnd is where the quoted text that begins at i ends.
func rawEnd(raw string, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// rawText reads quoted text through UTF-16.
func rawText(quoted string) string {
	var units []uint16
	for body := quoted[1 : len(quoted)-1]; body != ""; {
		if body[0] != '\\' {
			for _, r := range body {
				units = utf16.AppendRune(units, r)
				body = body[len(string(r)):]
				break
			}
			continue
		}
		switch body[1] {
		case 'u':
			var n uint16
			_, _ = fmt.Sscanf(body[2:6], "%04x", &n)
			units, body = append(units, n), body[6:]
		default:
			i := strings.IndexByte(`"\/bfnrt`, body[1])
			units, body = append(units, uint16("\"\\/\b\f\n\r\t"[i])), body[2:]
		}
	}
	return string(utf16.Decode(units))
}

// second is one component for the second implementation.
type second struct {
	name  string
	steps []any
	scope string
	fixed string
	def   string
}

// seconds makes the values of a rule, or reports that a person must look.
func seconds(components []second, s Scope, text string) (values []string, review bool) {
	for _, c := range components {
		var v string
		switch {
		case c.scope == "fixed":
			v = "text " + norm.NFC.String(c.fixed)
		case c.scope != "":
			v = "text " + map[string]string{"environment": s.Environment, "account": s.Account, "effect": s.Effect}[c.scope]
		default:
			raw, times, parent := rawValue(text, c.steps)
			if times == 0 && parent && c.def != "" {
				raw, times = c.def, 1
			}
			switch {
			case times != 1, raw == "null", raw[0] == '{', raw[0] == '[':
				review = true
			case raw[0] == '"':
				if v = "text " + norm.NFC.String(rawText(raw)); strings.Trim(v[5:], " \t\n") == "" {
					review = true
				}
			default:
				v = "bare " + raw
			}
		}
		values = append(values, v)
	}
	return values, review
}

// secondVerdict decides from the values, in an order of its own.
func secondVerdict(rules map[Kind][]second, a, b Scope, textA, textB string) VerdictCode {
	differ := map[Kind]bool{}
	look := false
	for kind, components := range rules {
		va, ra := seconds(components, a, textA)
		vb, rb := seconds(components, b, textB)
		if ra || rb {
			look = look || kind != LegitimateRepeat
			continue // a repeat that cannot be read never tells apart
		}
		differ[kind] = fmt.Sprintf("%q", va) != fmt.Sprintf("%q", vb)
	}
	_, transport := rules[TransportEvent]
	switch {
	case look || rules[IntendedEffect] == nil:
		return ToReview
	case a != b:
		return KeysNeverCross
	case transport && !differ[TransportEvent]:
		if differ[BusinessRecord] || differ[IntendedEffect] {
			return ToReview
		}
		return SameDelivery
	}
	if differ[LegitimateRepeat] {
		named := true
		for _, c := range rules[IntendedEffect] {
			va, _ := seconds([]second{c}, a, textA)
			vb, _ := seconds([]second{c}, b, textB)
			if va[0] != vb[0] {
				found := false
				for _, r := range rules[LegitimateRepeat] {
					found = found || r.scope == "" && c.scope == "" && fmt.Sprint(r.steps) == fmt.Sprint(c.steps)
				}
				named = named && found
			}
		}
		if named {
			return RepeatVerdict
		}
	}
	if differ[IntendedEffect] {
		return OtherAction
	}
	return SameAction
}

var places = []struct {
	path  string
	steps []any
}{
	{"$.event_id", []any{"event_id"}}, {"$.request_id", []any{"request_id"}}, {"$['version']", []any{"version"}}, {"$.data.id", []any{"data", "id"}},
	{`$["data"]['größe']`, []any{"data", "größe"}}, {"$.items[0]", []any{"items", 0}}, {"$.items[1].sku", []any{"items", 1, "sku"}}, {"$['a/b']['c:d']", []any{"a/b", "c:d"}},
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// randomRules makes one rule of each kind, for both implementations.
func randomRules(r *rand.Rand) ([]Rule, map[Kind][]second) {
	var rules []Rule
	others := map[Kind][]second{}
	var read []int
	for _, kind := range Kinds {
		if kind != IntendedEffect && r.IntN(8) == 0 {
			continue
		}
		out := Rule{Kind: kind}
		add := func(c Component, s second) {
			s.name = c.Name
			out.Components, others[kind] = append(out.Components, c), append(others[kind], s)
		}
		if kind == IntendedEffect {
			for _, c := range ScopeComponents() {
				add(c, second{scope: string(c.Scope)})
			}
		}
		order := r.Perm(len(places))
		if kind == LegitimateRepeat && r.IntN(2) == 0 {
			order = read // the places that the effect reads, and perhaps one more
		}
		for i, n := range order[:1+r.IntN(3)] {
			if kind == IntendedEffect {
				read = order
			}
			c, s := Component{Name: fmt.Sprint("c", i), Path: places[n].path}, second{steps: places[n].steps}
			if _, member := s.steps[len(s.steps)-1].(string); member && r.IntN(3) == 0 {
				s.def = pick(r, "1", `"none"`, "true", `"e\u0301"`)
				c.Default = &s.def
			}
			add(c, s)
		}
		if r.IntN(6) == 0 {
			add(Component{Name: "form", Scope: ScopeFixed, Value: "e\u0301"}, second{scope: "fixed", fixed: "é"})
		}
		rules = append(rules, out)
	}
	return rules, others
}

// randomInput writes a document that the places above often fit.
func randomInput(r *rand.Rand) string {
	scalar := func() string {
		if r.IntN(25) == 0 {
			return pick(r, `""`, `" "`, "null", "{}", "[]", `{"id": 1}`, `[",", "}"]`)
		}
		return pick(r, "1", "1", "2", "1.0", "9007199254740992", "9007199254740993", `"1"`, `"a"`, `"a"`, `"b"`, `"a|c0=1"`, `"é"`, `"e\u0301"`, `"\u00e9"`, `"\ud83d\udc00"`, `"🐀"`,
			"true", `"true"`, `"\"}]\\"`)
	}
	space := func() string { return pick(r, "", "", " ", "\n\t") }
	object := func(members ...string) string {
		var kept []string
		for i := 0; i < len(members); i += 2 {
			for range pick(r, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2) {
				kept = append(kept, members[i]+space()+":"+space()+members[i+1])
			}
		}
		r.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
		return "{" + space() + strings.Join(kept, space()+","+space()) + space() + "}"
	}
	data := object(`"id"`, scalar(), pick(r, `"größe"`, `"gr\u00f6\u00dfe"`), scalar())
	items := "[" + scalar() + "," + space() + object(`"sku"`, scalar()) + "]"
	return space() + object(`"event_id"`, scalar(), pick(r, `"request_id"`, `"request\u005fid"`), scalar(), `"version"`, scalar(),
		`"data"`, pick(r, data, data, data, data, data, data, scalar()), `"items"`, pick(r, items, items, items, items, items, "[]", scalar()), `"a/b"`, object(`"c:d"`, scalar()), `"{,]"`, scalar())
}

func TestVerdictsAgreeWithASecondImplementation(t *testing.T) {
	const seed = 20261129
	r := rand.New(rand.NewPCG(seed, 1))
	seen := map[VerdictCode]int{}
	for i := range 2500 {
		rules, others := randomRules(r)
		set, err := NewSet(rules...)
		if err != nil {
			t.Fatal(err)
		}
		a, b := randomInput(r), randomInput(r)
		if r.IntN(3) == 0 {
			b = strings.Replace(a, pick(r, `"a"`, "1", `"é"`), pick(r, `"b"`, "2", `"e\u0301"`, "null"), 1)
			if _, err := ParseInput([]byte(b)); err != nil {
				b = a
			}
		}
		there := sandbox
		if r.IntN(6) == 0 {
			there = pick(r, Scope{"production", "crm-test", "create-crm-task"}, Scope{"sandbox", "other", "create-crm-task"}, Scope{"sandbox", "crm-test", "book-visit"})
		}
		got := Compare(set, Side{sandbox, mustInput(t, a)}, Side{there, mustInput(t, b)})
		want := secondVerdict(others, sandbox, there, a, b)
		if got.Code != want {
			t.Fatalf("pair %d: %s, and the other says %s\nrules %+v\n%s\n%s\n%s", i, got.Code, want, others, a, b, got.Words)
		}
		seen[want]++
	}
	for _, v := range Verdicts {
		if seen[v] < 20 {
			t.Errorf("only %d pairs came to %s", seen[v], v)
		}
	}
	t.Log(seen)
}
