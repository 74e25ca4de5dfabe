package control

import (
	"fmt"
	"strings"

	"countersign/models"

	"gorm.io/gorm"
)

// CasePrefix starts the thread field of a test case; its key follows.
const CasePrefix = "case."

// ThreadPath is the page that shows the thread of a field, or of a test case.
func ThreadPath(slug, field string) string { return threadPath(slug, field, "") }

// ReplyPath is ThreadPath with the form open that replies to comment id.
func ReplyPath(slug, field string, id int64) string {
	return threadPath(slug, field, fmt.Sprintf("?reply=%d", id))
}

// TalkPath is ThreadPath with the form open that asks or comments.
func TalkPath(slug, field string) string {
	if key, ok := strings.CutPrefix(field, CasePrefix); ok {
		return threadPath(slug, field, "?do=talk&case="+key)
	}
	return threadPath(slug, field, "?talk="+field)
}

func threadPath(slug, field, query string) string {
	if key, ok := strings.CutPrefix(field, CasePrefix); ok {
		return "/controls/" + slug + "/matrix" + query + "#c-" + key
	}
	return "/controls/" + slug + query + "#f-" + field
}

// Threads are the questions and comments of each field and test case, oldest
// first.
func Threads(q *gorm.DB, controlID int64) (map[string][]Comment, error) { return threads(q, controlID) }

// Edit returns the draft that a change beside the answers belongs to, opening
// the next one when the latest revision was decided, and makes forms that were
// opened before it stale. The caller holds the lock. Conflict while in review.
func Edit(tx *models.Tx, c Locked) (Revision, error) {
	draft, opened, err := ensureDraft(tx, c)
	if err != nil {
		return draft, err
	}
	if opened {
		if _, err := settle(tx, c, draft.ID, standsFor(tx.By, c.Parties())); err != nil {
			return draft, err
		}
		if err := Recount(tx, c.ID); err != nil {
			return draft, err
		}
	}
	return draft, tx.Exec("update revisions set version = version + 1 where id = ?", draft.ID).Error
}
