package control

import (
	"context"
	"slices"

	"countersign/models"
	"countersign/models/identity"

	"gorm.io/gorm"
)

// Lab is what the identity lab knows of one control.
type Lab struct {
	ID           int64
	Slug, Name   string
	Effect       string
	Parties      Parties
	Rules        Rules
	Versions     map[identity.Kind]int // of the rules that are written
	Environments []Ref                 // where the control acts
	Accounts     []Ref                 // where it acts there, one for each environment, in their order
	Pairs        []Pair                // archived ones last
	Suggestions  []identity.Suggestion
}

// LoadLab reads the control that the lab compares under. NotFound.
func LoadLab(ctx context.Context, db *models.DB, slug string) (Lab, error) {
	q := db.Query(ctx)
	d, _, err := loadFrame(q, slug)
	if err != nil {
		return Lab{}, err
	}
	lab := Lab{ID: d.ID, Slug: d.Slug, Name: d.Name, Effect: d.Effect, Parties: d.Parties, Versions: map[identity.Kind]int{}}
	answers, err := current(q, d.ID)
	if err != nil {
		return lab, err
	}
	if lab.Rules, err = readRules(q, d.ID, answers); err != nil {
		return lab, err
	}
	for _, f := range ruleFields {
		if _, ok := answers[f.Field].Rule(); ok {
			lab.Versions[f.Kind] = answers[f.Field].Version
		}
	}
	if err := lab.loadPlaces(q); err != nil {
		return lab, err
	}
	version := ""
	if lab.Rules.Sender != nil {
		version = lab.Rules.Sender.VersionField
	}
	lab.Suggestions = identity.Suggest(lab.Rules.Rules, version)
	lab.Pairs, err = pairsOf(q, d.ID, true)
	return lab, err
}

func (l *Lab) loadPlaces(q *gorm.DB) error {
	var rows []struct{ EnvironmentSlug, EnvironmentName, DestinationSlug, System, Account string }
	err := q.Raw(`select e.slug as environment_slug, e.name as environment_name, d.slug as destination_slug, d.system, d.account
		from control_accounts a join environments e on e.id = a.environment_id join destinations d on d.id = a.destination_id
		where a.control_id = ? order by e.kind desc, e.name, e.id`, l.ID).Scan(&rows).Error
	for _, r := range rows {
		l.Environments = append(l.Environments, Ref{Slug: r.EnvironmentSlug, Name: r.EnvironmentName})
		l.Accounts = append(l.Accounts, Ref{Slug: r.DestinationSlug, Name: r.System + ", " + r.Account})
	}
	return err
}

// CheckPlaces notes an account that is chosen with another environment's name: a
// control acts at one account in each environment, so that is no place at all.
// Made-up environments and accounts go with everything.
func (l Lab) CheckPlaces(p Pair) error {
	var c models.Check
	for _, side := range []struct{ field, environment, account string }{{"account_a", p.EnvironmentA, p.AccountA}, {"account_b", p.EnvironmentB, p.AccountB}} {
		here := slices.IndexFunc(l.Environments, func(r Ref) bool { return r.Slug == side.environment })
		there := slices.IndexFunc(l.Accounts, func(r Ref) bool { return r.Slug == side.account })
		if here >= 0 && there >= 0 && here != there {
			c.Add(side.field, "Choose %s, which is the account in %s, or another account. %s is the account in %s.",
				l.Accounts[here].Name, l.Environments[here].Name, l.Accounts[there].Name, l.Environments[there].Name)
		}
	}
	return c.Err()
}

// ControlChoices are the controls that the lab offers, by name. more: there are
// too many for a select, and these are the first.
func ControlChoices(ctx context.Context, db *models.DB) (list []Ref, more bool, err error) {
	err = db.Query(ctx).Raw("select id, slug, name from controls order by name, id limit ?", maxChoices+1).Scan(&list).Error
	if more = len(list) > maxChoices; more {
		list = list[:maxChoices]
	}
	return list, more, err
}
