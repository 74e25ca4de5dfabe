package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/identity"
	"countersign/models/ledger"
	"countersign/models/matrix/matrixtest"
	"countersign/models/signoff"
)

// world is controltest's with a control that makes keys, and a desk.
type world struct {
	*controltest.World
	desk *ledger.Desk
	slug string
}

// newWorld has one filled draft, which serves in the sandbox.
func newWorld(t testing.TB) *world {
	w := &world{World: controltest.New(t)}
	w.desk = ledger.NewDesk(w.DB, false)
	w.slug = w.Create("Create CRM task")
	w.FillQuickly(w.slug)
	return w
}

// approve takes the draft to approved, so that it serves in production.
func (w *world) approve(slug string) {
	w.T.Helper()
	matrixtest.Prove(w.T, w.DB, slug)
	if _, err := signoff.Submit(w.T.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version}); err != nil {
		w.T.Fatal(err)
	}
	for _, by := range []models.Actor{w.Implementer, w.Reviewer, w.Owner} {
		r := w.Show(slug).Latest
		if _, err := signoff.Sign(w.T.Context(), w.DB, by, signoff.SignCmd{Control: slug, Revision: r.Number, Decision: "approve", FullHash: r.FullHash}); err != nil {
			w.T.Fatal(err)
		}
	}
}

// token is an automation whose token the implementer made.
func (w *world) token() ledger.Caller { return ledger.Caller{Person: w.Implementer, Token: 1} }

func request(id string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"request_id": %q}`, id))
}

func (w *world) cmd(id string) ledger.ClaimCmd {
	return ledger.ClaimCmd{Control: w.slug, Environment: "sandbox", Input: request(id), Worker: "worker-a"}
}

func (w *world) claim(id string) ledger.Attempted {
	w.T.Helper()
	return w.claims(w.cmd(id))
}

func (w *world) claims(cmd ledger.ClaimCmd) ledger.Attempted {
	w.T.Helper()
	a, err := w.desk.Claim(w.T.Context(), w.token(), cmd)
	if err != nil {
		w.T.Fatalf("claim: %v", err)
	}
	return a
}

// refusal is the refusal inside err; the test fails when it is another error.
func refusal(t testing.TB, err error, code ledger.Code) *ledger.Refusal {
	t.Helper()
	var r *ledger.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("want a refusal %s, got %v", code, err)
	}
	if r.Code != code || models.AsError(err).Code != string(code) {
		t.Fatalf("want %s, got %s: %v", code, r.Code, err)
	}
	return r
}

func (w *world) refused(cmd ledger.ClaimCmd, code ledger.Code) *ledger.Refusal {
	w.T.Helper()
	_, err := w.desk.Claim(w.T.Context(), w.token(), cmd)
	return refusal(w.T, err, code)
}

// answer saves an answer as the implementer, or the owner where it is theirs.
func (w *world) answer(field string, in control.Input) {
	w.T.Helper()
	by := w.Implementer
	if f, _ := control.FieldByKey(field); f.OwnerOnly || f.OwnerDecides {
		by = w.Owner
	}
	in.State = control.Answered
	w.Answer(by, w.slug, field, in)
}

func (w *world) outcome(a ledger.Attempted, said ledger.State, result, detail string) (ledger.Reported, error) {
	return ledger.Outcome(w.T.Context(), w.DB, w.token(), ledger.OutcomeCmd{Action: a.Action, ClaimToken: a.ClaimToken, Outcome: said, Result: result, Detail: detail})
}

func (w *world) report(a ledger.Attempted, said ledger.State, result, detail string) ledger.Reported {
	w.T.Helper()
	out, err := w.outcome(a, said, result, detail)
	if err != nil {
		w.T.Fatalf("report %s: %v", said, err)
	}
	return out
}

// endLease ends the lease of an attempt without waiting for it.
func (w *world) endLease(a ledger.Attempted) {
	w.T.Helper()
	w.Exec("update attempts set lease_until = clock_timestamp() - interval '1 ms' where id = ?", a.Attempt)
	w.Exec("update actions set lease_until = clock_timestamp() - interval '1 ms' where id = ? and attempt_id = ?", a.Action, a.Attempt)
}

func (w *world) lookup(action int64, result ledger.Looked, ids ...string) ledger.LookedUp {
	w.T.Helper()
	out, err := ledger.Lookup(w.T.Context(), w.DB, w.token(), ledger.LookupCmd{Action: action, Method: "GET /tasks", Result: result, Results: ids})
	if err != nil {
		w.T.Fatalf("lookup %s: %v", result, err)
	}
	return out
}

func (w *world) decide(by models.Actor, ref string, d ledger.ReviewDecision, action int64) (ledger.ReviewItem, error) {
	w.T.Helper()
	item, err := ledger.ReviewByRef(w.T.Context(), w.DB, w.token(), ref)
	if err != nil {
		w.T.Fatal(err)
	}
	return ledger.DecideReview(w.T.Context(), w.DB, by, ledger.DecideReviewCmd{Ref: ref, Version: item.Version, Decision: d, Action: action, Reason: "Compared both."})
}

func (w *world) decides(by models.Actor, ref string, d ledger.ReviewDecision, action int64) ledger.ReviewItem {
	w.T.Helper()
	item, err := w.decide(by, ref, d, action)
	if err != nil {
		w.T.Fatalf("decide %s: %v", ref, err)
	}
	return item
}

func (w *world) appeal(cmd ledger.AppealCmd) ledger.ReviewItem {
	w.T.Helper()
	item, err := ledger.Appeal(w.T.Context(), w.DB, w.Implementer, cmd)
	if err != nil {
		w.T.Fatalf("appeal: %v", err)
	}
	return item
}

// otherRule makes other keys of the same inputs.
func otherRule() identity.Rule {
	return identity.Rule{Statement: "Another reading.", Boundary: "Two requests.", Example: `{"request_id": "request-demo-01"}`,
		Components: append(identity.ScopeComponents(), identity.Component{Name: "request", Path: "$.request_id"})}
}

func controlInput(r identity.Rule) control.Input { return control.Input{Rule: r} }
