package matrix

import (
	"countersign/models"
	"countersign/models/control"
)

// place finds where the watched effects happen in the environment.
func (s *started) place(tx *models.Tx, check *models.Check, slug string, e *Expectation) error {
	var env placeRow
	found, err := one(tx.Raw(selectPlace+"where e.slug = ? for share", control.Plain(slug)), &env)
	if err != nil {
		return err
	}
	if !found {
		check.Add("environment", "Choose where the run happens.")
		return nil
	}
	if refusal := env.refusal(); refusal != nil {
		check.Add("environment", "%s", refusal.Error())
		return nil
	}
	s.Environment, s.Destinations = env.ID, map[int64]int64{}
	var ids []int64
	for _, f := range e.Effects {
		ids = append(ids, f.ControlID)
	}
	var rows []struct{ ControlID, DestinationID int64 }
	if err := tx.Raw("select control_id, destination_id from control_accounts where environment_id = ? and control_id in ?", env.ID, ids).Scan(&rows).Error; err != nil {
		return err
	}
	for _, r := range rows {
		s.Destinations[r.ControlID] = r.DestinationID
	}
	for _, f := range e.Effects {
		if s.Destinations[f.ControlID] == 0 {
			check.Add("environment", "%s does not act in %s. Choose an environment where every watched effect has its account.", f.Name, env.Name)
			return nil
		}
	}
	return nil
}

// placeRow is an environment as a run needs it.
type placeRow struct {
	ID               int64
	Slug, Name       string
	ReachesCustomers bool
	Confirmed        bool
	Archived         bool
}

const selectPlace = `select e.id, e.slug, e.name, e.reaches_customers, e.reach_confirmed_at is not null as confirmed, e.archived_at is not null as archived from environments e `

// refusal says why no run can be made in the environment; nil when one can.
func (p placeRow) refusal() error {
	switch {
	case p.Archived:
		return models.Conflictf("%s is archived. Choose another environment.", p.Name)
	case p.ReachesCustomers:
		return models.Conflictf("%s can reach real customers. Choose an environment that cannot.", p.Name)
	case !p.Confirmed:
		return models.Conflictf("Nobody has confirmed yet that %s cannot reach real customers.", p.Name)
	}
	return nil
}
