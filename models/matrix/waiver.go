package matrix

import (
	"time"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// MaxWaiverDays is how far off the end of a waiver may be.
const MaxWaiverDays = 90

// Waiver stands in for a scenario that cannot be run. It counts once the owner
// and the reviewer both signed, through the end of its date.
type Waiver struct {
	ID          int64
	Reason      string
	Until       time.Time // a calendar date, UTC
	AskedBy     control.Ref
	AskedFor    control.Ref
	AskedAt     time.Time
	OwnerBy     control.Ref // zero while the owner has not signed
	OwnerFor    control.Ref
	OwnerAt     *time.Time
	ReviewerBy  control.Ref
	ReviewerFor control.Ref
	ReviewerAt  *time.Time
	EndedBy     control.Ref // zero: its date had passed
	EndedFor    control.Ref
	EndedAt     *time.Time
	EndReason   string
}

// Signed reports whether both signed.
func (w Waiver) Signed() bool { return w.OwnerAt != nil && w.ReviewerAt != nil }

// InForce reports whether the waiver counts at now.
func (w Waiver) InForce(now time.Time) bool {
	return w.Signed() && w.EndedAt == nil && !control.Passed(&w.Until, now)
}

// Over reports whether it was ended or its date has passed.
func (w Waiver) Over(now time.Time) bool { return w.EndedAt != nil || control.Passed(&w.Until, now) }

// AskWaiverCmd asks for a waiver. It counts nothing until both signed.
type AskWaiverCmd struct {
	models.Once
	Control string
	Case    string
	Reason  string
	Until   string // a date, at most MaxWaiverDays from today
}

// Object names the control when the command is refused.
func (c AskWaiverCmd) Object() models.Object { return refused(c.Control) }

// SignWaiverCmd signs a waiver, in the place that is the person's.
type SignWaiverCmd struct {
	models.Once
	Waiver int64
}

// Object names the waiver when the command is refused.
func (c SignWaiverCmd) Object() models.Object {
	return models.Object{Type: "waiver", ID: c.Waiver, Label: "Waiver", Path: "/matrix"}
}

// EndWaiverCmd ends a waiver before its date, or turns down one that was asked for.
type EndWaiverCmd struct {
	models.Once
	Waiver int64
	Reason string
}

// Object names the waiver when the command is refused.
func (c EndWaiverCmd) Object() models.Object {
	return models.Object{Type: "waiver", ID: c.Waiver, Label: "Waiver", Path: "/matrix"}
}

// WaiverChanged is what came of asking, signing or ending.
type WaiverChanged struct {
	Waiver  int64
	Control string // slug
	Case    string // key
	Signed  bool   // both have
}

type waiverRow struct {
	ID, CaseID                                                     int64
	Reason                                                         string
	Until                                                          time.Time
	AskedBy, AskedFor, OwnerBy, OwnerFor, ReviewerBy, ReviewerFor  int64
	EndedBy, EndedFor                                              int64
	AskedName, AskedForName, OwnerName, OwnerForName, ReviewerName string
	ReviewerForName, EndedName, EndedForName                       string
	At                                                             time.Time
	OwnerAt, ReviewerAt, EndedAt                                   *time.Time
	EndReason                                                      string
}

const selectWaiver = `select w.id, w.case_id, w.reason, w.until, w.at, w.owner_at, w.reviewer_at, w.ended_at, w.end_reason,
	w.asked_by, a.name as asked_name, w.asked_for, af.name as asked_for_name, w.owner_by, o.name as owner_name, w.owner_for, ofo.name as owner_for_name,
	w.reviewer_by, r.name as reviewer_name, w.reviewer_for, rf.name as reviewer_for_name, w.ended_by, e.name as ended_name, w.ended_for, ef.name as ended_for_name
	from waivers w join people a on a.id = w.asked_by left join people af on af.id = w.asked_for
	left join people o on o.id = w.owner_by left join people ofo on ofo.id = w.owner_for
	left join people r on r.id = w.reviewer_by left join people rf on rf.id = w.reviewer_for
	left join people e on e.id = w.ended_by left join people ef on ef.id = w.ended_for `

func (r waiverRow) waiver() Waiver {
	ref := func(id int64, name string) control.Ref { return control.Ref{ID: id, Name: name} }
	return Waiver{ID: r.ID, Reason: r.Reason, Until: r.Until.UTC(), AskedBy: ref(r.AskedBy, r.AskedName), AskedFor: ref(r.AskedFor, r.AskedForName), AskedAt: r.At.UTC(),
		OwnerBy: ref(r.OwnerBy, r.OwnerName), OwnerFor: ref(r.OwnerFor, r.OwnerForName), OwnerAt: r.OwnerAt,
		ReviewerBy: ref(r.ReviewerBy, r.ReviewerName), ReviewerFor: ref(r.ReviewerFor, r.ReviewerForName), ReviewerAt: r.ReviewerAt,
		EndedBy: ref(r.EndedBy, r.EndedName), EndedFor: ref(r.EndedFor, r.EndedForName), EndedAt: r.EndedAt, EndReason: r.EndReason}
}

// openWaiver is the waiver of a case that nobody ended; its date may have passed.
func openWaiver(q *gorm.DB, caseID int64) (*Waiver, error) {
	var r waiverRow
	found, err := one(q.Raw(selectWaiver+"where w.case_id = ? and w.ended_at is null", caseID), &r)
	if err != nil || !found {
		return nil, err
	}
	w := r.waiver()
	return &w, nil
}

// lockWaiver takes the control of a waiver and reads the waiver as it is now.
func lockWaiver(tx *models.Tx, id int64) (c control.Locked, t Case, w Waiver, err error) {
	var at struct {
		Slug   string
		CaseID int64
	}
	found, err := one(tx.Raw("select c.slug, w.case_id from waivers w join controls c on c.id = w.control_id where w.id = ?", id), &at)
	if err == nil && !found {
		err = models.NotFoundf("There is no such waiver.")
	}
	if err != nil {
		return c, t, w, err
	}
	if c, err = control.Lock(tx, at.Slug); err != nil {
		return c, t, w, err
	}
	if t, err = caseByID(tx.DB, at.CaseID); err != nil {
		return c, t, w, err
	}
	var r waiverRow
	_, err = one(tx.Raw(selectWaiver+"where w.id = ?", id), &r)
	return c, t, r.waiver(), err
}

// waiversOf are the waivers of a control by case: the open one and the newest
// that ended.
func waiversOf(q *gorm.DB, controlID int64) (map[int64][]Waiver, error) {
	var rows []waiverRow
	err := q.Raw(selectWaiver+`join (select id, row_number() over (partition by case_id order by ended_at is null desc, id desc) as n from waivers where control_id = ?) nth
		on nth.id = w.id and nth.n <= ? order by w.id desc`, controlID, mostWaivers+1).Scan(&rows).Error
	all := map[int64][]Waiver{}
	for _, r := range rows {
		all[r.CaseID] = append(all[r.CaseID], r.waiver())
	}
	return all, err
}
