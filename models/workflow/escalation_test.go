package workflow_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/workflow"
)

func (w *world) policyFacts() workflow.PolicyFacts {
	return workflow.PolicyFacts{Name: "Replays", ExpiryDays: "7", AuthorizationMinutes: "30",
		Levels: []workflow.LevelFacts{{People: []int64{w.approver.ID}, Minutes: "60"}}}
}

func (w *world) policyState() string {
	w.Helper()
	var s string
	err := w.db.Query(ctx).Raw(`select concat((select json_agg(x order by id) from escalation_policies x), (select json_agg(x order by id) from policy_versions x),
		(select json_agg(x) from policy_levels x), (select json_agg(x) from level_people x))`).Scan(&s).Error
	if err != nil {
		w.Fatal(err)
	}
	return s
}

func (w *world) policy() workflow.PolicyDetails {
	w.Helper()
	d, err := workflow.FindPolicy(ctx, w.db, "replays")
	if err != nil {
		w.Fatal(err)
	}
	return d
}

func TestWhoMaySetPolicies(t *testing.T) {
	w := newWorld(t)
	ref, err := workflow.CreatePolicy(ctx, w.db, w.admin, workflow.CreatePolicyCmd{PolicyFacts: w.policyFacts()})
	w.ok(ref, err)
	before := w.policyState()
	for _, by := range []models.Actor{w.owner, w.implementer, w.reviewer, w.approver, w.viewer, w.nobody, w.delegate} {
		for name, err := range map[string]error{
			"create": func() error {
				_, err := workflow.CreatePolicy(ctx, w.db, by, workflow.CreatePolicyCmd{Slug: "x", PolicyFacts: w.policyFacts()})
				return err
			}(),
			"edit": func() error {
				_, err := workflow.EditPolicy(ctx, w.db, by, workflow.EditPolicyCmd{Slug: "replays", Version: 1, PolicyFacts: w.policyFacts()})
				return err
			}(),
			"archive": func() error {
				_, err := workflow.ArchivePolicy(ctx, w.db, by, workflow.PolicyCmd{Slug: "replays", Version: 1})
				return err
			}(),
			"restore": func() error {
				_, err := workflow.RestorePolicy(ctx, w.db, by, workflow.PolicyCmd{Slug: "replays", Version: 1})
				return err
			}(),
		} {
			if !models.IsKind(err, models.KindForbidden) || err.Error() != workflow.MaySetPolicies(by).Error() {
				t.Errorf("%s: %s got %v", by.Name, name, err)
			}
		}
	}
	if w.policyState() != before {
		t.Error("a refused command changed something")
	}
}

func TestEditingAPolicyAddsAVersion(t *testing.T) {
	w := newWorld(t)
	lead := w.person("Lead", "lead", models.Approver)
	ref, err := workflow.CreatePolicy(ctx, w.db, w.admin, workflow.CreatePolicyCmd{PolicyFacts: w.policyFacts()})
	w.ok(ref, err)
	if e := w.lastEvent(); e.Action != "policy.created" || e.field(t, e.After, "level_1") != "Approver, approver@example.test within 60 minutes" {
		t.Errorf("%+v", e)
	}
	edit := func(version int64, change func(*workflow.PolicyFacts)) error {
		f := w.policyFacts()
		change(&f)
		_, err := workflow.EditPolicy(ctx, w.db, w.admin, workflow.EditPolicyCmd{Slug: "replays", Version: version, PolicyFacts: f})
		return err
	}
	if err := edit(1, func(*workflow.PolicyFacts) {}); err != nil || w.policy().Version != 1 {
		t.Errorf("nothing changed: %v, version %d", err, w.policy().Version)
	}
	if err := edit(1, func(f *workflow.PolicyFacts) { f.Name = "Renamed" }); err != nil || w.policy().Latest != 1 || w.policy().Name != "Renamed" {
		t.Errorf("a new name alone: %v, %+v", err, w.policy().Policy)
	}
	err = edit(2, func(f *workflow.PolicyFacts) {
		f.Name, f.ExpiryDays, f.Days, f.Opens, f.Closes, f.TimeZone = "Renamed", "3", []string{"1", "5"}, "09:00", "24:00", "Europe/Vienna"
		f.Levels = append(f.Levels, workflow.LevelFacts{People: []int64{lead.ID}, Minutes: "30"}, workflow.LevelFacts{})
	})
	if err != nil {
		t.Fatal(err)
	}
	d := w.policy()
	if d.Latest != 2 || len(d.Versions) != 2 || len(d.Current().Levels) != 2 || len(d.Versions[1].Levels) != 1 || d.Current().Hours.Words() != "Mon, Fri, 09:00 to 24:00, Europe/Vienna" {
		t.Errorf("%+v", d)
	}
	if e := w.lastEvent(); e.Action != "policy.edited" || e.field(t, e.Before, "expires_after") != "7 days" || e.field(t, e.After, "level_2") != "Lead, lead@example.test within 30 minutes" {
		t.Errorf("%+v", e)
	}
	if f := d.Facts(d.Current()); !slices.Equal(f.Days, []string{"1", "5"}) || f.Closes != "24:00" || len(f.Levels) != 2 {
		t.Errorf("facts %+v", f)
	}
	before := w.policyState()
	if err := edit(2, func(f *workflow.PolicyFacts) { f.Name = "Late" }); !models.IsKind(err, models.KindConflict) || w.policyState() != before {
		t.Errorf("a stale edit: %v", err)
	}
	want := "Renamed, version 2.\nLevel 1: Approver within 60 minutes.\nLevel 2: Lead within 30 minutes.\nMon, Fri, 09:00 to 24:00, Europe/Vienna.\nAn undecided request expires after 3 days, an approval that nobody starts after 30 minutes."
	if got := d.Current().Words(d.Name); got != want {
		t.Errorf("%q", got)
	}
	for _, sql := range []string{"update policy_versions set expiry_days = 1", "delete from policy_levels", "update level_people set person_id = 1"} {
		if w.db.Query(ctx).Exec(sql).Error == nil {
			t.Errorf("%s was allowed", sql)
		}
	}
}

func TestWhatAPolicyNeeds(t *testing.T) {
	w := newWorld(t)
	left := w.person("Left", "left", models.Approver)
	w.exec("update people set active = false where id = ?", left.ID)
	for name, c := range map[string]struct {
		change func(*workflow.PolicyFacts)
		fields []string
	}{
		"nothing":              {func(f *workflow.PolicyFacts) { *f = workflow.PolicyFacts{} }, []string{"name", "people-1", "expiry_days", "authorization_minutes"}},
		"nobody on a level":    {func(f *workflow.PolicyFacts) { f.Levels = append(f.Levels, workflow.LevelFacts{Minutes: "5"}) }, []string{"people-2"}},
		"an empty level first": {func(f *workflow.PolicyFacts) { f.Levels = append([]workflow.LevelFacts{{}}, f.Levels...) }, []string{"people-1", "minutes-1"}},
		"no time":              {func(f *workflow.PolicyFacts) { f.Levels[0].Minutes = "0" }, []string{"minutes-1"}},
		"too long a time":      {func(f *workflow.PolicyFacts) { f.Levels[0].Minutes = "43201" }, []string{"minutes-1"}},
		"twice":                {func(f *workflow.PolicyFacts) { f.Levels = append(f.Levels, f.Levels[0]) }, []string{"people-2"}},
		"too many levels": {func(f *workflow.PolicyFacts) {
			f.Levels = slices.Repeat([]workflow.LevelFacts{{People: []int64{w.approver.ID}, Minutes: "1"}}, 6)
		}, []string{"people-1", "people-2", "people-3", "people-4", "people-5", "people-6"}},
		"no approver":         {func(f *workflow.PolicyFacts) { f.Levels[0].People = []int64{w.owner.ID} }, []string{"people-1"}},
		"left":                {func(f *workflow.PolicyFacts) { f.Levels[0].People = []int64{left.ID} }, []string{"people-1"}},
		"nobody of that id":   {func(f *workflow.PolicyFacts) { f.Levels[0].People = []int64{99999} }, []string{"people-1"}},
		"a day without hours": {func(f *workflow.PolicyFacts) { f.Days = []string{"1"} }, []string{"opens", "closes"}},
		"an end before":       {func(f *workflow.PolicyFacts) { f.Days, f.Opens, f.Closes = []string{"1"}, "17:00", "09:00" }, []string{"closes"}},
		"no such day":         {func(f *workflow.PolicyFacts) { f.Days, f.Opens, f.Closes = []string{"7"}, "09:00", "17:00" }, []string{"days"}},
		"no such zone":        {func(f *workflow.PolicyFacts) { f.TimeZone = "Mars/Base" }, []string{"time_zone"}},
		"no time to expire":   {func(f *workflow.PolicyFacts) { f.ExpiryDays = "91" }, []string{"expiry_days"}},
		"a reserved address":  {func(f *workflow.PolicyFacts) { f.Name = "New" }, []string{"slug"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := w.policyState()
			f := w.policyFacts()
			c.change(&f)
			_, err := workflow.CreatePolicy(ctx, w.db, w.admin, workflow.CreatePolicyCmd{PolicyFacts: f})
			(&world{T: t}).invalid(err, c.fields...)
			if w.policyState() != before {
				t.Error("something was saved")
			}
		})
	}
	ref, err := workflow.CreatePolicy(ctx, w.db, w.admin, workflow.CreatePolicyCmd{PolicyFacts: w.policyFacts()})
	w.ok(ref, err)
	_, err = workflow.CreatePolicy(ctx, w.db, w.admin, workflow.CreatePolicyCmd{PolicyFacts: w.policyFacts()})
	w.invalid(err, "slug")
}

func TestWhoLeftIsFlaggedAndMayStayUntilEdited(t *testing.T) {
	w := newWorld(t)
	lead := w.person("Lead", "lead", models.Approver)
	facts := w.policyFacts()
	facts.Levels[0].People = append(facts.Levels[0].People, lead.ID)
	ref, err := workflow.CreatePolicy(ctx, w.db, w.admin, workflow.CreatePolicyCmd{PolicyFacts: facts})
	w.ok(ref, err)
	w.exec("delete from role_grants where person_id = ?", lead.ID)
	level := w.policy().Current().Levels[0]
	if !level.Able() || level.People[1].Able() || !strings.Contains(level.People[1].WhyNot(), "no longer holds the role approver") {
		t.Errorf("%+v", level)
	}
	page, err := workflow.ListPolicies(ctx, w.db, workflow.Filter{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Gone != 1 || page.Items[0].First != "Approver, Lead" {
		t.Errorf("%+v %v", page.Items, err)
	}
	w.exec("update people set active = false where id = ?", w.approver.ID)
	if level := w.policy().Current().Levels[0]; level.Able() || !strings.Contains(level.People[0].WhyNot(), "no longer active") {
		t.Errorf("%+v", level)
	}
	facts.ExpiryDays = "8"
	ref, err = workflow.EditPolicy(ctx, w.db, w.admin, workflow.EditPolicyCmd{Slug: "replays", Version: 1, PolicyFacts: facts})
	w.ok(ref, err)
	facts.Levels = append(facts.Levels, workflow.LevelFacts{People: []int64{lead.ID}, Minutes: "5"})
	facts.Levels[0].People = []int64{w.approver.ID}
	_, err = workflow.EditPolicy(ctx, w.db, w.admin, workflow.EditPolicyCmd{Slug: "replays", Version: 2, PolicyFacts: facts})
	w.invalid(err, "people-2")
}

func TestAWorkflowChoosesItsPolicy(t *testing.T) {
	w := newWorld(t)
	ref, err := workflow.CreatePolicy(ctx, w.db, w.admin, workflow.CreatePolicyCmd{PolicyFacts: w.policyFacts()})
	w.ok(ref, err)
	facts := w.facts()
	facts.PolicyID = 99
	_, err = workflow.Edit(ctx, w.db, w.owner, workflow.EditCmd{Slug: w.slug, Version: 1, Facts: facts}, nil)
	w.invalid(err, "escalation_policy")
	facts.PolicyID = ref.ID
	saved, err := workflow.Edit(ctx, w.db, w.owner, workflow.EditCmd{Slug: w.slug, Version: 1, Facts: facts}, nil)
	w.ok(saved, err)
	if e := w.lastEvent(); e.field(t, e.Before, "escalation_policy") != "" || e.field(t, e.After, "escalation_policy") != "Replays" {
		t.Errorf("%+v", e)
	}
	if d := w.find(); d.Policy.Slug != "replays" {
		t.Errorf("%+v", d.Policy)
	}
	if d := w.policy(); len(d.Users) != 1 || d.Users[0].Slug != w.slug {
		t.Errorf("%+v", d.Users)
	}
	if _, err := workflow.ArchivePolicy(ctx, w.db, w.admin, workflow.PolicyCmd{Slug: "replays", Version: 1}); !models.IsKind(err, models.KindConflict) {
		t.Errorf("a policy in use was archived: %v", err)
	}
	facts.PolicyID = 0
	saved, err = workflow.Edit(ctx, w.db, w.owner, workflow.EditCmd{Slug: w.slug, Version: 2, Facts: facts}, nil)
	w.ok(saved, err)
	ref, err = workflow.ArchivePolicy(ctx, w.db, w.admin, workflow.PolicyCmd{Slug: "replays", Version: 1})
	w.ok(ref, err)
	facts.PolicyID = ref.ID
	_, err = workflow.Edit(ctx, w.db, w.owner, workflow.EditCmd{Slug: w.slug, Version: 3, Facts: facts}, nil)
	w.invalid(err, "escalation_policy")
	if all, err := workflow.PolicyChoices(ctx, w.db, 0); len(all) != 0 || err != nil {
		t.Errorf("an archived policy is offered: %+v %v", all, err)
	}
	ref, err = workflow.RestorePolicy(ctx, w.db, w.admin, workflow.PolicyCmd{Slug: "replays", Version: 2})
	w.ok(ref, err)
}

func TestTwoAdminsEditAPolicyAtOnce(t *testing.T) {
	w := newWorld(t)
	ref, err := workflow.CreatePolicy(ctx, w.db, w.admin, workflow.CreatePolicyCmd{PolicyFacts: w.policyFacts()})
	w.ok(ref, err)
	conflicts := 0
	for _, err := range controltest.AtOnce(4, func(i int) error {
		f := w.policyFacts()
		f.ExpiryDays = string(rune('1' + i))
		_, err := workflow.EditPolicy(ctx, w.db, w.admin, workflow.EditPolicyCmd{Slug: "replays", Version: 1, PolicyFacts: f})
		return err
	}) {
		if models.IsKind(err, models.KindConflict) {
			conflicts++
		} else if err != nil {
			t.Error(err)
		}
	}
	if d := w.policy(); conflicts != 3 || d.Latest != 2 || len(d.Versions) != 2 {
		t.Errorf("%d conflicts, %+v", conflicts, d)
	}
}

func TestVersionsOfAPolicyByName(t *testing.T) {
	for text, want := range map[string]bool{"replays@3": true, "replays@0": false, "replays@": false, "replays": false, "@1": false, "replays@3x": false, "": false, "replays@03": false} {
		if r, ok := workflow.ParsePolicyVersion(text); ok != want || ok && r.String() != text {
			t.Errorf("%q: %v %v", text, r, ok)
		}
	}
}
