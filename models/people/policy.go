package people

import (
	"countersign/models"
)

// MayAdminister answers nil when by may see and change people, roles and
// invitations, and otherwise a Forbidden that says why not.
func MayAdminister(by models.Actor) error {
	if !by.Has(models.Admin) {
		return models.Forbiddenf("Only an administrator may see and change people and their roles.")
	}
	return nil
}

// MayDeactivate is MayAdminister, and nobody deactivates themselves.
func MayDeactivate(by models.Actor, id int64) error {
	if err := MayAdminister(by); err != nil {
		return err
	}
	if by.ID == id {
		return models.Forbiddenf("You cannot deactivate yourself. Ask another administrator.")
	}
	return nil
}

// MayUseAccount answers nil when the account is the actor's own. Nobody does
// these things as somebody's delegate.
func MayUseAccount(by models.Actor, id int64) error {
	if by.ID == 0 || by.ID != id {
		return models.Forbiddenf("You may only change your own account.")
	}
	return nil
}

// MayNameDelegate answers nil when the account is the actor's own and there is
// something that a delegate could decide: only reading and administering are
// never done for somebody else.
func MayNameDelegate(by models.Actor, id int64) error {
	if err := MayUseAccount(by, id); err != nil {
		return err
	}
	if !by.Has(models.BusinessOwner, models.Implementer, models.Reviewer, models.Approver) {
		return models.Forbiddenf("Your roles decide nothing that a delegate could decide for you.")
	}
	return nil
}

// MayStandIn answers nil when a person can be named as somebody's delegate: an
// active person who may do more than read.
func MayStandIn(p Person) error {
	switch {
	case !p.Active:
		return models.Invalid("delegate", "%s is no longer active. Choose somebody else.", p.Name)
	case p.Invited:
		return models.Invalid("delegate", "%s has not signed in yet. Choose somebody else.", p.Name)
	case OnlyReads(p.Roles):
		return models.Invalid("delegate", "%s may only read. Choose somebody who may decide.", p.Name)
	}
	return nil
}

// MayEndDelegation answers nil for the person who is away, the delegate who no
// longer stands in, and an administrator.
func MayEndDelegation(by models.Actor, away, delegate int64) error {
	if by.ID != 0 && (by.ID == away || by.ID == delegate) || by.Has(models.Admin) {
		return nil
	}
	return models.Forbiddenf("Only the person who is away, their delegate or an administrator may end this.")
}

// adminLock orders everything that could take away the last administrator.
const adminLock = 0x61646d696e // "admin"

func lockAdmins(tx *models.Tx) error {
	return tx.Exec("select pg_advisory_xact_lock(?)", int64(adminLock)).Error
}

// administer authorises a command of an administrator. The role is read again
// under the lock: another administrator may have taken it away a moment ago.
func administer(tx *models.Tx) error {
	if err := MayAdminister(tx.By); err != nil {
		return err
	}
	if err := lockAdmins(tx); err != nil {
		return err
	}
	var still bool
	err := tx.Raw(`select exists (select from people p join role_grants g on g.person_id = p.id
		where p.id = ? and p.active and g.role = 'admin')`, tx.By.ID).Row().Scan(&still)
	if err == nil && !still {
		return models.Forbiddenf("You are no longer an administrator.")
	}
	return err
}

// keepsAnAdmin is a Conflict when nobody but p can administer. Somebody who was
// invited and has no password yet does not count. Needs the lock of administer.
func keepsAnAdmin(tx *models.Tx, p Person) error {
	var others bool
	err := tx.Raw(`select exists (select from people p join role_grants g on g.person_id = p.id
		where p.id <> ? and p.active and p.password_hash <> '' and g.role = 'admin')`, p.ID).Row().Scan(&others)
	if err == nil && !others && p.Active && hasRole(p, models.Admin) {
		return models.Conflictf("%s is the last active administrator. Make somebody else an administrator first.", p.Name)
	}
	return err
}

func hasRole(p Person, r models.Role) bool { return models.Actor{Roles: p.Roles}.Has(r) }
