package workflow

import (
	"context"
	"strings"

	"countersign/models"

	"gorm.io/gorm"
)

// PolicyRow is one escalation policy in the list.
type PolicyRow struct {
	Policy
	Levels    int
	First     string // who is asked first
	Workflows int    // not archived ones that chose it
	Gone      int    // places of its newest version that nobody can fill: who left, or lost the role
}

// ListPolicies returns policies by name.
func ListPolicies(ctx context.Context, db *models.DB, f Filter) (models.Page[PolicyRow], error) {
	q := db.Query(ctx).Table("escalation_policies p").Select(`p.*,
			(select count(*) from policy_levels l where l.version_id = v.id) as levels,
			(select coalesce(string_agg(x.name, ', ' order by x.name, x.id), '') from level_people lp join people x on x.id = lp.person_id where lp.version_id = v.id and lp.level = 1) as first,
			(select count(*) from workflows w where w.escalation_policy_id = p.id and w.archived_at is null) as workflows,
			(select count(*) from level_people lp join people x on x.id = lp.person_id where lp.version_id = v.id
				and not (x.active and exists (select 1 from role_grants g where g.person_id = x.id and g.role = 'approver'))) as gone`).
		Joins("join policy_versions v on v.policy_id = p.id and v.number = p.latest").
		Where("p.archived_at " + f.archived())
	return models.Keyset(q, f.After, models.PageSize, models.Order{Columns: []string{"p.name", "p.id"}},
		func(r PolicyRow) []any { return []any{r.Name, r.ID} })
}

// PolicyDetails is everything the page of one policy shows.
type PolicyDetails struct {
	Policy
	Versions  []PolicyVersion // newest first
	More      bool            // older versions are only in the audit log
	Users     []PolicyUser    // not archived workflows that chose it
	MoreUsers bool
}

// PolicyUser is a workflow that chose a policy.
type PolicyUser struct{ Slug, Name string }

// Current is the newest version.
func (d PolicyDetails) Current() PolicyVersion { return d.Versions[0] }

// FindPolicy returns the policy with slug and its versions; NotFound.
func FindPolicy(ctx context.Context, db *models.DB, slug string) (PolicyDetails, error) {
	var d PolicyDetails
	q := db.Query(ctx)
	if err := q.Raw("select * from escalation_policies where slug = ?", slug).Scan(&d.Policy).Error; err != nil {
		return d, err
	}
	if d.ID == 0 {
		return d, models.NotFoundf("There is no such escalation policy.")
	}
	var err error
	if d.Versions, err = versions(q, "v.policy_id = ? order by v.number desc limit ?", d.ID, shown+1); err != nil {
		return d, err
	}
	d.Versions, d.More = cut(d.Versions)
	if err := q.Raw("select slug, name from workflows where escalation_policy_id = ? and archived_at is null order by name, id limit ?", d.ID, shown+1).Scan(&d.Users).Error; err != nil {
		return d, err
	}
	d.Users, d.MoreUsers = cut(d.Users)
	return d, nil
}

// LoadPolicyVersion is one version with its people as they stand today; NotFound.
func LoadPolicyVersion(q *gorm.DB, policy int64, number int) (PolicyVersion, error) {
	found, err := versions(q, "v.policy_id = ? and v.number = ?", policy, number)
	if err != nil {
		return PolicyVersion{}, err
	}
	if len(found) == 0 {
		return PolicyVersion{}, models.NotFoundf("This escalation policy has no version %d.", number)
	}
	return found[0], nil
}

// PolicyVersionByID is LoadPolicyVersion by the version's own id; NotFound.
func PolicyVersionByID(q *gorm.DB, id int64) (PolicyVersion, error) {
	found, err := versions(q, "v.id = ?", id)
	if err != nil {
		return PolicyVersion{}, err
	}
	if len(found) == 0 {
		return PolicyVersion{}, models.NotFoundf("There is no such version of an escalation policy.")
	}
	return found[0], nil
}

// versions reads versions with their levels and people in two statements.
func versions(q *gorm.DB, where string, args ...any) ([]PolicyVersion, error) {
	var rows []struct {
		PolicyVersion `gorm:"embedded"`
		Days          string
		Opens, Closes int
		TimeZone      string
	}
	err := q.Raw(`select v.id, v.number, v.expiry_days, v.authorization_minutes, v.days, coalesce(v.opens, 0) as opens, coalesce(v.closes, 0) as closes, v.time_zone, v.at, p.name as by
		from policy_versions v join people p on p.id = v.person_id where `+where, args...).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	all, ids, at := make([]PolicyVersion, len(rows)), make([]int64, len(rows)), map[int64]*PolicyVersion{}
	for i, r := range rows {
		r.PolicyVersion.Hours = Hours{Days: daysFrom(r.Days), Opens: r.Opens, Closes: r.Closes, Zone: r.TimeZone}
		all[i], ids[i] = r.PolicyVersion, r.ID
		at[r.ID] = &all[i]
	}
	var people []struct {
		VersionID             int64
		Level, RespondMinutes int
		LevelPerson           `gorm:"embedded"`
	}
	err = q.Raw(`select l.version_id, l.number as level, l.respond_minutes, p.id, p.name, p.email, p.active,
			exists (select 1 from role_grants g where g.person_id = p.id and g.role = 'approver') as holds
		from policy_levels l join level_people lp on lp.version_id = l.version_id and lp.level = l.number join people p on p.id = lp.person_id
		where l.version_id in ? order by l.version_id, l.number, p.name, p.id`, ids).Scan(&people).Error
	for _, p := range people {
		v := at[p.VersionID]
		if n := len(v.Levels); n == 0 || v.Levels[n-1].Number != p.Level {
			v.Levels = append(v.Levels, Level{Number: p.Level, RespondMinutes: p.RespondMinutes})
		}
		l := &v.Levels[len(v.Levels)-1]
		l.People = append(l.People, p.LevelPerson)
	}
	return all, err
}

// PolicyChoice is an escalation policy that a form offers.
type PolicyChoice struct {
	ID         int64
	Slug, Name string
	Latest     int
}

// PolicyChoices are the policies that are not archived, by name, and the one
// with id wanted whether it is or not; 0 wants none.
func PolicyChoices(ctx context.Context, db *models.DB, wanted int64) ([]PolicyChoice, error) {
	var rows []PolicyChoice
	err := db.Query(ctx).Raw(`select id, slug, name, latest from escalation_policies where archived_at is null or id = ?
		order by id = ? desc, name, id limit ?`, wanted, wanted, choices).Scan(&rows).Error
	return rows, err
}

// VersionChosen is the version of a policy that a control names, with its
// policy's name; ok is false when there is none, or the policy is archived.
func VersionChosen(q *gorm.DB, r PolicyVersionRef) (name string, v PolicyVersion, ok bool, err error) {
	var p Policy
	if err := q.Raw("select * from escalation_policies where slug = ? and archived_at is null", strings.ToLower(r.Slug)).Scan(&p).Error; err != nil || p.ID == 0 {
		return "", v, false, err
	}
	v, err = LoadPolicyVersion(q, p.ID, r.Number)
	if models.IsKind(err, models.KindNotFound) {
		return "", v, false, nil
	}
	return p.Name, v, err == nil, err
}
