package ledger_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/ledger"
)

// What a delivery says counts for the claims that name it.

func TestARedeliveryTakesTheDecisionOfItsFirst(t *testing.T) {
	w := newWorld(t)
	own := w.claim("own")
	for _, c := range []struct {
		decision ledger.ReviewDecision
		code     ledger.Code
	}{{ledger.DismissReview, ledger.CodeInReview}, {ledger.LinkReview, ledger.CodeAlready}, {ledger.AcceptReview, ""}} {
		id := "r-" + string(c.decision)
		first := w.deliver("", id, "1")
		w.decides(w.Reviewer, first.Review, c.decision, own.Action)
		for range 2 {
			again := w.deliver("", id, "1")
			if again.Disposition != ledger.Duplicate || again.First != first.Delivery || again.Review != first.Review {
				t.Errorf("%s again: %+v", c.decision, again)
			}
			if c.code == "" {
				continue
			}
			cmd := w.cmd(id)
			cmd.Delivery = again.Delivery
			if r := w.refused(cmd, c.code); c.code == ledger.CodeInReview && !strings.Contains(r.Error(), "dismissed") {
				t.Errorf("%v", r)
			}
		}
	}
	cmd := w.cmd("r-accept")
	cmd.Delivery = w.deliver("", "r-accept", "1").Delivery
	w.claims(cmd)
}

func TestTheOlderVersionOfClaimAndDeliveryCounts(t *testing.T) {
	w := newWorld(t)
	old := w.deliver("e-1", "r-1", "1")
	w.deliver("e-2", "r-1", "2")
	cmd := w.cmd("r-1")
	cmd.Delivery, cmd.Version = old.Delivery, "3"
	if r := w.refused(cmd, ledger.CodeStaleVersion); !strings.Contains(r.Error(), "Version 1 is older than 2") {
		t.Errorf("%v", r)
	}
	cmd.Delivery = 0
	a := w.claims(cmd)
	if n := w.Count("select version::int from actions where id = ?", a.Action); n != 3 {
		t.Errorf("version %d", n)
	}
}

func warned(a ledger.Attempted, code string) string {
	i := slices.IndexFunc(a.Warnings, func(w ledger.Warning) bool { return w.Code == code })
	if i < 0 {
		return ""
	}
	return a.Warnings[i].Detail
}

func TestWarningsOfAClaim(t *testing.T) {
	w := newWorld(t)
	w.Exec("update senders set version_field = '$.approved_version', version = version + 1")
	d := w.deliver("e-1", "r-1", "1")
	cmd := w.cmd("r-2")
	cmd.Delivery = d.Delivery
	if a := w.claims(cmd); !strings.Contains(warned(a, "delivery_of_another_record"), "r-1") {
		t.Errorf("%+v", a.Warnings)
	}
	cmd = w.cmd("r-1")
	cmd.Delivery = d.Delivery
	cmd.Input = json.RawMessage(`{"request_id": "r-1", "approved_version": 1}`)
	cmd.Version = "01"
	if a := w.claims(cmd); warned(a, "delivery_of_another_record")+warned(a, "version_differs")+warned(a, "default_used") != "" {
		t.Errorf("%+v", a.Warnings)
	}
	for i, said := range []string{`2`, `"two"`} {
		cmd = w.with(`{"request_id": "r-3` + string(rune('a'+i)) + `", "approved_version": ` + said + `}`)
		cmd.Version = "3"
		if a := w.claims(cmd); !strings.Contains(warned(a, "version_differs"), "3") {
			t.Errorf("%+v", a.Warnings)
		}
	}
	cmd = w.with(`{"request_id": "r-4", "approved_version": ""}`)
	cmd.Version = "3"
	if a := w.claims(cmd); warned(a, "version_differs") != "" {
		t.Errorf("%+v", a.Warnings)
	}
	stand := "1"
	rule := ruleOf("request_id", "edition")
	rule.Components[len(rule.Components)-1].Default = &stand
	w.answer("action_identity", control.Input{Rule: rule})
	if a := w.claim("r-5"); !strings.Contains(warned(a, "default_used"), "edition") {
		t.Errorf("%+v", a.Warnings)
	}
}

func TestControlCharactersMakeNoRecord(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{`a\u0000b`, `\ttab`, `a\u009f`} {
		a := w.claims(w.with(`{"request_id": "` + id + `"}`))
		if n := w.Count("select count(*) from actions where id = ? and record_id = ''", a.Action); n != 1 {
			t.Errorf("%s is a record", id)
		}
	}
}

// Nobody decides what their own automation asked for, first or later.
func TestEveryAskerIsKept(t *testing.T) {
	w := newWorld(t)
	cmd := w.with(`{"note": 1}`)
	r := w.refused(cmd, ledger.CodeIdentityMissing)
	for range 2 {
		_, err := w.desk.Claim(t.Context(), ledger.Caller{Person: w.Reviewer, Token: 2}, cmd)
		refusal(t, err, ledger.CodeIdentityMissing)
	}
	if n := w.Count("select cardinality(askers) from review_items"); n != 2 {
		t.Errorf("%d askers", n)
	}
	if _, err := w.decide(w.Reviewer, r.Review, ledger.AcceptReview, 0); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("the second asker decides: %v", err)
	}
	w.decides(w.Owner, r.Review, ledger.AcceptReview, 0)
	w.claims(cmd)
	s := w.refused(cmd, ledger.CodeAlready).Suppressed
	item := w.appeal(ledger.AppealCmd{Suppressed: s, Reason: "A second one."})
	if _, err := ledger.Appeal(t.Context(), w.DB, w.Reviewer, ledger.AppealCmd{Suppressed: s, Reason: "I think so too."}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.decide(w.Reviewer, item.Ref(), ledger.AcceptReview, 0); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("the second asker of an appeal decides: %v", err)
	}
	w.decides(w.Owner, item.Ref(), ledger.AcceptReview, 0)
}
