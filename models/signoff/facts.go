package signoff

import (
	"fmt"
	"time"

	"countersign/models/control"
	"countersign/models/matrix"

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
	rules, err := control.RulesOf(q, controlID)
	if err != nil {
		return f, err
	}
	f.Findings = rules.Findings
	if f.Broken, err = control.BrokenPairs(q, controlID); err != nil {
		return f, err
	}
	prints, err := content.Fingerprints()
	if err != nil {
		return f, err
	}
	if f.Cases, err = matrix.Standings(q, controlID, prints.Design); err != nil {
		return f, err
	}
	if f.Unrecorded, err = matrix.Unrecorded(q, controlID); err != nil {
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
	if f.Archived, err = archived(q, controlID, content, f); err != nil {
		return f, err
	}
	return f, nil
}

// archived lists what the content rests on that somebody took out of use.
func archived(q *gorm.DB, controlID int64, content control.Content, f Facts) (items []Item, err error) {
	var rows []struct{ Kind, Name, Path string }
	err = q.Raw(`select 'workflow' kind, w.name, '/workflows/' || w.slug path from controls c join workflows w on w.id = c.workflow_id where c.id = @id and w.archived_at is not null
		union all select 'environment', e.name, '/admin/environments/' || e.slug from control_accounts a join environments e on e.id = a.environment_id
			where a.control_id = @id and e.archived_at is not null
		union all select 'destination', d.system || ', ' || d.account, '/destinations/' || d.slug from control_accounts a join destinations d on d.id = a.destination_id
			where a.control_id = @id and d.archived_at is not null
		order by 1, 2`, map[string]any{"id": controlID}).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		items = append(items, Item{fmt.Sprintf("The %s %s is archived. Restore it first.", r.Kind, r.Name), r.Path})
	}
	for _, o := range content.Operations {
		var gone bool
		err := q.Raw(`select exists (select 1 from operations o join destinations d on d.id = o.destination_id
			where d.slug = ? and o.slug = ? and o.archived_at is not null)`, o.Destination, o.Operation).Row().Scan(&gone)
		if err != nil {
			return nil, err
		}
		if gone {
			items = append(items, Item{fmt.Sprintf("The operation %s is archived. Choose another.", o.Name), f.link("operation")})
		}
	}
	return items, nil
}
