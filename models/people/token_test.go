package people_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/people"
)

// bound makes a workflow and an environment for tokens to be bound to.
func bound(t *testing.T, db *models.DB) (admin, implementer models.Actor) {
	t.Helper()
	admin, implementer = quick(t, db, "admin", models.Admin), quick(t, db, "implementer", models.Implementer)
	exec(t, db, "insert into workflows (slug, name, business_owner_id, implementer_id, reviewer_id, created_by) values ('intake', 'Intake', ?, ?, ?, ?)",
		admin.ID, implementer.ID, admin.ID, admin.ID)
	exec(t, db, "insert into environments (slug, name, kind, reaches_customers, reach_set_by) values ('sandbox', 'Sandbox', 'test', false, ?)", admin.ID)
	return admin, implementer
}

func facts(name string, scopes ...people.Scope) people.TokenFacts {
	return people.TokenFacts{Name: name, Workflow: "intake", Environment: "sandbox", Scopes: scopes}
}

func TestATokenLetsInWhatItIsFor(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin, _ := bound(t, db)
	made, err := people.CreateToken(ctx, db, admin, people.CreateTokenCmd{TokenFacts: facts("Intake flow", people.ScopeRead, people.ScopeClaims, people.ScopeRead)})
	ok(t, err)
	if len(made.Token) != 46 || !strings.HasPrefix(made.Token, "cs_") {
		t.Fatalf("token %q", made.Token)
	}
	if n := count(t, db, "select count(*) from tokens where strpos(tokens::text, ?) > 0", made.Token[7:]); n != 0 {
		t.Error("the token is kept as it is")
	}
	action, _, after := audited(t, db)
	if action != "token.created" || strings.Contains(after, made.Token[3:]) || !strings.Contains(after, `"workflow": "intake"`) {
		t.Errorf("audited %s %s", action, after)
	}
	a, err := people.Authenticate(ctx, db, made.Token)
	ok(t, err)
	if a.Actor.ID != admin.ID || len(a.Actor.Roles) != 0 || a.Workflow != "intake" || a.Environment != "sandbox" || asJSON(a.Scopes) != `["claims","read"]` {
		t.Errorf("%+v", a)
	}
	ok(t, a.May(people.ScopeClaims))
	wantKind(t, a.May(people.ScopeReplays), models.KindForbidden)
	ok(t, a.Reaches("intake", "sandbox"))
	wantKind(t, a.Reaches("other", "sandbox"), models.KindForbidden)
	wantKind(t, a.Reaches("intake", "production"), models.KindForbidden)

	for _, bad := range []string{"", "cs_", made.Token + "x", "xx_" + made.Token[3:], made.Token[:45] + "!"} {
		var refused people.ErrBadToken
		if _, err := people.Authenticate(ctx, db, bad); !errors.As(err, &refused) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestATokenEnds(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin, implementer := bound(t, db)
	made, err := people.CreateTokenByCommand(ctx, db, people.CreateTokenByCommandCmd{TokenFacts: facts("flow")})
	ok(t, err)
	a, err := people.Authenticate(ctx, db, made.Token)
	ok(t, err)
	if a.Actor.ID != implementer.ID || len(a.Scopes) != len(people.Scopes) {
		t.Errorf("made by command it counts as %d with %v", a.Actor.ID, a.Scopes)
	}
	says := func(text, state string) {
		t.Helper()
		_, err := people.Authenticate(ctx, db, made.Token)
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
		page, err := people.ListTokens(ctx, db, admin, people.TokenFilter{State: state, Workflow: "intake"}, "")
		if err != nil || len(page.Items) != 1 || page.Items[0].State() != state {
			t.Errorf("%s: %+v %v", state, page.Items, err)
		}
	}
	exec(t, db, "update people set active = false where id = ?", implementer.ID)
	says("counts as implementer", "orphaned")
	exec(t, db, "update people set active = true where id = ?", implementer.ID)
	exec(t, db, "update tokens set expires_on = (now() at time zone 'UTC')::date")
	_, err = people.Authenticate(ctx, db, made.Token) // in force through its last day
	ok(t, err)
	exec(t, db, "update tokens set expires_on = (now() at time zone 'UTC')::date - 1")
	says("has expired", "expired")

	errs := race(4, func(int) error {
		_, err := people.RevokeToken(ctx, db, admin, people.RevokeTokenCmd{ID: made.ID})
		return err
	})
	if winners(errs) != 1 {
		t.Errorf("revoked %d times", winners(errs))
	}
	says("was revoked", "revoked")
	if action, before, after := audited(t, db); action != "token.revoked" || before != `{"state": "expired"}` || after != `{"state": "revoked"}` {
		t.Errorf("audited %s %s %s", action, before, after)
	}
	_, err = people.RevokeToken(ctx, db, admin, people.RevokeTokenCmd{ID: 999})
	wantKind(t, err, models.KindNotFound)
}

func TestOnlyAdministratorsManageTokens(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin, _ := bound(t, db)
	made, err := people.CreateToken(ctx, db, admin, people.CreateTokenCmd{TokenFacts: facts("flow")})
	ok(t, err)
	for _, role := range models.Roles {
		if role == models.Admin {
			continue
		}
		by := quick(t, db, "a "+string(role), role)
		_, err := people.CreateToken(ctx, db, by, people.CreateTokenCmd{TokenFacts: facts("flow")})
		wantKind(t, err, models.KindForbidden)
		_, err = people.RevokeToken(ctx, db, by, people.RevokeTokenCmd{ID: made.ID})
		wantKind(t, err, models.KindForbidden)
		_, err = people.ListTokens(ctx, db, by, people.TokenFilter{}, "")
		wantKind(t, err, models.KindForbidden)
		_, err = people.FindToken(ctx, db, by, made.ID)
		wantKind(t, err, models.KindForbidden)
	}
	if n := count(t, db, "select count(*) from tokens where revoked_at is null"); n != 1 {
		t.Errorf("%d tokens after refusals", n)
	}
	if n := count(t, db, "select count(*) from audit_events where refused"); n != 10 {
		t.Errorf("%d refusals recorded", n)
	}
}

func TestWhatATokenNeeds(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin, implementer := bound(t, db)
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	for field, change := range map[string]func(*people.TokenFacts){
		"name": func(f *people.TokenFacts) { f.Name = " " }, "workflow": func(f *people.TokenFacts) { f.Workflow = "none" },
		"environment": func(f *people.TokenFacts) { f.Environment = "" }, "scopes": func(f *people.TokenFacts) { f.Scopes = []people.Scope{"everything"} },
		"expires": func(f *people.TokenFacts) { f.ExpiresOn = yesterday }, "rate": func(f *people.TokenFacts) { f.RatePerMinute = -1 },
	} {
		f := facts("flow")
		change(&f)
		_, err := people.CreateToken(ctx, db, admin, people.CreateTokenCmd{TokenFacts: f})
		wantField(t, err, field)
	}
	exec(t, db, "update people set active = false where id = ?", implementer.ID)
	_, err := people.CreateTokenByCommand(ctx, db, people.CreateTokenByCommandCmd{TokenFacts: facts("flow")})
	wantField(t, err, "as")
	_, err = people.CreateTokenByCommand(ctx, db, people.CreateTokenByCommandCmd{TokenFacts: facts("flow"), As: "nobody@example.test"})
	wantField(t, err, "as")
	_, err = people.CreateTokenByCommand(ctx, db, people.CreateTokenByCommandCmd{TokenFacts: facts("flow"), As: " Admin@example.test"})
	ok(t, err)
}

func TestAFormSentTwiceShowsTheSameToken(t *testing.T) {
	db := testdb.New(t)
	admin, _ := bound(t, db)
	var mu sync.Mutex
	seen := map[string]bool{}
	for _, err := range race(5, func(int) error {
		made, err := people.CreateToken(t.Context(), db, admin, people.CreateTokenCmd{Once: models.Once{Submission: "0123456789abcdef0123"}, TokenFacts: facts("flow")})
		mu.Lock()
		defer mu.Unlock()
		seen[made.Token] = true
		return err
	}) {
		ok(t, err)
	}
	if len(seen) != 1 || count(t, db, "select count(*) from tokens") != 1 {
		t.Errorf("%d tokens shown", len(seen))
	}
}

func TestLastUsedIsWrittenOnceAMinute(t *testing.T) {
	db := testdb.New(t)
	admin, _ := bound(t, db)
	made, err := people.CreateToken(t.Context(), db, admin, people.CreateTokenCmd{TokenFacts: facts("flow")})
	ok(t, err)
	use := func() string {
		_, err := people.Authenticate(t.Context(), db, made.Token)
		ok(t, err)
		var row string
		if err := db.Query(t.Context()).Raw("select xmin::text || last_used_at::text from tokens").Row().Scan(&row); err != nil {
			t.Fatal(err)
		}
		return row
	}
	first := use()
	if use() != first {
		t.Error("written again within the minute")
	}
	exec(t, db, "update tokens set last_used_at = now() - interval '61 seconds'")
	if use() == first {
		t.Error("not written after a minute")
	}
}

func TestALimitedTokenIsCountedOnAllServersTogether(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin, _ := bound(t, db)
	f := facts("flow")
	f.RatePerMinute = 6
	made, err := people.CreateToken(ctx, db, admin, people.CreateTokenCmd{TokenFacts: f})
	ok(t, err)
	a, err := people.Authenticate(ctx, db, made.Token)
	ok(t, err)
	errs := race(20, func(int) error { return a.Spend(ctx, db) })
	for _, err := range errs {
		if err != nil && (!models.IsKind(err, models.KindTooMany) || models.AsError(err).RetryAfter < 1 || models.AsError(err).RetryAfter > 10) {
			t.Errorf("%+v", err)
		}
	}
	if n := winners(errs); n != 6 {
		t.Errorf("%d of 20 calls were let through", n)
	}
	exec(t, db, "update token_rates set spent_to = spent_to - interval '20 seconds'")
	if n := winners(race(20, func(int) error { return a.Spend(ctx, db) })); n != 2 {
		t.Errorf("%d calls came back after 20 seconds", n)
	}
	a.RatePerMinute = 0
	if n := winners(race(20, func(int) error { return a.Spend(ctx, db) })); n != 20 {
		t.Errorf("%d of 20 unlimited calls were let through", n)
	}
}
