package people

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"countersign/models"

	"github.com/jackc/pgx/v5"
)

// Automation is who calls with a token, and what the token lets it do.
type Automation struct {
	TokenID       int64
	Name          string // of the token
	WorkflowID    int64
	Workflow      string // slug
	EnvironmentID int64
	Environment   string // slug
	Scopes        []Scope
	RatePerMinute int // calls; 0: not limited

	// Actor is whom the automation counts as where duties are kept apart. It
	// holds no role: what may be done is what the scopes say.
	Actor models.Actor

	noted bool // last used within a minute
}

// ErrBadToken says that nobody is let in with this token. Message says why.
type ErrBadToken struct{ Message string }

func (e ErrBadToken) Error() string { return e.Message }

// Authenticate returns who calls with the token. ErrBadToken when it is none of
// ours, was revoked, has expired, or counts as somebody who was deactivated.
// One query, and at most once a minute a write of when it was last used.
func Authenticate(ctx context.Context, db *models.DB, token string) (Automation, error) {
	if !strings.HasPrefix(token, TokenPrefix) || len(token) != tokenLength {
		return Automation{}, ErrBadToken{"This is not a token of Countersign. It starts with " + TokenPrefix + " and has 46 characters."}
	}
	a, err := automation(ctx, db, hashToken(token))
	if err == nil && !a.noted {
		_, err = db.Pool.Exec(ctx, `update tokens set last_used_at = now() where id = $1
			and (last_used_at is null or last_used_at < now() - interval '1 minute')`, a.TokenID)
	}
	return a, models.Classify(err)
}

func automation(ctx context.Context, db *models.DB, hash []byte) (Automation, error) {
	var a Automation
	var scopes string
	var revoked, expired, active bool
	err := db.Pool.QueryRow(ctx, `
select t.id, t.name, w.id, w.slug, e.id, e.slug, array_to_string(t.scopes, ','), t.rate_per_minute,
       t.revoked_at is not null, coalesce(t.expires_on < (now() at time zone 'UTC')::date, false),
       coalesce(t.last_used_at > now() - interval '1 minute', false), p.id, p.name, p.email, p.time_zone, p.active
from tokens t join workflows w on w.id = t.workflow_id join environments e on e.id = t.environment_id join people p on p.id = t.created_by
where t.hash = $1`, hash).Scan(&a.TokenID, &a.Name, &a.WorkflowID, &a.Workflow, &a.EnvironmentID, &a.Environment, &scopes, &a.RatePerMinute,
		&revoked, &expired, &a.noted, &a.Actor.ID, &a.Actor.Name, &a.Actor.Email, &a.Actor.TimeZone, &active)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Automation{}, ErrBadToken{"There is no such token. It may be one of another Countersign."}
	case err != nil:
		return Automation{}, err
	case revoked:
		return Automation{}, ErrBadToken{"This token was revoked. Ask an administrator for a new one."}
	case expired:
		return Automation{}, ErrBadToken{"This token has expired. Ask an administrator for a new one."}
	case !active:
		return Automation{}, ErrBadToken{"This token counts as " + a.Actor.Name + ", whose account was deactivated. Ask an administrator for a new one."}
	}
	a.Scopes = parseScopes(scopes)
	return a, nil
}

// May answers nil when the token has the scope, and otherwise a Forbidden that says so.
func (a Automation) May(scope Scope) error {
	if !slices.Contains(a.Scopes, scope) {
		return models.Forbiddenf("This token does not have the scope “%s”. It has: %s.", scope, scopeWords(a.Scopes))
	}
	return nil
}

// Reaches answers nil when the token is bound to this workflow and environment
// (slugs), and otherwise a Forbidden that says to which it is bound.
func (a Automation) Reaches(workflow, environment string) error {
	if workflow != a.Workflow {
		return models.Forbiddenf("This token is bound to the workflow “%s”.", a.Workflow)
	}
	if environment != a.Environment {
		return models.Forbiddenf("This token is bound to the environment “%s”.", a.Environment)
	}
	return nil
}

// Spend counts one call of a limited token, on all servers together. TooMany
// when the calls of this minute are used up. Up to a whole minute's calls may
// come at once; they come back evenly over the minute.
func (a Automation) Spend(ctx context.Context, db *models.DB) error {
	if a.RatePerMinute <= 0 {
		return nil
	}
	var counted bool
	var wait float64 // seconds until one more call is allowed
	err := db.Pool.QueryRow(ctx, `
with counted as (
  insert into token_rates as r (token_id, spent_to) values ($1, clock_timestamp() + make_interval(secs => 60.0 / $2))
  on conflict (token_id) do update set spent_to = greatest(r.spent_to, clock_timestamp()) + make_interval(secs => 60.0 / $2)
  where greatest(r.spent_to, clock_timestamp()) + make_interval(secs => 60.0 / $2) <= clock_timestamp() + interval '60.001 seconds'
  returning 1)
select exists (select from counted),
  coalesce((select extract(epoch from r.spent_to - clock_timestamp()) + 60.0 / $2 - 60 from token_rates r where r.token_id = $1), 0)::float8`,
		a.TokenID, a.RatePerMinute).Scan(&counted, &wait)
	if err != nil || counted {
		return models.Classify(err)
	}
	return &models.Error{Kind: models.KindTooMany, RetryAfter: max(1, int(math.Ceil(wait))),
		Message: "This token has used up its calls for now. Its limit is set on the page of tokens."}
}
