package ui

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"
)

func render(t *testing.T, c templ.Component) *goquery.Document {
	t.Helper()
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// has fails unless sel matches and every attribute has the value given.
func has(t *testing.T, doc *goquery.Document, sel string, attrs map[string]string) {
	t.Helper()
	s := doc.Find(sel)
	if s.Length() != 1 {
		t.Errorf("%s: %d matches", sel, s.Length())
		return
	}
	for name, want := range attrs {
		if got, _ := s.Attr(name); got != want {
			t.Errorf("%s %s = %q, want %q", sel, name, got, want)
		}
	}
}

var options = []Option{{Value: "a", Label: "First"}, {Value: "b", Label: "Second", Hint: "Rare"}}

func TestEveryFieldNamesItsErrorAndHelp(t *testing.T) {
	f := Field{Name: "doc", Label: "Page", Help: "Where it says so.", Error: "Enter the address.", Value: "b", Options: options, Required: true}
	for name, c := range map[string]templ.Component{"input": TextField(f), "textarea": TextArea(f), "select": Select(f)} {
		doc := render(t, c)
		has(t, doc, name, map[string]string{"id": "doc", "name": "doc", "aria-invalid": "true", "aria-describedby": "doc-error doc-help"})
		has(t, doc, ".field", map[string]string{"data-invalid": "true"})
		has(t, doc, `label[for=doc]`, nil)
		if got := doc.Find("#doc-error").Text(); !strings.Contains(got, "Error: Enter the address.") {
			t.Errorf("%s error %q", name, got)
		}
		if doc.Find("#doc-help").Text() != "Where it says so." || doc.Find(name+"[required]").Length() != 1 {
			t.Errorf("%s: no help or not required", name)
		}
	}
	for role, c := range map[string]templ.Component{"radiogroup": Radios(f), "group": CheckBoxes(f)} {
		doc := render(t, c)
		has(t, doc, "fieldset", map[string]string{"role": role, "aria-describedby": "doc-error doc-help", "data-invalid": "true"})
		has(t, doc, "#doc", map[string]string{"name": "doc", "value": "a"})
		has(t, doc, "#doc-2", map[string]string{"name": "doc", "value": "b"})
	}
}

func TestFieldWithoutErrorSaysNothing(t *testing.T) {
	doc := render(t, TextField(Field{Name: "name", ID: "other", Label: "Name"}))
	has(t, doc, "input", map[string]string{"id": "other", "name": "name", "type": "text"})
	if doc.Find("[aria-describedby], [aria-invalid], [data-invalid], .error, [required], [disabled]").Length() != 0 {
		t.Error("a plain field claims an error, help or state")
	}
}

func TestChosenOptions(t *testing.T) {
	f := Field{Name: "x", Label: "X", Value: "b", Options: options}
	has(t, render(t, Select(f)), "option[selected]", map[string]string{"value": "b"})
	has(t, render(t, Radios(f)), "input[checked]", map[string]string{"value": "b"})
	f.Value, f.Values = "", []string{"a"}
	has(t, render(t, CheckBoxes(f)), "input[checked]", map[string]string{"value": "a"})
	has(t, render(t, CheckBox(Field{Name: "y", Label: "Y", Checked: true})), "input[checked]", map[string]string{"value": "true", "id": "y"})
	if render(t, CheckBox(Field{Name: "y", Label: "Y"})).Find("[checked]").Length() != 0 {
		t.Error("an empty box is checked")
	}
}

func TestTextAreaKeepsItsFirstLineBreak(t *testing.T) {
	if got := render(t, TextArea(Field{Name: "x", Label: "X", Value: "\nsecond line"})).Find("textarea").Text(); got != "\nsecond line" {
		t.Errorf("typed text became %q", got)
	}
}

func TestErrorSummaryLeadsToFields(t *testing.T) {
	doc := render(t, ErrorSummary([]FieldProblem{{Field: "doc", Message: "Enter the address."}, {Message: "Somebody was first."}}))
	has(t, doc, `a[href="#doc"]`, nil)
	has(t, doc, "section", map[string]string{"role": "alert", "tabindex": "-1", "aria-labelledby": "error-summary"})
	if h := doc.Find("h2").Text(); h != "2 answers need your attention" || doc.Find("li").Length() != 2 || doc.Find("a").Length() != 1 {
		t.Errorf("summary %q", h)
	}
	if render(t, ErrorSummary([]FieldProblem{{Field: "x", Message: "y"}})).Find("h2").Text() != "1 answer needs your attention" {
		t.Error("one answer")
	}
	if render(t, ErrorSummary(nil)).Find("section").Length() != 0 {
		t.Error("a summary of nothing")
	}
}

func TestWithTakesItsOwnProblem(t *testing.T) {
	problems := []FieldProblem{{Field: "a", Message: "no"}, {Field: "b", Message: "first"}, {Field: "b", Message: "second"}}
	if f := (Field{Name: "b"}).With(problems); f.Error != "first" {
		t.Errorf("error %q", f.Error)
	}
	if f := (Field{Name: "c"}).With(problems); f.Error != "" {
		t.Errorf("error %q", f.Error)
	}
}

func TestFormsCarrySubmissionAndVersion(t *testing.T) {
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	first, _ := render(t, Form(FormAt{Action: "/x"})).Find("[name=submission]").Attr("value")
	second, _ := render(t, Submission()).Find("input").Attr("value")
	if !uuid.MatchString(first) || !uuid.MatchString(second) || first == second {
		t.Errorf("submissions %q, %q", first, second)
	}
	doc := render(t, Form(FormAt{Action: "/x", Submission: "kept", Version: 7}))
	has(t, doc, "form", map[string]string{"method": "post", "action": "/x"})
	has(t, doc, "[name=submission]", map[string]string{"value": "kept"})
	has(t, doc, "[name=version]", map[string]string{"value": "7"})
}

func TestPagerEnds(t *testing.T) {
	doc := render(t, Pages(Pager{Text: "Newest 50", Next: "?at=abc", NextWord: "Older"}))
	has(t, doc, "a", map[string]string{"href": "?at=abc", "rel": "next"})
	if doc.Find("button[disabled]").Text() != "Previous" || doc.Find("a").Text() != "Older" {
		t.Errorf("pager %s", doc.Text())
	}
	if render(t, Pages(Pager{})).Find("nav").Length() != 0 {
		t.Error("a pager without pages")
	}
}

func TestFingerprintDrawsEveryByte(t *testing.T) {
	hash := "00ff" + strings.Repeat("80", 30)
	doc := render(t, Fingerprint("Full", hash))
	if n := doc.Find("rect").Length(); n != 32 {
		t.Fatalf("%d bars", n)
	}
	for i, want := range []string{"4", "32", "18"} {
		if got, _ := doc.Find("rect").Eq(i).Attr("height"); got != want {
			t.Errorf("bar %d is %s high, want %s", i, got, want)
		}
	}
	if got := doc.Find("code").Text(); strings.ReplaceAll(got, " ", "") != hash || strings.Count(got, " ") != 7 {
		t.Errorf("text %q", got)
	}
	for _, bad := range []string{"", "abc", strings.Repeat("z", 64), strings.Repeat("a", 62)} {
		doc := render(t, Fingerprint("Full", bad))
		if doc.Find("svg").Length() != 0 || strings.ReplaceAll(doc.Find("code").Text(), " ", "") != bad {
			t.Errorf("%q drawn", bad)
		}
	}
}

func TestHostileTextStaysText(t *testing.T) {
	evil := `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	for name, c := range map[string]templ.Component{
		"field":  TextField(Field{Name: "x", Label: evil, Help: evil, Error: evil, Value: evil, Placeholder: evil}),
		"area":   TextArea(Field{Name: "x", Label: evil, Value: "</textarea>" + evil}),
		"select": Select(Field{Name: "x", Label: evil, Options: []Option{{evil, evil, evil, false}}}),
		"radios": Radios(Field{Name: "x", Label: evil, Options: []Option{{evil, evil, evil, false}}}),
		"row":    Row(RowItem{Title: evil, Href: "/x", Text: evil}), "said": Said(evil), "lines": Lines(evil), "id": ID(evil), "hash": Hash8(evil),
		"diff": Diff(DiffWords("plain", evil)), "gate": Gate("blocked", evil, evil), "button": Button(Btn{Text: evil, Value: evil, Name: "x", Why: evil}),
		"error": ErrorPage(422, evil, evil, []FieldProblem{{Field: evil, Message: evil}}, evil), "summary": ErrorSummary([]FieldProblem{{Field: evil, Message: evil}}),
		"print": Fingerprint(evil, evil), "key": Key([]KeyPart{{evil, evil}}), "table": Table(evil, evil), "versions": Versions(evil, evil, []VersionPair{{evil, "a", evil, evil}}),
	} {
		doc := render(t, c)
		if doc.Find("script, img, [onerror], [style]").Length() != 0 || !strings.Contains(doc.Text()+attrs(doc), "alert(1)") && name != "hash" {
			t.Errorf("%s lets markup through or loses the text", name)
		}
	}
	for _, c := range []templ.Component{LinkButton("x", "javascript:alert(1)"), Link("x", "javascript:alert(1)"), External("x", "javascript:alert(1)"), Form(FormAt{Action: "javascript:alert(1)"}), Row(RowItem{Title: "x", Href: "javascript:alert(1)"})} {
		if doc := render(t, c); strings.Contains(attrs(doc), "javascript:") {
			t.Errorf("link to a script: %s", attrs(doc))
		}
	}
}

// attrs joins every attribute value of the document.
func attrs(doc *goquery.Document) string {
	var b strings.Builder
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, a := range s.Nodes[0].Attr {
			b.WriteString(a.Val + "\n")
		}
	})
	return b.String()
}

func TestDisabledButtonsSayWhy(t *testing.T) {
	doc := render(t, Button(Btn{Text: "Submit for review", Href: "/x", Why: "2 fields are open."}))
	has(t, doc, "button[disabled]", map[string]string{"type": "button", "aria-describedby": "why-submit-for-review"})
	if doc.Find("a").Length() != 0 || doc.Find("#why-submit-for-review").Text() != "2 fields are open." {
		t.Error("a link that cannot be followed is still a link, or gives no reason")
	}
	has(t, render(t, Button(Btn{Text: "Stop workflow", Href: "/stop", Dialog: "stop"})), "a", map[string]string{"href": "/stop", "data-dialog": "stop"})
}

func TestTimeWords(t *testing.T) {
	now := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	at := time.Date(2025, 12, 31, 23, 30, 0, 0, time.UTC)
	berlin := time.FixedZone("CET", 3600)
	for _, c := range []struct {
		tz   *time.Location
		want string
	}{{nil, "31 Dec 2025, 23:30"}, {berlin, "1 Jan, 00:30"}} {
		if got := TimeWords(at, c.tz, now); got != c.want {
			t.Errorf("%v: %q, want %q", c.tz, got, c.want)
		}
	}
	has(t, render(t, Time(at, berlin)), "time", map[string]string{"datetime": "2025-12-31T23:30:00Z", "title": "1 January 2026, 00:30:00 CET"})
	has(t, render(t, Date(at)), "time", map[string]string{"datetime": "2025-12-31"})
	if render(t, Time(time.Time{}, nil)).Text() != "Not yet" || render(t, Date(time.Time{})).Text() != "Not set" {
		t.Error("a zero time looks like a time")
	}
}

func TestADateInputKeepsWhatIsNoDate(t *testing.T) {
	for value, want := range map[string]string{"": "date", "2026-11-29": "date", "x": "text", "2026-02-30": "text"} {
		if got := dateType(value); got != want {
			t.Errorf("%q: %s", value, got)
		}
	}
}
