package pii

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"
)

// Digits with the separators people write in phone and card numbers.
var numberPattern = regexp.MustCompile(`(?:\+|\(\+?)?\d(?:[ \x{00a0}.()/-]{0,2}\d){6,18}`)

// numbers finds card and phone numbers.
func numbers(text string) []Hit {
	var hits []Hit
	for _, m := range matchesIn(text, digitRuns(text), numberPattern) {
		if !standsAlone(text, m[0], m[1]) {
			continue
		}
		raw := text[m[0]:m[1]]
		digits := onlyDigits(raw)
		switch {
		case card(digits, raw):
			hits = append(hits, Hit{Card, m[0], m[1], digits != raw})
		case date(raw):
		default:
			if found, sure := phone(raw, digits); found {
				hits = append(hits, Hit{Phone, m[0], m[1], sure})
			}
		}
	}
	return hits
}

// standsAlone reports whether the digits are not the middle of an identifier,
// a decimal number or a time.
func standsAlone(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	glue := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-/#=&%@+", r)
	}
	if start > 0 && (glue(before) || before == '.') || end < len(text) && (glue(after) || after == ':') {
		return false
	}
	return true
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// card reports whether digits are a payment card number: an issuer's beginning,
// its length and the check digit (ISO/IEC 7812).
func card(digits, raw string) bool {
	n := len(digits)
	if strings.ContainsAny(raw, "+()/.") || !luhn(digits) {
		return false
	}
	begins := func(low, high string) bool { b := digits[:len(low)]; return b >= low && b <= high }
	switch {
	case n < 13:
		return false
	case begins("34", "34"), begins("37", "37"):
		return n == 15
	case begins("36", "36"), begins("38", "39"), begins("300", "305"):
		return n == 14
	case begins("4", "4"):
		return n == 13 || n == 16 || n == 19
	case begins("51", "55"), begins("2221", "2720"), begins("60", "60"), begins("62", "62"), begins("644", "659"), begins("3528", "3589"):
		return n == 16
	}
	return false
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

var datePattern = regexp.MustCompile(`^(?:(?:19|20)\d\d[-./ ]?[01]\d[-./ ]?[0-3]\d(?: ?\d{2,6})?|[0-3]?\d[-./][01]?\d[-./](?:19|20)\d\d|(?:19|20)\d\d ?[-/] ?(?:19|20)\d\d)$`)

// date reports whether digits are rather a calendar date or a span of years.
func date(raw string) bool { return datePattern.MatchString(raw) }

// Regions whose national forms are tried. An international form (+...) needs none.
var regions = []string{"GB", "DE", "FR", "ES", "IT", "NL", "AU", "IN", "BR", "JP", "ZA", "CH", "AT", "BE", "SE", "PL"}

var americanPattern = regexp.MustCompile(`^(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}$`)

// phone reports whether raw is a phone number, and whether it is also written
// like one.
func phone(raw, digits string) (found, sure bool) {
	plain := raw == digits
	switch {
	case len(digits) > 15:
		return false, false
	case strings.Contains(raw, "+"):
		return valid(strings.Trim(raw, "()"), "ZZ"), true
	case strings.HasPrefix(digits, "00") && !plain:
		return valid("+"+digits[2:], "ZZ"), true
	case americanPattern.MatchString(raw):
		return valid(raw, "US"), true
	case plain && (len(digits) == 10 && digits[0] > '1' || len(digits) == 11 && digits[0] == '1'):
		return valid(raw, "US"), false
	case digits[0] == '0' && len(digits) >= 9 && len(digits) <= 12:
		for _, region := range regions {
			if valid(raw, region) {
				return true, !plain
			}
		}
	}
	return false, false
}

func valid(number, region string) bool {
	n, err := phonenumbers.Parse(number, region)
	return err == nil && phonenumbers.IsValidNumber(n)
}
