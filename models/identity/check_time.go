package identity

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"countersign/internal/pii"
)

// clock says how much a name suggests a time.
type clock int

const (
	noClock       clock = iota
	vagueClock          // created, day: could be something else
	businessClock       // visit_date: part of what is wanted, and often shared
	recordClock         // updated_at: when somebody wrote it down
	arrivalClock        // received_at: when a notification came or was sent
)

var (
	arrivalWords  = strings.Fields("received arrived arrival sent delivered processed ingested fetched dispatched retried webhook now")
	businessWords = strings.Fields("visit booking appointment slot start starts end ends due valid expiry expires expiration deadline service departure checkin checkout meeting delivery")
	vagueWords    = strings.Fields("created updated modified changed occurred when day month year week hour minute clock")
	timeEnds      = strings.Fields("at timestamp time datetime date ts epoch datum uhrzeit zeit zeitpunkt zeitstempel fecha hora heure horodatage tijd tijdstip")
	timeUnits     = strings.Fields("ms millis milliseconds s sec secs seconds us micros ns nanos unix utc gmt")
	attemptWords  = strings.Fields("attempt attempts retry retries try tries redelivery redeliveries versuch versuche intento intentos tentative tentativa")
)

// timeName reads the last name of a path.
func timeName(p path) (kind clock, attempt bool) {
	names := p.members()
	if len(names) == 0 {
		return noClock, false
	}
	words := pii.Words(names[len(names)-1])
	has := func(some []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(some, w) })
	}
	if len(words) == 0 {
		return noClock, false
	}
	if n := len(words) - 1; n > 0 && slices.Contains(timeUnits, words[n]) { // timestampMs, created_at_utc
		words = words[:n]
	}
	last := words[len(words)-1]
	isTime := slices.Contains(timeEnds, last) && !(last == "at" && len(words) == 1)
	if has(attemptWords) && last != "id" {
		return noClock, true
	}
	switch {
	case isTime && has(arrivalWords):
		return arrivalClock, false
	case isTime && has(businessWords):
		return businessClock, false
	case isTime:
		return recordClock, false
	case slices.Contains(vagueWords, last), len(words) == 1 && slices.Contains(arrivalWords, last):
		return vagueClock, false
	}
	return noClock, false
}

// shape says how a value is a time.
type shape int

const (
	noTime    shape = iota
	digitTime       // digits that could be a day, or seconds since 1970
	coarse          // a date, or no seconds
	exact
)

var (
	epochPattern = regexp.MustCompile(`^1\d{9}(?:\d{3}|\d{6})?(?:\.\d+)?$`) // September 2001 to May 2033, down to microseconds
	powerPattern = regexp.MustCompile(`^1\.\d+[eE]\+?(?:9|12|15)$`)         // the same, with an exponent
	plainDay     = regexp.MustCompile(`^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$`)
	stampPattern = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(?:[.,]\d+)?)?(?: ?(?:[Zz]|UTC|[+-]\d\d:?\d\d))?$`)
	basicPattern = regexp.MustCompile(`^\d{8}[Tt]\d{4}(\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?$`) // the basic form of ISO 8601
	dayPattern   = regexp.MustCompile(`^(?:\d{4}-\d\d(?:-\d\d)?|\d{4}/\d\d?/\d\d?|\d\d?[./]\d\d?[./](?:\d\d|\d{4})|\d{4}-?W\d\d(?:-?\d)?|\d\d?:\d\d(?::\d\d)?)$`)
)

func timeShape(value any) shape {
	s := strings.TrimSpace(text(value))
	switch m := stampPattern.FindStringSubmatch(s); {
	case m != nil && m[1] == "":
		return coarse
	case m != nil:
		return exact
	case stampLike(s) != noTime:
		return stampLike(s)
	case epochPattern.MatchString(s), powerPattern.MatchString(s), plainDay.MatchString(s):
		return digitTime
	case dayPattern.MatchString(s):
		return coarse
	}
	if len(s) < 64 {
		for _, layout := range []string{time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, time.UnixDate, time.RFC822, time.RFC822Z} {
			if _, err := time.Parse(layout, s); err == nil {
				return exact
			}
		}
	}
	for _, layout := range []string{"Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006"} {
		if _, err := time.Parse(layout, s); err == nil {
			return coarse
		}
	}
	return noTime
}

// stampLike is the shape of a time in the basic form, noTime for anything else.
func stampLike(s string) shape {
	switch m := basicPattern.FindStringSubmatch(s); {
	case m == nil:
		return noTime
	case m[1] == "":
		return coarse
	}
	return exact
}

// checkTime looks for times as components. The exact version that the sender
// gives its record is one that may stay.
func (c *checker) checkTime(r *readRule, p *readPart) {
	name, attempt := timeName(p.path)
	form := timeShape(p.value)
	one := r.Kind.one()
	if attempt {
		c.add(r, p, FoundAttempt, Block,
			"An attempt counts tries of one notification, so every retry would be another "+one+". Remove this component.",
			"request-demo-01, attempt 1: done\nrequest-demo-01, attempt 2: would be done again")
		return
	}
	if c.isVersion(p.path) {
		if form == coarse {
			c.add(r, p, FoundRounded, Block,
				"The version is a rounded time, so two versions of one moment would be one "+one+". Use the sender's exact version.",
				"request-demo-01, changed 2026-11-29 at 10:00: done\nrequest-demo-01, changed 2026-11-29 at 16:30: would be held as the same "+one)
		}
		return
	}
	switch {
	case name == arrivalClock:
		c.add(r, p, FoundArrival, Block,
			"This is when a notification came or was sent. It changes with every retry, so one request would be another "+one+" each time. Remove this component.",
			"request-demo-01, received 10:00:00: done\nrequest-demo-01, received again 10:00:47: would be done again")
	case form == coarse && name != businessClock:
		c.addTime(r, p, FoundRounded, Block)
	case form == exact && name != businessClock, form == digitTime && (name == recordClock || name == vagueClock):
		c.addTime(r, p, FoundTime, Block)
	case form == digitTime:
		c.addTime(r, p, FoundTimeNumber, ReasonAllowed)
	case name == recordClock && !p.found:
		c.addTime(r, p, FoundTime, Block)
	case name != noClock:
		c.addTime(r, p, FoundTime, ReasonAllowed)
	}
}

func (c *checker) addTime(r *readRule, p *readPart, code FindingCode, severity Severity) {
	one := r.Kind.one()
	words := "A time is not an identity: it may change when the sender writes the same thing again, so one request would be two of what should be one " + one + "."
	example := "request-demo-01, stamped 10:00:00: done\nrequest-demo-01, stamped 10:00:01 by the sender's retry: would be done again"
	switch {
	case code == FoundRounded:
		words = "A rounded time is shared by everything of that day or minute, so two requests would be one " + one + "."
		example = "first request of 2026-11-29: done\nsecond request of 2026-11-29: would be held as the same " + one
	case code == FoundTimeNumber:
		words = "The digits in the example could be a day, or seconds or milliseconds since 1970. " + words
	}
	words += " Use an identifier, or the sender's exact version as the version component."
	if severity == ReasonAllowed {
		words += " If it is something else, or part of what is wanted, say so."
	}
	c.add(r, p, code, severity, words, example)
}

// isVersion reports whether a sender documents this path as its record's version
// and the workflow orders versions.
func (c *checker) isVersion(p path) bool {
	if c.about.VersionOrder != "integer" && c.about.VersionOrder != "rfc3339" {
		return false
	}
	return slices.ContainsFunc(c.about.Senders, func(s SenderFacts) bool { return namesField(s.VersionField, p) })
}
