package replay

import (
	"fmt"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/notice"
	"countersign/models/workflow"
)

// Title asks what an approver decides: “Try ‘Create CRM task’ again for
// request-demo-01?”
func Title(f ledger.Facts) string {
	if f.Record == "" {
		return fmt.Sprintf("Try “%s” again for action %d?", f.ControlName, f.Action)
	}
	return fmt.Sprintf("Try “%s” again for %s?", f.ControlName, f.Record)
}

// tellLevels tells the people of the levels from first up to the one reached,
// and notes when. The request's version is part of the key: whoever was told
// before evidence was wanted is told again when it is there.
func tellLevels(tx *models.Tx, r Request, f ledger.Facts, levels []workflow.Level, first int, event notice.Event) error {
	for _, l := range levels {
		if l.Number < first || l.Number > r.Level {
			continue
		}
		var people []int64
		for _, p := range l.People {
			if p.Able() && p.ID != r.AskedBy && p.ID != r.AskedFor {
				people = append(people, p.ID)
			}
		}
		words := notice.Words{Title: Title(f), Text: fmt.Sprintf("%s: level %d is asked. %s %s", r.Ref(), l.Number, r.Reason, r.Uncertain)}
		if err := notice.Tell(tx, event, people, words, Path(r.Ref()), fmt.Sprintf("%s version %d level %d", r.Ref(), r.Version, l.Number)); err != nil {
			return err
		}
		if err := tx.Exec("update request_levels set told_at = ? where request_id = ? and number = ? and told_at is null", tx.Now, r.ID, l.Number).Error; err != nil {
			return err
		}
	}
	return nil
}

// tellAskers tells who asked, and the workflow's implementer, what became of a request.
func tellAskers(tx *models.Tx, r Request, p Parties, event notice.Event, title, text string) error {
	people := append([]int64{p.Implementer}, p.Asked...)
	return notice.Tell(tx, event, people, notice.Words{Title: title, Text: text}, Path(r.Ref()), fmt.Sprintf("%s %s %d", r.Ref(), r.State, r.Version))
}
