package notice

import "countersign/models"

// MayManage answers nil when by may see and change webhooks and the e-mail
// settings, and otherwise a Forbidden that says why not.
func MayManage(by models.Actor) error {
	if by.Has(models.Admin) {
		return nil
	}
	return models.Forbiddenf("Only an administrator may see and change webhooks and e-mail.")
}

// mayRead answers nil when the notice is the actor's own. A delegate has a
// notice of their own for each person they stand in for.
func mayRead(by models.Actor, personID int64) error {
	if by.ID != 0 && by.ID == personID {
		return nil
	}
	return models.Forbiddenf("This stands in somebody else’s inbox.")
}
