package signoff

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/notice"
)

// tellToSign says to everybody named that the draft r, which was just submitted,
// waits for their signature; slots are signed in any order. A revision that was withdrawn and
// submitted again is told again.
func tellToSign(tx *models.Tx, c control.Locked, r control.Revision) error {
	words := notice.Words{Title: fmt.Sprintf("Sign revision %d of “%s”", r.Number, c.Name), Text: tx.By.Name + " submitted it for review."}
	return notice.Tell(tx, notice.SignatureWanted, []int64{c.OwnerID, c.ImplementerID, c.ReviewerID}, words, signPath(c.Slug), signKey(r.ID, r.Version+1))
}

// signKey names one submission: a revision keeps its version while in review.
func signKey(revision, version int64) string {
	return fmt.Sprintf("revision %d version %d", revision, version)
}

// signatureSettled takes the wish for a signature out of the inbox of those who
// need not sign any more; of everybody when nobody is given.
func signatureSettled(tx *models.Tx, r control.Revision, people ...int64) error {
	return notice.Settle(tx, notice.SignatureWanted, signKey(r.ID, r.Version), people...)
}

// tellSigned settles what a signature settles: the signer's own slot, or with
// the last one the revision.
func tellSigned(tx *models.Tx, c control.Locked, r control.Revision, next control.RevisionState, s Signature) error {
	if next == control.InReview {
		return signatureSettled(tx, r, tx.By.ID, s.Slot.person(c.Parties()).ID)
	}
	if err := signatureSettled(tx, r); err != nil {
		return err
	}
	return tellDecided(tx, c, r, next, s.Note)
}

// tellDecided says to everybody named, and to whoever submitted the revision,
// that it was approved or that changes are wanted.
func tellDecided(tx *models.Tx, c control.Locked, r control.Revision, next control.RevisionState, note string) error {
	words := notice.Words{Title: fmt.Sprintf("Revision %d of “%s” is approved", r.Number, c.Name), Text: "It is in force now."}
	if next == control.ChangesRequested {
		words = notice.Words{Title: fmt.Sprintf("Changes are wanted to revision %d of “%s”", r.Number, c.Name), Text: tx.By.Name + ": " + note}
	}
	return notice.Tell(tx, notice.RevisionDecided, []int64{c.OwnerID, c.ImplementerID, c.ReviewerID, r.SubmittedBy.ID}, words, signPath(c.Slug), fmt.Sprintf("revision %d", r.ID))
}

func signPath(slug string) string { return "/controls/" + slug + "/sign-off" }

type tellReviewDatesCmd struct{ models.Once }

// reviewDays are how many days before a review date people are told of it.
var reviewDays = []int{7, 30}

// TellReviewDates says to the people of approved controls that a review date
// comes near, 30 and 7 days before, or has passed. Run it as often as you like:
// each is told once.
func TellReviewDates(ctx context.Context, db *models.DB) error {
	_, err := models.Do(ctx, db, models.Actor{}, tellReviewDatesCmd{}, func(tx *models.Tx) (int, error) {
		today := tx.Now.Truncate(24 * time.Hour)
		var rows []reviewRow
		if err := tx.Raw(`select c.slug, c.name, r.id, r.review_date, c.business_owner_id as owner_id, c.implementer_id, c.reviewer_id
			from revisions r join controls c on c.approved_revision_id = r.id
			where r.state = 'approved' and r.review_date between ?::date - 7 and ?::date order by r.review_date, r.id`,
			today, today.AddDate(0, 0, reviewDays[len(reviewDays)-1])).Scan(&rows).Error; err != nil {
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

type reviewRow struct {
	ID                                 int64
	Slug, Name                         string
	ReviewDate                         time.Time
	OwnerID, ImplementerID, ReviewerID int64
}

func (r reviewRow) tell(tx *models.Tx, today time.Time) error {
	date := r.ReviewDate.Format("2 January 2006")
	words := notice.Words{Title: fmt.Sprintf("The review date of “%s” has passed", r.Name), Text: "It was " + date + ". Nothing is retried automatically until a new revision is approved."}
	key := fmt.Sprintf("revision %d passed", r.ID)
	if !r.ReviewDate.Before(today) {
		words = notice.Words{Title: fmt.Sprintf("Review “%s” by %s", r.Name, date), Text: "After that day nothing is retried automatically until a new revision is approved."}
		left := int(r.ReviewDate.Sub(today).Hours() / 24)
		for _, days := range reviewDays {
			if left <= days {
				key = fmt.Sprintf("revision %d in %d days", r.ID, days)
				break
			}
		}
	}
	return notice.Tell(tx, notice.ReviewDateNear, []int64{r.OwnerID, r.ImplementerID, r.ReviewerID}, words, "/controls/"+r.Slug, key)
}
