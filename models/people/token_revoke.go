package people

import (
	"context"

	"countersign/models"
)

// RevokeTokenCmd ends a token for good.
type RevokeTokenCmd struct {
	models.Once
	ID int64
}

// Object names what the command is about when it is refused.
func (c RevokeTokenCmd) Object() models.Object { return aboutToken(c.ID) }

// RevokeToken ends a token: its next call is refused. What the automation
// recorded stays. Forbidden to all but administrators; Conflict when it was
// revoked before.
func RevokeToken(ctx context.Context, db *models.DB, by models.Actor, cmd RevokeTokenCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := MayManageTokens(by); err != nil {
			return 0, err
		}
		if err := administer(tx); err != nil {
			return 0, err
		}
		t, err := loadToken(tx.DB, cmd.ID)
		if err != nil {
			return 0, err
		}
		r := tx.Exec("update tokens set revoked_at = ?, revoked_by = ? where id = ? and revoked_at is null", tx.Now, by.ID, t.ID)
		if r.Error == nil && r.RowsAffected != 1 {
			return 0, models.Conflictf("This token was revoked already.")
		}
		tx.Audit("token.revoked", t.object(), map[string]any{"state": t.State()}, map[string]any{"state": "revoked"})
		return t.ID, r.Error
	})
}
