package signoff

import (
	"fmt"
	"time"

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
	rules, err := control.RulesOf(q, controlID)
	if err != nil {
		return f, err
	}
	f.Findings = rules.Findings
	if f.Broken, err = control.BrokenPairs(q, controlID); err != nil {
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
