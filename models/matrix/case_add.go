package matrix

import (
	"context"
	"fmt"

	"countersign/models"
	"countersign/models/control"
)

// AddCase adds a scenario of its own. On a decided control it opens the next
// draft. NotFound, Forbidden, Conflict while in review. Invalid fields: title,
// needs.
func AddCase(ctx context.Context, db *models.DB, by models.Actor, cmd AddCaseCmd) (Added, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Added, error) {
		c, err := control.Lock(tx, cmd.Control)
		if err != nil {
			return Added{}, err
		}
		if err := MayAdd(by, c.Parties()); err != nil {
			return Added{}, err
		}
		if err := editable(tx.DB, c); err != nil {
			return Added{}, err
		}
		title, needs, err := cmd.check()
		if err != nil {
			return Added{}, err
		}
		key, err := freeKey(tx, c.ID, title)
		if err != nil {
			return Added{}, err
		}
		return addCase(tx, c, key, title, needs)
	})
}

func (cmd AddCaseCmd) check() (title string, needs []string, err error) {
	var check models.Check
	title, needs = models.Clean(cmd.Title), needsOf(cmd.Needs)
	check.Required("title", title, 200, "Enter what the scenario is called, such as Cancelled while waiting.")
	check.Line("title", title, 200)
	switch {
	case len(needs) == 0:
		check.Add("needs", "Enter the evidence that a passed run must have, one item a line.")
	case len(needs) > maxNeeds:
		check.Add("needs", "Keep this to %d items. There are %d.", maxNeeds, len(needs))
	}
	for _, need := range needs {
		check.Line("needs", need, 200)
	}
	return title, needs, check.Err()
}

// freeKey makes the key of a custom scenario from its title.
func freeKey(tx *models.Tx, controlID int64, title string) (string, error) {
	base := models.Slugify(title)
	if base == "" {
		base = "scenario"
	}
	base = base[:min(len(base), 70)]
	for n := 1; ; n++ {
		key := models.Slugify(base)
		if n > 1 {
			key = fmt.Sprintf("%s-%d", key, n)
		}
		var taken bool
		if err := tx.Raw("select exists (select 1 from test_cases where control_id = ? and key = ?)", controlID, key).Row().Scan(&taken); err != nil || !taken {
			return key, err
		}
	}
}

func addCase(tx *models.Tx, c control.Locked, key, title string, needs []string) (Added, error) {
	if _, err := control.Edit(tx, c); err != nil {
		return Added{}, err
	}
	forPerson, _ := party(tx.By, c.Parties())
	t := Case{Key: key, Title: title, Custom: true}
	err := tx.Raw(`insert into test_cases (control_id, key, position, title, custom, needs, created_by, created_for, created_at)
		select ?, ?, max(position) + 1, ?, true, ?::jsonb, ?, ?, ? from test_cases where control_id = ? returning id`,
		c.ID, key, title, jsonList(needs), tx.By.ID, orNull(forPerson), tx.Now, c.ID).Row().Scan(&t.ID)
	if err != nil {
		return Added{}, err
	}
	tx.AuditFor(forPerson, "scenario.added", t.object(c), nil, map[string]any{"title": title, "needs": needs})
	return Added{Key: key, Title: title}, settle(tx, c.ID)
}
