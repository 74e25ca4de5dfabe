package workflow

import (
	"fmt"
	"strings"
	"time"

	"countersign/models"
)

// Policy is who decides replay requests, level by level. What it says is in its
// versions, which never change; slug never changes either.
type Policy struct {
	ID         int64
	Slug       string
	Name       string
	Latest     int // the number of its newest version
	ArchivedAt *time.Time
	Version    int64
}

// PolicyVersion is what a policy says from one edit to the next.
type PolicyVersion struct {
	ID                   int64
	Number               int
	ExpiryDays           int     // an undecided request expires after this
	AuthorizationMinutes int     // an approval that nobody starts lapses after this
	Hours                Hours   `gorm:"-"`
	Levels               []Level `gorm:"-"` // in order; one at least
	By                   string
	At                   time.Time
}

// Level is the people who are asked at the same time, and for how long before
// the next level is asked too.
type Level struct {
	Number         int
	RespondMinutes int // of the policy's hours
	People         []LevelPerson
}

// LevelPerson is somebody on a level, as they stand today.
type LevelPerson struct {
	ID          int64
	Name, Email string
	Active      bool
	Holds       bool // the role approver
}

// Able reports whether the person may decide.
func (p LevelPerson) Able() bool { return p.Active && p.Holds }

// WhyNot says why a person of a level is skipped, "" when they are not.
func (p LevelPerson) WhyNot() string {
	switch {
	case !p.Active:
		return p.Name + " is no longer active."
	case !p.Holds:
		return p.Name + " no longer holds the role approver."
	}
	return ""
}

// Able reports whether anybody of the level may decide.
func (l Level) Able() bool {
	for _, p := range l.People {
		if p.Able() {
			return true
		}
	}
	return false
}

// Names are the people of the level in one line.
func (l Level) Names() string {
	names := make([]string, len(l.People))
	for i, p := range l.People {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

// Words say the version in lines, the way a control keeps it.
func (v PolicyVersion) Words(name string) string {
	lines := []string{fmt.Sprintf("%s, version %d", name, v.Number)}
	for _, l := range v.Levels {
		lines = append(lines, fmt.Sprintf("Level %d: %s within %s", l.Number, l.Names(), MinutesWords(l.RespondMinutes)))
	}
	lines = append(lines, v.Hours.Words(), fmt.Sprintf("An undecided request expires after %s, an approval that nobody starts after %s", daysOf(v.ExpiryDays), MinutesWords(v.AuthorizationMinutes)))
	return strings.Join(lines, ".\n") + "."
}

func daysOf(n int) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}

// PolicyVersionRef names one version of one policy: "service-request-replays@3".
type PolicyVersionRef struct {
	Slug   string
	Number int
}

func (r PolicyVersionRef) String() string {
	if r.Slug == "" {
		return ""
	}
	return fmt.Sprintf("%s@%d", r.Slug, r.Number)
}

// ParsePolicyVersion reads what String writes; ok is false for anything else.
func ParsePolicyVersion(text string) (r PolicyVersionRef, ok bool) {
	slug, number, ok := strings.Cut(text, "@")
	if _, err := fmt.Sscanf(number, "%d", &r.Number); !ok || err != nil || r.Number < 1 {
		return PolicyVersionRef{}, false
	}
	r.Slug = slug
	return r, r.String() == text
}

func (p Policy) object() models.Object {
	return models.Object{Type: "policy", ID: p.ID, Label: p.Name, Path: PolicyPath(p.Slug)}
}

// PolicyPath is the page of the escalation policy with slug.
func PolicyPath(slug string) string { return "/admin/policies/" + slug }
