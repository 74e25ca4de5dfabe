package signoff

import (
	"fmt"
	"time"

	"countersign/models/control"

	"gorm.io/gorm"
)

// inForce reads the revision that was approved last; nil when none ever was.
func inForce(q *gorm.DB, controlID int64) (*Approved, error) {
	var r struct {
		ID     int64
		Number int
	}
	done := q.Raw("select r.id, r.number from controls c join revisions r on r.id = c.approved_revision_id where c.id = ?", controlID).Scan(&r)
	if done.Error != nil || done.RowsAffected == 0 {
		return nil, done.Error
	}
	content, err := control.FrozenContent(q, r.ID)
	return &Approved{Number: r.Number, Content: content}, err
}

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
		another := fmt.Sprintf(" Name another %s.", slot.Words())
		switch {
		case !p.Active:
			f.Unable = append(f.Unable, Item{p.Name + " no longer has an active account." + another, f.link(string(slot))})
		case !p.Holds:
			f.Unable = append(f.Unable, Item{fmt.Sprintf("%s no longer holds the role %s.", p.Name, slot.Words()) + another, f.link(string(slot))})
		}
	}
	return f, nil
}
