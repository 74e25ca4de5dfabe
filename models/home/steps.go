package home

import (
	"context"

	"countersign/models"
)

// Steps says how far a new workspace has come.
type Steps struct{ People, Environments, Destinations, Workflows, Controls, Automation bool }

// All reports whether every step is done.
func (s Steps) All() bool {
	return s.People && s.Environments && s.Destinations && s.Workflows && s.Controls && s.Automation
}

// Begun looks at what is there; People means more than the first person.
func Begun(ctx context.Context, db *models.DB) (Steps, error) {
	var s Steps
	err := db.Query(ctx).Raw(`select exists (select 1 from people offset 1) people, exists (select 1 from environments) environments,
		exists (select 1 from destinations) destinations, exists (select 1 from workflows) workflows, exists (select 1 from controls) controls, exists (select 1 from deliveries) or exists (select 1 from actions) automation`).Scan(&s).Error
	return s, err
}
