package notice

import (
	"context"
	"encoding/json"
	"slices"

	"countersign/models"
)

// Chosen is when a person wants e-mail, by key of Group. It has every group.
type Chosen struct {
	ByGroup map[string]Choice
	Version int64 // 0: never changed
}

// MailChoices returns what a person chose; the defaults where they did not.
func MailChoices(ctx context.Context, db *models.DB, personID int64) (Chosen, error) {
	var r struct {
		Choices string
		Version int64
	}
	if err := db.Query(ctx).Raw("select choices::text as choices, version from mail_choices where person_id = ?", personID).Scan(&r).Error; err != nil {
		return Chosen{}, models.Classify(err)
	}
	return chosen(r.Choices, r.Version)
}

func chosen(stored string, version int64) (Chosen, error) {
	c := Chosen{ByGroup: map[string]Choice{}, Version: version}
	for _, g := range Groups {
		c.ByGroup[g.Key] = g.Default
	}
	if stored == "" {
		return c, nil
	}
	return c, json.Unmarshal([]byte(stored), &c.ByGroup)
}

// ChooseMailCmd says when a person wants e-mail about each group.
type ChooseMailCmd struct {
	models.Once
	PersonID int64
	Version  int64 // as the person saw it
	ByGroup  map[string]Choice
}

// Object names the person when the command is refused.
func (c ChooseMailCmd) Object() models.Object {
	return models.Object{Type: "person", ID: c.PersonID, Label: "e-mail choices", Path: "/account"}
}

// ChooseMail keeps a person's own choices. Forbidden for anybody else's;
// Invalid for a group or choice that does not exist; Conflict when they were
// changed since the person saw them.
func ChooseMail(ctx context.Context, db *models.DB, by models.Actor, cmd ChooseMailCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if by.ID == 0 || by.ID != cmd.PersonID {
			return 0, models.Forbiddenf("You may only choose for your own e-mail.")
		}
		if err := tx.Exec("select 1 from people where id = ? for update", by.ID).Error; err != nil {
			return 0, err
		}
		if err := cmd.check(); err != nil {
			return 0, err
		}
		var was struct {
			Choices string
			Version int64
		}
		if err := tx.Raw("select choices::text as choices, version from mail_choices where person_id = ?", by.ID).Scan(&was).Error; err != nil {
			return 0, err
		}
		if was.Version != cmd.Version {
			return 0, models.Conflictf("You changed this in another window. Look at what is there now, then choose again.")
		}
		before, err := chosen(was.Choices, was.Version)
		if err != nil {
			return 0, err
		}
		now, err := json.Marshal(cmd.ByGroup)
		if err != nil {
			return 0, err
		}
		tx.Audit("person.mail_chosen", models.Object{Type: "person", ID: by.ID, Label: by.Name, Path: "/account"}, before.ByGroup, cmd.ByGroup)
		return was.Version + 1, tx.Exec(`insert into mail_choices (person_id, choices) values (?, ?::jsonb)
			on conflict (person_id) do update set choices = excluded.choices, version = mail_choices.version + 1`, by.ID, string(now)).Error
	})
}

// check wants one existing choice for each group, and nothing else.
func (cmd ChooseMailCmd) check() error {
	var c models.Check
	for _, g := range Groups {
		if !slices.Contains(Choices, cmd.ByGroup[g.Key]) {
			c.Add("mail_"+g.Key, "Choose when you want e-mail about this.")
		}
	}
	if c.Err() == nil && len(cmd.ByGroup) != len(Groups) {
		return models.BadRequestf("This form has a choice that no page of ours offers.")
	}
	return c.Err()
}
