package workflow

import (
	"time"

	"countersign/models"
)

// Environment is where a workflow runs. Slug never changes: it is part of every key.
type Environment struct {
	ID               int64
	Slug             string
	Name             string
	Kind             string
	SaidToReach      bool `gorm:"column:reaches_customers"` // as an admin said; ask ReachesCustomers
	ReachSetBy       int64
	ReachConfirmedBy *int64
	ReachConfirmedAt *time.Time
	ArchivedAt       *time.Time
	Version          int64
}

// Kinds of environment.
const (
	KindTest       = "test"
	KindProduction = "production"
)

// Whether an environment can reach real customers, as a form sends it.
const (
	ReachCan    = "can"
	ReachCannot = "cannot"
)

// ReachesCustomers is the rule everything else goes by: until somebody else
// confirmed that an environment cannot reach customers, it counts as reaching them.
func (e Environment) ReachesCustomers() bool { return e.SaidToReach || e.ReachConfirmedBy == nil }

// Confirmed reports whether a business owner confirmed what the admin said.
func (e Environment) Confirmed() bool { return e.ReachConfirmedBy != nil }

// ReachWords says what is known about reaching customers.
func (e Environment) ReachWords() string {
	switch {
	case e.SaidToReach && e.Confirmed():
		return "Can reach real customers"
	case e.SaidToReach:
		return "Can reach real customers, not yet confirmed"
	case e.Confirmed():
		return "Cannot reach real customers"
	default:
		return "Said not to reach real customers, not yet confirmed. Counts as reaching them"
	}
}

// Reach is what an admin said, as a form sends it.
func (e Environment) Reach() string {
	if e.SaidToReach {
		return ReachCan
	}
	return ReachCannot
}

// EnvironmentFacts are what an admin edits.
type EnvironmentFacts struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Reach string `json:"reach"`
}

// Facts returns what can be edited about e.
func (e Environment) Facts() EnvironmentFacts {
	return EnvironmentFacts{Name: e.Name, Kind: e.Kind, Reach: e.Reach()}
}

func (f *EnvironmentFacts) clean() { f.Name = models.Clean(f.Name) }

func (f EnvironmentFacts) check(c *models.Check) {
	required(c, "name", f.Name, 200, "Enter a name.")
	oneOf(c, "kind", f.Kind, []string{KindTest, KindProduction}, "Choose test or production.")
	oneOf(c, "reach", f.Reach, []string{ReachCan, ReachCannot}, "Say whether it can reach real customers.")
}

// checkReach refuses to take back that customers can be reached.
func (e Environment) checkReach(c *models.Check, reach string) {
	if e.SaidToReach && reach == ReachCannot {
		c.Add("reach", "Leave this as it is. An environment that could once reach customers stays so, because its keys and records do. Make a new environment instead.")
	}
}

func (e Environment) object() models.Object {
	return models.Object{Type: "environment", ID: e.ID, Label: e.Name, Path: EnvironmentPath(e.Slug)}
}

// EnvironmentPath is the page of the environment with slug.
func EnvironmentPath(slug string) string { return "/admin/environments/" + slug }
