package control

import (
	"cmp"
	"slices"

	"countersign/models"
)

// accountChoice is where the effect shall happen in one environment.
type accountChoice struct {
	Field           string // the form field to blame
	EnvironmentID   int64
	EnvironmentName string
	DestinationID   int64
}

// claimAccounts fixes where the effect happens. Invalid when the control acts
// elsewhere in that environment already, or when another control owns this
// effect at that account.
func claimAccounts(tx *models.Tx, c Locked, choices []accountChoice) error {
	var fixed []struct {
		EnvironmentID, DestinationID int64
		Slug                         string
	}
	err := tx.Raw(`select a.environment_id, a.destination_id, d.slug from control_accounts a
		join destinations d on d.id = a.destination_id where a.control_id = ?`, c.ID).Scan(&fixed).Error
	if err != nil {
		return err
	}
	slices.SortFunc(choices, func(x, y accountChoice) int { return cmp.Compare(x.EnvironmentID, y.EnvironmentID) })
	for _, a := range choices {
		known := false
		for _, f := range fixed {
			if f.EnvironmentID != a.EnvironmentID {
				continue
			}
			if f.DestinationID != a.DestinationID {
				return models.Invalid(a.Field, "In %s this control acts at %s, and that is fixed. Choose an operation there, or create another control.", a.EnvironmentName, f.Slug)
			}
			known = true
		}
		if known {
			continue
		}
		if err := claimAccount(tx, c, a); err != nil {
			return err
		}
	}
	return nil
}

func claimAccount(tx *models.Tx, c Locked, a accountChoice) error {
	r := tx.Exec(`insert into control_accounts (control_id, environment_id, destination_id, effect) values (?, ?, ?, ?)
		on conflict (environment_id, destination_id, effect) do nothing`, c.ID, a.EnvironmentID, a.DestinationID, c.Effect)
	if r.Error != nil || r.RowsAffected == 1 {
		return r.Error
	}
	var owner string
	if _, err := one(tx.Raw(`select c.name from control_accounts a join controls c on c.id = a.control_id
		where a.environment_id = ? and a.destination_id = ? and a.effect = ?`, a.EnvironmentID, a.DestinationID, c.Effect), &owner); err != nil {
		return err
	}
	return models.Invalid(a.Field, "The control “%s” already owns the effect %s at this account in %s. Use that control, or another effect.", owner, c.Effect, a.EnvironmentName)
}
