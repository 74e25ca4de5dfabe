package signoff

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// loadFacts gathers what submission or approval of content is decided from.
func loadFacts(q *gorm.DB, controlID int64, slug string, content control.Content, now time.Time) (Facts, error) {
	f := Facts{Path: "/controls/" + slug, Content: content, Now: now}
	var err error
	if f.Questions, err = control.OpenQuestions(q, controlID); err != nil {
		return f, err
	}
	parties := partiesOf(content.People)
	for _, slot := range Slots {
		id := slot.person(parties).ID
		if id == 0 {
			continue
		}
		var p struct {
			Name          string
			Active, Holds bool
		}
		err := q.Raw(`select name, active, exists (select 1 from role_grants g where g.person_id = p.id and g.role = ?) as holds
			from people p where id = ?`, slot, id).Scan(&p).Error
		if err != nil {
			return f, err
		}
		switch {
		case !p.Active:
			f.Unable = append(f.Unable, fmt.Sprintf("%s, the %s, no longer has an active account.", p.Name, slot.Words()))
		case !p.Holds:
			f.Unable = append(f.Unable, fmt.Sprintf("%s no longer holds the role %s.", p.Name, slot.Words()))
		}
	}
	return f, nil
}

// LoadReadiness lists what submitting the control's answers, as they stand,
// needs. NotFound.
func LoadReadiness(ctx context.Context, db *models.DB, slug string) ([]Condition, error) {
	q := db.Query(ctx)
	var c struct {
		ID  int64
		Now time.Time
	}
	r := q.Raw("select id, now() as now from controls where slug = ?", control.Plain(slug)).Scan(&c)
	if r.Error != nil {
		return nil, r.Error
	}
	if r.RowsAffected == 0 {
		return nil, models.NotFoundf("There is no control named “%s”.", control.Plain(slug))
	}
	content, err := control.Snapshot(q, c.ID, nil)
	if err != nil {
		return nil, err
	}
	f, err := loadFacts(q, c.ID, slug, content, c.Now)
	return Readiness(f), err
}
