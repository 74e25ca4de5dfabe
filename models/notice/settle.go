package notice

import "countersign/models"

// Settle marks as read what was told under an event and key, because it does not
// wait any more: for the people given, or for everybody when none is. Call it in
// the transaction of the command that settled it.
func Settle(tx *models.Tx, event Event, key string, people ...int64) error {
	q := "update notices set read_at = ? where event = ? and key = ? and read_at is null"
	args := []any{tx.Now, event, key}
	if len(people) > 0 {
		q, args = q+" and person_id in ?", append(args, people)
	}
	return tx.Exec(q, args...).Error
}

// SettlePage is Settle for everything of some events that leads to a page, under
// any key.
func SettlePage(tx *models.Tx, path string, events ...Event) error {
	return tx.Exec("update notices set read_at = ? where path = ? and event in ? and read_at is null", tx.Now, path, events).Error
}
