package workflow_test

import (
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/workflow"
)

func (w *world) stop(by models.Actor) error {
	_, err := workflow.Stop(ctx, w.db, by, workflow.StopCmd{Slug: w.slug, Reason: "Two tasks per request."})
	return err
}

func TestStopAndLift(t *testing.T) {
	w := newWorld(t)
	before := w.state()
	w.refused(w.stop(w.viewer), models.KindForbidden, before)
	_, err := workflow.Stop(ctx, w.db, w.approver, workflow.StopCmd{Slug: w.slug, Reason: " \n "})
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "reason")
	_, err = workflow.Lift(ctx, w.db, w.owner, workflow.LiftCmd{Slug: w.slug, Reason: "Fixed."})
	w.refused(err, models.KindConflict, before)

	if err := w.stop(w.approver); err != nil {
		t.Fatal(err)
	}
	d := w.find()
	if d.Stop == nil || d.Stop.StoppedBy != "Approver" || d.Stop.Reason != "Two tasks per request." || len(d.Stops) != 0 {
		t.Fatalf("%+v", d.Stop)
	}
	if e := w.lastEvent(); e.Action != "workflow.stopped" || e.PersonID != w.approver.ID || e.field(t, e.After, "reason") != "Two tasks per request." {
		t.Errorf("audited as %+v", e)
	}

	before = w.state()
	err = w.stop(w.owner)
	w.refused(err, models.KindConflict, before)
	if m := models.AsError(err).Message; !strings.HasPrefix(m, "Approver stopped this workflow on ") || !strings.HasSuffix(m, " UTC.") {
		t.Errorf("says %q, want who and when", m)
	}
	lift := workflow.LiftCmd{Slug: w.slug, Stop: d.Stop.ID, Reason: "Fixed in the form."}
	for _, by := range []models.Actor{w.approver, w.owner2, w.implementer, w.reviewer, w.admin, w.viewer, w.nobody} {
		_, err := workflow.Lift(ctx, w.db, by, lift)
		w.refused(err, models.KindForbidden, before)
	}
	for _, bad := range []workflow.LiftCmd{{Slug: w.slug, Stop: lift.Stop + 1, Reason: "Fixed."}, {Slug: w.slug, Reason: "Fixed."}} {
		_, err := workflow.Lift(ctx, w.db, w.owner, bad)
		w.refused(err, models.KindConflict, before)
	}
	_, err = workflow.Lift(ctx, w.db, w.owner, workflow.LiftCmd{Slug: w.slug, Stop: lift.Stop})
	w.refused(err, models.KindInvalid, before)

	w.ok(workflow.Lift(ctx, w.db, w.delegate, lift))
	d = w.find()
	if d.Stop != nil || len(d.Stops) != 1 || d.Stops[0].LiftedBy != "Delegate" || d.Stops[0].LiftReason != "Fixed in the form." {
		t.Errorf("%+v, %+v", d.Stop, d.Stops)
	}
	if e := w.lastEvent(); e.Action != "workflow.stop_lifted" || e.PersonID != w.delegate.ID || e.ForPersonID != w.owner.ID {
		t.Errorf("audited as %+v", e)
	}
	before = w.state()
	_, err = workflow.Lift(ctx, w.db, w.owner, lift)
	w.refused(err, models.KindConflict, before)
	if err := w.stop(w.admin); err != nil { // and again
		t.Fatal(err)
	}
	if d := w.find(); d.Stop == nil || len(d.Stops) != 1 {
		t.Errorf("%+v, %d in the history", d.Stop, len(d.Stops))
	}
}

func TestStopSeenByOthers(t *testing.T) {
	w := newWorld(t)
	id := w.find().ID
	stopped := func() bool {
		s, err := models.Do(ctx, w.db, w.owner, workflow.StopCmd{}, func(tx *models.Tx) (*workflow.StopRecord, error) { return workflow.Stopped(tx, id) })
		if err != nil {
			t.Fatal(err)
		}
		return s != nil
	}
	if stopped() {
		t.Error("stopped before anybody stopped it")
	}
	if err := w.stop(w.owner); err != nil {
		t.Fatal(err)
	}
	if !stopped() {
		t.Error("not stopped")
	}
}

func TestStopRace(t *testing.T) {
	w := newWorld(t)
	w.oneWon(race(8, func(int) error { return w.stop(w.owner) }))
	lift := workflow.LiftCmd{Slug: w.slug, Stop: w.find().Stop.ID, Reason: "Fixed."}
	w.oneWon(race(8, func(int) error { _, err := workflow.Lift(ctx, w.db, w.owner, lift); return err }))
	n := map[string]int{}
	for _, e := range w.events() {
		n[e.Action]++
	}
	if n["workflow.stopped"] != 1 || n["workflow.stop_lifted"] != 1 {
		t.Errorf("audited %v", n)
	}
}

// A form that is sent twice stops once and answers the same.
func TestStopSentTwice(t *testing.T) {
	w := newWorld(t)
	cmd := workflow.StopCmd{Once: models.Once{Submission: "form-1"}, Slug: w.slug, Reason: "Duplicates."}
	for i, err := range race(4, func(int) error { _, err := workflow.Stop(ctx, w.db, w.owner, cmd); return err }) {
		if err != nil {
			t.Errorf("send %d: %v", i, err)
		}
	}
	if d := w.find(); d.Stop == nil || len(d.Stops) != 0 {
		t.Errorf("%+v, %+v", d.Stop, d.Stops)
	}
}

func TestTheWorkflowsPeopleAreTold(t *testing.T) {
	w := newWorld(t)
	if err := w.stop(w.reviewer); err != nil { // and is not told of it
		t.Fatal(err)
	}
	w.ok(workflow.Lift(ctx, w.db, w.delegate, workflow.LiftCmd{Slug: w.slug, Stop: w.find().Stop.ID, Reason: "Fixed in the form."}))
	var told string
	if err := w.db.Query(ctx).Raw(`select string_agg(p.name || ' ' || n.event || ' ' || n.path, ', ' order by n.event, p.name)
		from notices n join people p on p.id = n.person_id where n.standing_in_for = '' and n.text <> ''`).Row().Scan(&told); err != nil {
		t.Fatal(err)
	}
	path := workflow.Path(w.slug)
	if want := "Business owner workflow.stop_lifted " + path + ", Implementer workflow.stop_lifted " + path + ", Reviewer workflow.stop_lifted " + path +
		", Business owner workflow.stopped " + path + ", Implementer workflow.stopped " + path; told != want {
		t.Errorf("told %s\nwant %s", told, want)
	}
}
