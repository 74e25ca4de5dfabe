package people

import (
	"context"

	"countersign/models"

	"gorm.io/gorm"
)

// TokenFilter narrows the list of tokens. Empty fields do not.
type TokenFilter struct {
	State    string // active, expired, revoked or orphaned
	Workflow string // slug
}

var tokenStates = map[string]string{
	"active":   "revoked_at is null and not expired and creator_active",
	"expired":  "revoked_at is null and expired",
	"orphaned": "revoked_at is null and not expired and not creator_active",
	"revoked":  "revoked_at is not null",
}

// ListTokens returns a page of tokens, newest first. Forbidden to all but administrators.
func ListTokens(ctx context.Context, db *models.DB, by models.Actor, f TokenFilter, at string) (models.Page[Token], error) {
	if err := MayManageTokens(by); err != nil {
		return models.Page[Token]{}, err
	}
	q := db.Query(ctx).Table("(" + selectToken + ") t")
	if where := tokenStates[f.State]; where != "" {
		q = q.Where(where)
	}
	if f.Workflow != "" {
		q = q.Where("workflow = ?", f.Workflow)
	}
	page, err := models.Keyset(q, at, models.PageSize, models.Order{Columns: []string{"id"}, Desc: true}, func(t Token) []any { return []any{t.ID} })
	for i := range page.Items {
		page.Items[i].Scopes = parseScopes(page.Items[i].ScopeList)
	}
	return page, err
}

// FindToken returns one token for administrators. Forbidden, NotFound.
func FindToken(ctx context.Context, db *models.DB, by models.Actor, id int64) (Token, error) {
	if err := MayManageTokens(by); err != nil {
		return Token{}, err
	}
	return loadToken(db.Query(ctx), id)
}

func loadToken(db *gorm.DB, id int64) (t Token, err error) {
	q := db.Raw(selectToken+"where t.id = ?", id).Scan(&t)
	if q.Error == nil && q.RowsAffected == 0 {
		return t, errNoToken()
	}
	t.Scopes = parseScopes(t.ScopeList)
	return t, q.Error
}
