package control

import (
	"countersign/models"
)

// What the checker finds also rests on facts that lie outside a control: what
// the sender and the operations document, and how the workflow orders versions.
// Whoever changes such a fact has the controls it concerns checked again in the
// same transaction, so that lists and states never show an older check.

// RecheckSender checks the controls whose sender it is. It is what
// workflow.EditSender calls.
func RecheckSender(tx *models.Tx, sender int64) error {
	return recheck(tx, `select c.slug from controls c join senders s on s.workflow_id = c.workflow_id
		where s.id = ? and s.slug = (select a.data->>'sender' from answers a where a.control_id = c.id and a.field = 'sender' order by a.version desc limit 1)
		order by c.id`, sender)
}

// RecheckOperation checks the controls that act at the operation's account. It
// is what workflow.EditOperation calls.
func RecheckOperation(tx *models.Tx, operation int64) error {
	return recheck(tx, `select c.slug from controls c where c.id in (select a.control_id from control_accounts a
		join operations o on o.destination_id = a.destination_id where o.id = ?) order by c.id`, operation)
}

// RecheckWorkflow checks the controls of a workflow. It is what workflow.Edit
// calls when the order of versions changed.
func RecheckWorkflow(tx *models.Tx, workflow int64) error {
	return recheck(tx, "select slug from controls where workflow_id = ? order by id", workflow)
}

func recheck(tx *models.Tx, slugs string, id int64) error {
	var concerned []string
	if err := tx.Raw(slugs, id).Scan(&concerned).Error; err != nil {
		return err
	}
	for _, slug := range concerned {
		c, err := Lock(tx, slug)
		if err != nil {
			return err
		}
		if err := recheckOne(tx, c); err != nil {
			return err
		}
	}
	return nil
}

// recheckOne settles the rules of a draft. What is in review or decided keeps
// its answers, and the lists show what is found in them.
func recheckOne(tx *models.Tx, c Locked) error {
	latest, err := RevisionByID(tx.DB, c.LatestRevisionID)
	if err != nil {
		return err
	}
	if latest.State != Draft {
		_, err := settle(tx, c, 0, 0)
		return err
	}
	rules, err := settle(tx, c, latest.ID, standsFor(tx.By, c.Parties()))
	if err != nil || !rules.moved {
		return err
	}
	if err := tx.Exec("update revisions set version = version + 1 where id = ?", latest.ID).Error; err != nil {
		return err
	}
	return Recount(tx, c.ID)
}
