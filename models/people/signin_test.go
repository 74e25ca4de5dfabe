package people_test

import (
	"testing"
	"time"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/people"
)

func TestSignIn(t *testing.T) {
	db := testdb.New(t)
	owner := add(t, db, "owner", password, models.BusinessOwner)
	in, err := signIn(t.Context(), db, "  OWNER@Example.test ", password, "10.0.0.1")
	ok(t, err)
	if in.PersonID != owner.ID || in.Epoch != 1 {
		t.Errorf("signed in as %+v", in)
	}
	if n := count(t, db, "select count(*) from sign_ins where succeeded and address = '10.0.0.1'"); n != 1 {
		t.Errorf("%d successes kept", n)
	}
	add(t, db, "invited", "", models.Viewer)
	exec(t, db, "insert into people (email, name, password_hash, active) select 'gone@example.test', 'gone', password_hash, false from people where id = ?", owner.ID)
	words := map[string]bool{}
	for _, email := range []string{"owner@example.test", "unknown@example.test", "invited@example.test", "gone@example.test"} {
		_, err := signIn(t.Context(), db, email, "wrong-wrong-wrong", "10.0.0.1")
		words[wantKind(t, err, models.KindInvalid).Message] = true
	}
	if len(words) != 1 {
		t.Errorf("the words tell accounts apart: %v", words)
	}
	_, err = signIn(t.Context(), db, "invited@example.test", "", "10.0.0.1")
	wantField(t, err, "password")
	_, err = signIn(t.Context(), db, "", password, "10.0.0.1")
	wantField(t, err, "email")
	_, err = signIn(t.Context(), db, "gone@example.test", password, "10.0.0.1")
	wantField(t, err, "email")
}

func TestSignInTakesAsLongForAnUnknownAccount(t *testing.T) {
	db := testdb.New(t)
	add(t, db, "owner", password, models.BusinessOwner)
	took := func(email string) time.Duration {
		best := time.Hour
		for range 4 {
			start := time.Now()
			_, _ = signIn(t.Context(), db, email, "wrong-wrong-wrong", "10.0.0.1")
			best = min(best, time.Since(start))
		}
		return best
	}
	known, unknown := took("owner@example.test"), took("unknown@example.test")
	if unknown < known/4 || known < unknown/4 {
		t.Errorf("a known account takes %v, an unknown one %v", known, unknown)
	}
}

func TestFiveWrongPasswordsFromOneAddress(t *testing.T) {
	db := testdb.New(t)
	add(t, db, "owner", password, models.BusinessOwner)
	add(t, db, "colleague", password, models.BusinessOwner)
	errs := race(20, func(int) error {
		return second(signIn(t.Context(), db, "owner@example.test", "wrong-wrong-wrong", "10.0.0.1"))
	})
	wrong := 0
	for _, err := range errs {
		switch {
		case models.IsKind(err, models.KindInvalid):
			wrong++
		default:
			if e := wantKind(t, err, models.KindTooMany); e.RetryAfter < 800 || e.RetryAfter > 900 {
				t.Errorf("retry after %d s", e.RetryAfter)
			}
		}
	}
	if wrong != 5 {
		t.Errorf("%d guesses were looked at, want 5", wrong)
	}
	_, err := signIn(t.Context(), db, "owner@example.test", password, "10.0.0.1")
	wantKind(t, err, models.KindTooMany)
	_, err = signIn(t.Context(), db, "owner@example.test", password, "10.0.0.2")
	ok(t, err) // the owner is not locked out elsewhere
	_, err = signIn(t.Context(), db, "colleague@example.test", password, "10.0.0.1")
	ok(t, err) // nor a colleague at that address
	exec(t, db, "update sign_ins set at = at - interval '15 minutes'")
	_, err = signIn(t.Context(), db, "owner@example.test", password, "10.0.0.1")
	ok(t, err)
}

func TestASuccessStartsTheCountAgain(t *testing.T) {
	db := testdb.New(t)
	add(t, db, "owner", password, models.BusinessOwner)
	for range 2 {
		for range 4 {
			_, err := signIn(t.Context(), db, "owner@example.test", "wrong-wrong-wrong", "10.0.0.1")
			wantKind(t, err, models.KindInvalid)
		}
		_, err := signIn(t.Context(), db, "owner@example.test", password, "10.0.0.1")
		ok(t, err)
	}
}

func TestManySignInsAtOnceAreNotFailures(t *testing.T) {
	db := testdb.New(t)
	add(t, db, "owner", password, models.BusinessOwner)
	errs := race(10, func(int) error {
		return second(signIn(t.Context(), db, "owner@example.test", password, "10.0.0.1"))
	})
	if winners(errs) != 10 {
		t.Errorf("%v", errs)
	}
}

func TestGuessingElsewhereLocksNobodyOut(t *testing.T) {
	db := testdb.New(t)
	add(t, db, "owner", password, models.BusinessOwner)
	_, err := signIn(t.Context(), db, "owner@example.test", password, "10.0.0.1")
	ok(t, err)
	// Thirty failures on the account from thirty addresses, fifty from the owner's own address on other accounts.
	exec(t, db, "insert into sign_ins (email, address, succeeded) select 'owner@example.test', '10.1.0.'||i, false from generate_series(1, 30) i")
	exec(t, db, "insert into sign_ins (email, address, succeeded) select 'x'||i||'@example.test', '10.0.0.1', false from generate_series(1, 50) i")
	_, err = signIn(t.Context(), db, "owner@example.test", password, "10.0.0.9")
	wantKind(t, err, models.KindTooMany) // a new address has to wait
	_, err = signIn(t.Context(), db, "x@example.test", password, "10.0.0.1")
	wantKind(t, err, models.KindTooMany) // and so has a new account at the guesser's address
	_, err = signIn(t.Context(), db, "owner@example.test", password, "10.0.0.1")
	ok(t, err)
	_, err = signIn(t.Context(), db, "x@example.test", password, "10.0.0.9")
	wantKind(t, err, models.KindInvalid)
}

func TestPruneSignIns(t *testing.T) {
	db := testdb.New(t)
	exec(t, db, `insert into sign_ins (email, address, succeeded, at) values
		('a', 'x', false, now() - interval '31 days'), ('b', 'x', false, now() - interval '29 days'),
		('c', 'x', true, now() - interval '366 days'), ('d', 'x', true, now() - interval '300 days')`)
	ok(t, people.PruneSignIns(t.Context(), db))
	if n := count(t, db, "select count(*) from sign_ins where email in ('b', 'd')"); n != 2 || count(t, db, "select count(*) from sign_ins") != 2 {
		t.Error("the wrong rows went")
	}
}
