// Package retention says how long things are kept where nothing closer does: the
// control, the workflow or whoever attaches evidence.
package retention

import (
	"context"
	"strconv"

	"countersign/models"

	"gorm.io/gorm"
)

// Rules are in days.
type Rules struct {
	EvidenceDays  int    // proposed for evidence of a control that does not say; 0: nothing is proposed
	EvidenceBasis string // why that long
	PayloadDays   int    // the most that a workflow may keep the bodies of notifications
	NoticeDays    int    // what was read or delivered leaves inboxes and lists after so long
	Version       int64  // 0 until somebody changed them
}

// The bounds, in days. Notices stay for a week, so that nobody misses them.
const (
	MostDays        = 3650
	LeastNoticeDays = 7
	maxBasis        = 500
)

// Of reads the rules that are in force.
func Of(q *gorm.DB) (Rules, error) {
	r := Rules{PayloadDays: MostDays, NoticeDays: 90}
	err := q.Raw("select evidence_days, evidence_basis, payload_days, notice_days, version from retention").Scan(&r).Error
	return r, models.Classify(err)
}

// MayChange is nil when by may change the rules.
func MayChange(by models.Actor) error {
	if by.Has(models.Admin) {
		return nil
	}
	return models.Forbiddenf("Only an administrator changes how long things are kept.")
}

// Typed is what stands in the form.
type Typed struct{ EvidenceDays, EvidenceBasis, PayloadDays, NoticeDays string }

// Typed are the rules as a form shows them.
func (r Rules) Typed() Typed {
	t := Typed{EvidenceBasis: r.EvidenceBasis, PayloadDays: strconv.Itoa(r.PayloadDays), NoticeDays: strconv.Itoa(r.NoticeDays)}
	if r.EvidenceDays > 0 {
		t.EvidenceDays = strconv.Itoa(r.EvidenceDays)
	}
	return t
}

func (t Typed) rules() (Rules, error) {
	var c models.Check
	days := func(field, text string, least int) int {
		n, err := strconv.Atoi(models.Clean(text))
		if err != nil || n < least || n > MostDays {
			c.Add(field, "Enter whole days between %d and %d.", least, MostDays)
		}
		return n
	}
	r := Rules{EvidenceBasis: models.Clean(t.EvidenceBasis), PayloadDays: days("payload_days", t.PayloadDays, 1), NoticeDays: days("notice_days", t.NoticeDays, LeastNoticeDays)}
	if models.Clean(t.EvidenceDays) != "" {
		r.EvidenceDays = days("evidence_days", t.EvidenceDays, 1)
		c.Required("evidence_basis", r.EvidenceBasis, maxBasis, "Say why that is long enough.")
	}
	c.Line("evidence_basis", r.EvidenceBasis, maxBasis)
	return r, c.Err()
}

// ChangeCmd changes the rules. Version is the one that was seen, 0 for none.
type ChangeCmd struct {
	models.Once
	Typed
	Version int64
}

// Change saves the rules. They count for what is attached, saved or removed from
// then on; nothing that is kept already gets another date. Forbidden by MayChange;
// Invalid fields: evidence_days, evidence_basis, payload_days, notice_days;
// Conflict when somebody else changed them meanwhile.
func Change(ctx context.Context, db *models.DB, by models.Actor, cmd ChangeCmd) (Rules, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Rules, error) {
		if err := MayChange(by); err != nil {
			return Rules{}, err
		}
		is, err := cmd.rules()
		if err != nil {
			return is, err
		}
		was, err := Of(tx.DB)
		if err != nil {
			return is, err
		}
		is.Version = cmd.Version + 1
		sql := `update retention set evidence_days = @days, evidence_basis = @basis, payload_days = @payload, notice_days = @notice, version = @version where version = @version - 1`
		if cmd.Version == 0 {
			sql = `insert into retention (evidence_days, evidence_basis, payload_days, notice_days, version) values (@days, @basis, @payload, @notice, @version) on conflict do nothing`
		}
		r := tx.Exec(sql, map[string]any{"days": is.EvidenceDays, "basis": is.EvidenceBasis, "payload": is.PayloadDays, "notice": is.NoticeDays, "version": is.Version})
		if r.Error == nil && r.RowsAffected != 1 {
			return is, models.Conflictf("Somebody else changed these since you opened the page. Look at what is there now, then save again.")
		}
		before, after := models.Changes(was.audited(), is.audited())
		tx.Audit("retention.changed", models.Object{Type: "retention", Label: "Retention", Path: "/admin/retention"}, before, after)
		return is, r.Error
	})
}

func (r Rules) audited() map[string]any {
	return map[string]any{"evidence_days": r.EvidenceDays, "evidence_basis": r.EvidenceBasis, "payload_days": r.PayloadDays, "notice_days": r.NoticeDays}
}
