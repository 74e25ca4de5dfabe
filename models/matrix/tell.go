package matrix

import (
	"fmt"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/notice"
)

// tellProposed asks the business owner to agree what was just proposed; an
// earlier version needs no answer any more.
func tellProposed(tx *models.Tx, c control.Locked, t Case, e Expectation) error {
	if err := notice.Settle(tx, notice.ExpectationWanted, t.versionKey(e.Version-1)); err != nil {
		return err
	}
	words := notice.Words{Title: fmt.Sprintf("Agree what “%s” of “%s” must show", t.Title, c.Name), Text: tx.By.Name + " proposed it: " + e.Expected}
	if !e.Applies {
		words.Text = tx.By.Name + " proposes that it does not apply: " + e.Reason
	}
	return notice.Tell(tx, notice.ExpectationWanted, []int64{c.OwnerID}, words, Path(c.Slug, t.Key), t.versionKey(e.Version))
}

func (c Case) versionKey(version int) string { return fmt.Sprintf("case %d version %d", c.ID, version) }

// tellRecorded asks the reviewer to accept or return a run, and says to
// everybody named that a discrepancy is open; a further failure of the same
// discrepancy is told as a run only.
func tellRecorded(tx *models.Tx, c control.Locked, t Case, r Run, outcome Outcome, discrepancy int64) error {
	what := fmt.Sprintf("“%s” of “%s”", t.Title, c.Name)
	words := notice.Words{Title: fmt.Sprintf("Review run %d of %s", r.ID, what), Text: fmt.Sprintf("%s recorded it as %s.", tx.By.Name, outcome)}
	if err := notice.Tell(tx, notice.RunToReview, []int64{c.ReviewerID}, words, RunPath(r.ID), runKey(r.ID)); err != nil || discrepancy == 0 {
		return err
	}
	words = notice.Words{Title: "A discrepancy is open: " + what, Text: fmt.Sprintf("Run %d did not show what was agreed. A passing retest that says what was corrected closes it.", r.ID)}
	return notice.Tell(tx, notice.DiscrepancyOpened, []int64{c.OwnerID, c.ImplementerID, c.ReviewerID}, words, RunPath(r.ID), discrepancyKey(discrepancy))
}

// settleReviewed takes out of inboxes what a review settled: the run, and the
// discrepancy that it closed (0: none).
func settleReviewed(tx *models.Tx, r Run, closed int64) error {
	if err := notice.Settle(tx, notice.RunToReview, runKey(r.ID)); err != nil || closed == 0 {
		return err
	}
	return notice.Settle(tx, notice.DiscrepancyOpened, discrepancyKey(closed))
}

func discrepancyKey(id int64) string { return fmt.Sprintf("discrepancy %d", id) }

func runKey(id int64) string { return fmt.Sprintf("run %d", id) }

// tellWaiver asks the business owner and the reviewer to sign a waiver.
func tellWaiver(tx *models.Tx, c control.Locked, t Case, w Waiver) error {
	words := notice.Words{Title: fmt.Sprintf("Sign or turn down the waiver of “%s” of “%s”", t.Title, c.Name), Text: fmt.Sprintf("%s asks for it until %s: %s", tx.By.Name, w.Until.Format("2 January 2006"), w.Reason)}
	return notice.Tell(tx, notice.SignatureWanted, []int64{c.OwnerID, c.ReviewerID}, words, Path(c.Slug, t.Key), waiverKey(w.ID))
}

func waiverKey(id int64) string { return fmt.Sprintf("waiver %d", id) }
