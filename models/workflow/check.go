package workflow

import (
	"strconv"
	"time"

	"countersign/models"
)

// A stale edit, in the words a person sees.
func stale(what string) error {
	return models.Conflictf("Somebody else changed this %s while you were editing. Both versions are here.", what)
}

// guarded turns the answer of an UPDATE ... WHERE id AND version into a
// Conflict when another change was first.
func guarded(what string, rows int64, err error) error {
	if err == nil && rows != 1 {
		return stale(what)
	}
	return err
}

// checkOptionalSlug checks a slug that is made from the name when left empty: a
// missing name is said once, at the name.
func checkOptionalSlug(c *models.Check, slug, name string) {
	if slug != "" || name != "" {
		c.Slug("slug", slug)
	}
}

// slugFor is the slug as typed, or one made from the name.
func slugFor(slug, name string) string {
	if slug = models.Clean(slug); slug == "" {
		slug = models.Slugify(name)
	}
	return slug
}

// required checks one line of text that must be there.
func required(c *models.Check, field, text string, max int, missing string) {
	if text == "" {
		c.Add(field, "%s", missing)
		return
	}
	c.Line(field, text, max)
}

// hours reads an optional whole number of hours up to max; nil when empty.
func hours(c *models.Check, field, text string, max int) *int {
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > max {
		c.Add(field, "Enter whole hours between 0 and %d.", max)
		return nil
	}
	return &n
}

// oneOf checks a choice that a form of ours offers.
func oneOf(c *models.Check, field, value string, options []string, missing string) {
	for _, o := range options {
		if o == value {
			return
		}
	}
	c.Add(field, "%s", missing)
}

func hoursText(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

func dateText(d *time.Time) string {
	if d == nil {
		return ""
	}
	return d.UTC().Format(time.DateOnly)
}

// today is the calendar date of at, in UTC.
func today(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

// checkedNote says who read the documentation and when, after an edit: a tick
// means by, today; a changed fact without a tick means nobody yet.
type checkedNote struct {
	On *time.Time
	By *int64
}

func (n checkedNote) after(tick, factsChanged bool, by models.Actor, at time.Time) checkedNote {
	switch {
	case tick:
		day := today(at)
		return checkedNote{On: &day, By: &by.ID}
	case factsChanged:
		return checkedNote{}
	}
	return n
}
