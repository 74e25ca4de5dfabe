package signoff

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/notice"
)

// limit is a date after which an approved revision's gate gives less.
type limit struct {
	event        notice.Event
	days         []int // how many days before it people are told, the nearest first
	near, passed string
}

var limits = map[string]limit{
	"review":   {notice.ReviewDateNear, []int{7, 30}, "Review “%s” by %s", "The review date of “%s” has passed"},
	"evidence": {notice.EvidenceExpiring, []int{3, 14}, "Evidence of “%s” is kept until %s", "Evidence that “%s” rests on has expired"},
	"waiver":   {notice.EvidenceExpiring, []int{3, 14}, "A waiver of “%s” ends on %s", "A waiver that “%s” rests on has ended"},
}

type tellDatesCmd struct{ models.Once }

// TellDates says to the people of approved controls that a review date, required
// evidence or a waiver comes to its end, some days before, and within a week
// after it that it has passed. Run it as often as you like: each is told once.
func TellDates(ctx context.Context, db *models.DB) error {
	_, err := models.Do(ctx, db, models.Actor{}, tellDatesCmd{}, func(tx *models.Tx) (int, error) {
		today := tx.Now.Truncate(24 * time.Hour)
		var rows []dateRow
		if err := tx.Raw(`select c.slug, c.name, r.id, l.kind, l.date, c.business_owner_id as owner_id, c.implementer_id, c.reviewer_id
			from controls c join revisions r on r.id = c.approved_revision_id and r.state = 'approved'
			cross join lateral (values ('review', r.review_date), ('evidence', c.proven_until), ('waiver', c.waived_until)) l (kind, date)
			where l.date between ?::date - 7 and ?::date + 30 order by l.date, r.id, l.kind`, today, today).Scan(&rows).Error; err != nil {
			return 0, err
		}
		for _, r := range rows {
			if err := r.tell(tx, today); err != nil {
				return 0, err
			}
		}
		return len(rows), nil
	})
	return err
}

type dateRow struct {
	ID                                 int64 // of the revision
	Slug, Name, Kind                   string
	Date                               time.Time
	OwnerID, ImplementerID, ReviewerID int64
}

func (r dateRow) tell(tx *models.Tx, today time.Time) error {
	l, date, left := limits[r.Kind], r.Date.Format("2 January 2006"), int(r.Date.Sub(today).Hours()/24)
	words := notice.Words{Title: fmt.Sprintf(l.passed, r.Name), Text: "The last day was " + date + ". Nothing is retried automatically until that is put right."}
	key := fmt.Sprintf("revision %d %s %s passed", r.ID, r.Kind, r.Date.Format(time.DateOnly))
	if left >= 0 {
		within := nearest(l.days, left)
		if within == 0 {
			return nil
		}
		words = notice.Words{Title: fmt.Sprintf(l.near, r.Name, date), Text: "After that day nothing is retried automatically until that is put right."}
		key = fmt.Sprintf("revision %d %s %s in %d days", r.ID, r.Kind, r.Date.Format(time.DateOnly), within)
	}
	return notice.Tell(tx, l.event, []int64{r.OwnerID, r.ImplementerID, r.ReviewerID}, words, "/controls/"+r.Slug, key)
}

// nearest is the smallest of days that left is within; 0 when it is within none.
func nearest(days []int, left int) int {
	for _, d := range days {
		if left <= d {
			return d
		}
	}
	return 0
}
