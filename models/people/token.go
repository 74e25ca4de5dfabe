package people

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/models"
)

// Scope is one thing that a token lets an automation do.
type Scope string

const (
	ScopeDeliveries Scope = "deliveries" // report what arrived
	ScopeClaims     Scope = "claims"     // claim, retry, heartbeat
	ScopeOutcomes   Scope = "outcomes"   // report how an attempt ended
	ScopeLookups    Scope = "lookups"    // report a check of the destination
	ScopeReplays    Scope = "replays"    // ask for a replay and start an approved one
	ScopeRead       Scope = "read"       // read records, reviews and gates
)

// Scopes in the order they are shown.
var Scopes = []Scope{ScopeDeliveries, ScopeClaims, ScopeOutcomes, ScopeLookups, ScopeReplays, ScopeRead}

// TokenPrefix starts every token, so that one found in a log is recognised.
const TokenPrefix = "cs_"

const (
	tokenLength = len(TokenPrefix) + 43 // 32 bytes in base64
	hintLength  = len(TokenPrefix) + 4
	maxRate     = 100000 // calls in a minute
)

// Token is what an automation shows to be let in: bound to one workflow, one
// environment and scopes. The token itself is shown once and not kept.
type Token struct {
	ID                           int64
	Name, Hint                   string
	Workflow, WorkflowName       string // slug, name
	Environment, EnvironmentName string
	Scopes                       []Scope `gorm:"-"`
	ScopeList                    string
	RatePerMinute                int        // calls; 0: not limited
	ExpiresOn                    *time.Time // last day it can be used, UTC; nil: no end
	CreatedBy                    string     // name of whom the automation counts as
	CreatorID                    int64
	CreatorActive                bool
	CreatedAt                    time.Time
	LastUsedAt, RevokedAt        *time.Time
	RevokedBy                    string
	Expired                      bool
}

const selectToken = `
select t.id, t.name, t.hint, w.slug as workflow, w.name as workflow_name, e.slug as environment, e.name as environment_name,
       array_to_string(t.scopes, ',') as scope_list, t.rate_per_minute, t.expires_on, p.name as created_by, p.id as creator_id,
       p.active as creator_active, t.created_at, t.last_used_at, t.revoked_at, coalesce(r.name, '') as revoked_by,
       coalesce(t.expires_on < (now() at time zone 'UTC')::date, false) as expired
from tokens t join workflows w on w.id = t.workflow_id join environments e on e.id = t.environment_id
join people p on p.id = t.created_by left join people r on r.id = t.revoked_by `

// State is active, expired, revoked, or orphaned when whom it counts as was deactivated.
func (t Token) State() string {
	switch {
	case t.RevokedAt != nil:
		return "revoked"
	case t.Expired:
		return "expired"
	case !t.CreatorActive:
		return "orphaned"
	}
	return "active"
}

func (t Token) object() models.Object { return tokenObject(t.ID, t.Name) }

func tokenObject(id int64, name string) models.Object {
	return models.Object{Type: "token", ID: id, Label: name, Path: "/admin/tokens"}
}

// MayManageTokens answers nil when by may see, make and revoke tokens, and
// otherwise a Forbidden that says why not.
func MayManageTokens(by models.Actor) error {
	if !by.Has(models.Admin) {
		return models.Forbiddenf("Only an administrator may see, make and revoke tokens.")
	}
	return nil
}

// parseScopes reads a list joined by commas, in the order of Scopes.
func parseScopes(list string) (scopes []Scope) {
	names := strings.Split(list, ",")
	for _, s := range Scopes {
		if slices.Contains(names, string(s)) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// cleanScopes is what was asked for in the order of Scopes; all when nothing was.
func cleanScopes(c *models.Check, wanted []Scope) []Scope {
	for _, s := range wanted {
		if !slices.Contains(Scopes, s) {
			c.Add("scopes", "Choose from: %s.", scopeWords(Scopes))
			return nil
		}
	}
	if len(wanted) == 0 {
		return Scopes
	}
	return parseScopes(joinScopes(wanted))
}

func joinScopes(scopes []Scope) string {
	var names []string
	for _, s := range scopes {
		names = append(names, string(s))
	}
	return strings.Join(names, ",")
}

func scopeWords(scopes []Scope) string { return strings.ReplaceAll(joinScopes(scopes), ",", ", ") }

func errNoToken() error { return models.NotFoundf("There is no such token.") }

// aboutToken names the token of a command that was refused before it was read.
func aboutToken(id int64) models.Object { return tokenObject(id, fmt.Sprintf("token %d", id)) }
