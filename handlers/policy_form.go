package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/workflow"
	"countersign/views/layout"
	"countersign/views/policies"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

type policyForm struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
	Base       string `form:"base"`
	Do         string `form:"do"` // "level" shows one more level instead of saving
	F          policies.Fields
}

// bindPolicy reads the form; the boxes of each level and of the days come joined.
func bindPolicy(c echo.Context) (policyForm, error) {
	var f policyForm
	sent, err := c.FormParams()
	if err != nil {
		return f, err
	}
	f.Submission, f.Base, f.Do = sent.Get("submission"), sent.Get("base"), sent.Get("do")
	f.Version, _ = strconv.ParseInt(sent.Get("version"), 10, 64)
	f.F = policies.Fields{Slug: sent.Get("slug"), Name: sent.Get("name"), ExpiryDays: sent.Get("expiry_days"), AuthorizationMinutes: sent.Get("authorization_minutes"),
		Days: strings.Join(sent["days"], ""), Opens: sent.Get("opens"), Closes: sent.Get("closes"), TimeZone: sent.Get("time_zone")}
	for i := range f.F.Levels {
		f.F.Levels[i] = policies.Level{People: strings.Join(sent[fmt.Sprintf("people-%d", i+1)], ","), Minutes: sent.Get(fmt.Sprintf("minutes-%d", i+1))}
	}
	return f, nil
}

func (f policyForm) facts() workflow.PolicyFacts {
	facts := workflow.PolicyFacts{Name: f.F.Name, ExpiryDays: f.F.ExpiryDays, AuthorizationMinutes: f.F.AuthorizationMinutes,
		Opens: f.F.Opens, Closes: f.F.Closes, TimeZone: f.F.TimeZone}
	if f.F.Days != "" {
		facts.Days = strings.Split(f.F.Days, "")
	}
	for _, l := range f.F.Levels {
		level := workflow.LevelFacts{Minutes: l.Minutes}
		for _, id := range strings.Split(l.People, ",") {
			if n, err := strconv.ParseInt(id, 10, 64); err == nil {
				level.People = append(level.People, n)
			}
		}
		facts.Levels = append(facts.Levels, level)
	}
	return facts
}

// policyFields is what the form holds for a saved policy.
func policyFields(facts workflow.PolicyFacts) policies.Fields {
	f := policies.Fields{Name: facts.Name, ExpiryDays: facts.ExpiryDays, AuthorizationMinutes: facts.AuthorizationMinutes,
		Days: strings.Join(facts.Days, ""), Opens: facts.Opens, Closes: facts.Closes, TimeZone: facts.TimeZone}
	for i, l := range facts.Levels {
		var ids []string
		for _, id := range l.People {
			ids = append(ids, strconv.FormatInt(id, 10))
		}
		f.Levels[i] = policies.Level{People: strings.Join(ids, ","), Minutes: l.Minutes}
	}
	return f
}

// policyAnswers are the fields of the form for two people who edit at once;
// names are people by id.
func policyAnswers(f *policies.Fields, names map[string]string) []answer {
	people := func(ids string) string {
		var words []string
		for _, id := range strings.Split(ids, ",") {
			words = append(words, names[id])
		}
		return strings.Join(words, ", ")
	}
	days := func(digits string) string {
		var words []string
		for _, d := range workflow.Weekdays {
			if strings.Contains(digits, strconv.Itoa(int(d))) {
				words = append(words, d.String())
			}
		}
		return strings.Join(words, ", ")
	}
	all := []answer{{"name", "Name", &f.Name, nil}}
	for i := range f.Levels {
		all = append(all, answer{fmt.Sprintf("people-%d", i+1), fmt.Sprintf("Level %d, who is asked", i+1), &f.Levels[i].People, people},
			answer{fmt.Sprintf("minutes-%d", i+1), fmt.Sprintf("Level %d, minutes to respond", i+1), &f.Levels[i].Minutes, nil})
	}
	return append(all, answer{"days", "Days that count", &f.Days, days}, answer{"opens", "From", &f.Opens, nil}, answer{"closes", "To", &f.Closes, nil},
		answer{"time_zone", "Time zone", &f.TimeZone, nil}, answer{"expiry_days", "Days until an undecided request expires", &f.ExpiryDays, nil},
		answer{"authorization_minutes", "Minutes until an approval lapses", &f.AuthorizationMinutes, nil})
}

var policyOrder = func() []string {
	var order []string
	for _, a := range policyAnswers(new(policies.Fields), nil) {
		order = append(order, a.name)
	}
	return slices.Insert(order, 1, "slug")
}()

// policyFormPage shows the form, with what must change, or with both versions.
// d is nil for a new policy.
func (s *Server) policyFormPage(c echo.Context, status int, f policyForm, d *workflow.PolicyDetails, problem error) error {
	p := policies.Form{New: d == nil, Cancel: policiesPath, At: ui.FormAt{Action: policiesPath, Submission: f.Submission}}
	frame := policiesPage("Write an escalation policy", layout.Crumb{Text: "Write an escalation policy"})
	names, err := s.levelOptions(c, &p, d)
	if err != nil {
		return err
	}
	if d != nil {
		p.Cancel = workflow.PolicyPath(d.Slug)
		p.At.Action = p.Cancel + "/edit"
		frame = policiesPage("Edit "+d.Name, layout.Crumb{Text: d.Name, Href: p.Cancel}, layout.Crumb{Text: "Edit"})
		if status == http.StatusConflict {
			saved := policyFields(d.Facts(d.Current()))
			if p.Stale, err = s.staleEdit(c, "policy", d.ID, merge(f.Base, policyAnswers(&f.F, names), policyAnswers(&saved, names))); err != nil {
				return err
			}
			f.Version, f.Base, p.At.Submission = d.Version, packed(policyAnswers(&saved, nil)), ""
		}
	}
	p.Fields, p.Base, p.At.Version = f.F, f.Base, f.Version
	if status == http.StatusUnprocessableEntity {
		p.Problems, frame.Title = problems(problem, policyOrder...), "Error: "+frame.Title
	}
	return s.page(c, status, frame, policies.FormPage(p))
}

// levelOptions fills in who may be chosen on each level: every approver, and
// who stands there already and cannot decide any more.
func (s *Server) levelOptions(c echo.Context, p *policies.Form, d *workflow.PolicyDetails) (names map[string]string, err error) {
	names = map[string]string{}
	approvers, err := s.peopleOptions(c, models.Approver, names)
	if err != nil {
		return nil, err
	}
	for i := range p.People {
		p.People[i] = slices.Clone(approvers)
		if d == nil || i >= len(d.Current().Levels) {
			continue
		}
		for _, person := range d.Current().Levels[i].People {
			if person.Able() {
				continue
			}
			id := strconv.FormatInt(person.ID, 10)
			names[id] = person.Name
			p.People[i] = append(p.People[i], ui.Option{Value: id, Label: person.Name + ", " + person.Email, Hint: person.WhyNot() + " Skipped."})
		}
	}
	return names, nil
}
