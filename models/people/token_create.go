package people

import (
	"context"

	"countersign/models"
)

// TokenFacts say what a token is for. No scope means every scope.
type TokenFacts struct {
	Name, Workflow, Environment string // the last two are slugs
	Scopes                      []Scope
	ExpiresOn                   string // year-month-day, the last day; "" for no end
	RatePerMinute               int    // calls; 0: not limited
}

// NewToken is a token that was just made. Token is made like an invitation's, so
// a form sent twice shows the same one, and the database alone gives none away.
type NewToken struct {
	ID    int64
	Salt  []byte
	Token string `json:"-"`
}

// CreateTokenCmd makes a token.
type CreateTokenCmd struct {
	models.Once
	TokenFacts
}

// CreateToken makes a token that counts as its maker where duties are kept
// apart. Forbidden to all but administrators.
func CreateToken(ctx context.Context, db *models.DB, by models.Actor, cmd CreateTokenCmd) (NewToken, error) {
	key := linkKey(&cmd.Once)
	made, err := models.Do(ctx, db, by, cmd, func(tx *models.Tx) (NewToken, error) {
		if err := MayManageTokens(by); err != nil {
			return NewToken{}, err
		}
		if err := administer(tx); err != nil {
			return NewToken{}, err
		}
		return insertToken(tx, cmd.TokenFacts, by.ID, key)
	})
	if err == nil {
		made.Token = TokenPrefix + tokenFrom(key, made.Salt)
	}
	return made, err
}

// CreateTokenByCommandCmd makes a token from the command line, which whoever
// operates the server may use. As is the e-mail address of whom the automation
// counts as; empty: the workflow's implementer.
type CreateTokenByCommandCmd struct {
	models.Once
	TokenFacts
	As string
}

// CreateTokenByCommand makes a token as the system itself: for `countersign
// token create` and demo data, never for a page.
func CreateTokenByCommand(ctx context.Context, db *models.DB, cmd CreateTokenByCommandCmd) (NewToken, error) {
	key := linkKey(&cmd.Once)
	made, err := models.Do(ctx, db, models.Actor{}, cmd, func(tx *models.Tx) (NewToken, error) {
		var as struct {
			ID     int64
			Active bool
		}
		query, arg := "select p.id, p.active from workflows w join people p on p.id = w.implementer_id where w.slug = ?", cmd.Workflow
		if cmd.As != "" {
			query, arg = "select id, active from people where email = ?", CleanEmail(cmd.As)
		}
		q := tx.Raw(query, arg).Scan(&as)
		switch {
		case q.Error != nil:
			return NewToken{}, q.Error
		case q.RowsAffected == 0 && cmd.As != "":
			return NewToken{}, models.Invalid("as", "There is no person with the e-mail address %s.", CleanEmail(cmd.As))
		case q.RowsAffected == 0:
			return NewToken{}, models.Invalid("workflow", "There is no workflow “%s”.", cmd.Workflow)
		case !as.Active:
			return NewToken{}, models.Invalid("as", "The person that this token would count as was deactivated. Name somebody else with --as.")
		}
		return insertToken(tx, cmd.TokenFacts, as.ID, key)
	})
	if err == nil {
		made.Token = TokenPrefix + tokenFrom(key, made.Salt)
	}
	return made, err
}

// insertToken checks the facts and adds the token.
func insertToken(tx *models.Tx, f TokenFacts, creator int64, key []byte) (NewToken, error) {
	f.Name = models.Clean(f.Name)
	var c models.Check
	c.Required("name", f.Name, 200, "Enter a name that says which automation uses it.")
	c.Line("name", f.Name, 200)
	f.Scopes = cleanScopes(&c, f.Scopes)
	expires := c.Date("expires", f.ExpiresOn)
	if expires != nil && expires.AddDate(0, 0, 1).Before(tx.Now) {
		c.Add("expires", "Enter a day that has not passed.")
	}
	if f.RatePerMinute < 0 || f.RatePerMinute > maxRate {
		c.Add("rate", "Enter 0 for no limit, or up to %d calls in a minute.", maxRate)
	}
	workflow, err := boundTo(tx, &c, "workflow", "workflows", f.Workflow)
	if err != nil {
		return NewToken{}, err
	}
	environment, err := boundTo(tx, &c, "environment", "environments", f.Environment)
	if err != nil {
		return NewToken{}, err
	}
	if err := c.Err(); err != nil {
		return NewToken{}, err
	}
	made := NewToken{Salt: randomBytes(16)}
	token := TokenPrefix + tokenFrom(key, made.Salt)
	if err := tx.Raw(`insert into tokens (name, hash, hint, workflow_id, environment_id, scopes, rate_per_minute, expires_on, created_by, created_at)
		values (?, ?, ?, ?, ?, string_to_array(?, ','), ?, ?, ?, ?) returning id`, f.Name, hashToken(token), token[:hintLength], workflow, environment,
		joinScopes(f.Scopes), f.RatePerMinute, expires, creator, tx.Now).Row().Scan(&made.ID); err != nil {
		return NewToken{}, err
	}
	tx.Audit("token.created", tokenObject(made.ID, f.Name), nil, map[string]any{"workflow": f.Workflow, "environment": f.Environment,
		"scopes": f.Scopes, "rate_per_minute": f.RatePerMinute, "expires_on": f.ExpiresOn, "counts_as": creator})
	return made, nil
}

// boundTo finds the id of a workflow or environment that is in use.
func boundTo(tx *models.Tx, c *models.Check, field, table, slug string) (id int64, err error) {
	if slug == "" {
		c.Add(field, "Choose the %s.", field)
		return 0, nil
	}
	q := tx.Raw("select id from "+table+" where slug = ? and archived_at is null", slug).Scan(&id)
	if q.Error == nil && q.RowsAffected == 0 {
		c.Add(field, "There is no %s “%s” in use.", field, slug)
	}
	return id, q.Error
}
