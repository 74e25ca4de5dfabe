package models

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Check collects what must change in a form, so that a person sees all of it at
// once. The zero value is ready.
type Check struct{ fields []FieldError }

// Add notes that field must change.
func (c *Check) Add(field, format string, args ...any) {
	c.fields = append(c.fields, FieldError{field, fmt.Sprintf(format, args...)})
}

// Err is nil, or an Invalid with every field noted.
func (c *Check) Err() error {
	if len(c.fields) == 0 {
		return nil
	}
	return &Error{Kind: KindInvalid, Message: c.fields[0].Message, Fields: c.fields}
}

// Required notes "missing" when text is empty, and otherwise checks it like Text.
func (c *Check) Required(field, text string, max int, missing string) {
	if !Visible(text) {
		c.Add(field, "%s", missing)
		return
	}
	c.Text(field, text, max)
}

// Text checks that text is clean Unicode of at most max characters: no control
// characters besides line breaks and tabs.
func (c *Check) Text(field, text string, max int) {
	switch {
	case !utf8.ValidString(text):
		c.Add(field, "Remove the characters that are not valid text.")
	case strings.ContainsFunc(text, hidden):
		c.Add(field, "Remove the control characters. They cannot be seen or saved.")
	case utf8.RuneCountInString(text) > max:
		c.Add(field, "Shorten this to %d characters. It has %d.", max, utf8.RuneCountInString(text))
	}
}

// Line is Text for a value that must stay on one line.
func (c *Check) Line(field, text string, max int) {
	if strings.ContainsAny(text, "\n\r\t") {
		c.Add(field, "Keep this on one line.")
		return
	}
	c.Text(field, text, max)
}

// Visible reports whether text has anything to see.
func Visible(text string) bool { return strings.ContainsFunc(text, visible) }

// visible reports whether r leaves a mark: zero-width and filler characters don't.
func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != 0x3164 && r != 0x115f && r != 0x1160 && r != 0xffa0 && r != 0x2800
}

// Hidden direction overrides could make a text read differently from what it is.
func hidden(r rune) bool {
	return (unicode.IsControl(r) && r != '\n' && r != '\t') || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069)
}

var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Slug checks a short name for URLs and keys: lower-case words joined by hyphens.
func (c *Check) Slug(field, slug string) {
	switch {
	case slug == "":
		c.Add(field, "Enter a short name, such as service-request.")
	case !slugPattern.MatchString(slug) || len(slug) > 80:
		c.Add(field, "Use lower-case letters, digits and single hyphens, 80 at most, such as service-request.")
	case slices.Contains(reserved, slug):
		c.Add(field, "Choose another short name. “%s” is the address of a page of its own.", slug)
	}
}

// reserved are last parts of addresses that lists keep for themselves.
var reserved = []string{"new", "edit", "lab", "catalogue"}

// URL checks an optional web address.
func (c *Check) URL(field, text string) {
	if text == "" {
		return
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || len(text) > 2000 {
		c.Add(field, "Enter a web address that starts with https://")
		return
	}
	c.Line(field, text, 2000)
}

// Date reads an optional calendar date as browsers send it (2026-05-31), in UTC.
func (c *Check) Date(field, text string) *time.Time {
	if text == "" {
		return nil
	}
	d, err := time.Parse(time.DateOnly, text)
	if err != nil || d.Year() < 2000 || d.Year() > 2199 {
		c.Add(field, "Enter a date as year-month-day, such as 2026-05-31.")
		return nil
	}
	return &d
}

// Clean trims text and gives every line break one form. Checks come after it.
func Clean(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
}

// Slugify proposes a slug for a name; "" when nothing is left of it.
func Slugify(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	s := b.String()
	if len(s) > 80 {
		s = s[:80]
	}
	return strings.Trim(s, "-")
}
