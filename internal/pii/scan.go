// Package pii finds personal data in text, and names that suggest it. It knows
// nothing of what the text is for. It cannot find everything: people's names in
// running text look like any other words.
package pii

import (
	"regexp"
	"slices"
	"strings"
)

// Kind is what was found.
type Kind string

const (
	Email   Kind = "email"
	Phone   Kind = "phone"
	Card    Kind = "card"
	IBAN    Kind = "iban"
	Address Kind = "address"
	Person  Kind = "person"  // by a member's name only
	Company Kind = "company" // by a member's name only
	Birth   Kind = "birth"   // by a member's name only
)

// Words is the kind as people read it, with its article.
func (k Kind) Words() string {
	switch k {
	case Email:
		return "an e-mail address"
	case Phone:
		return "a phone number"
	case Card:
		return "a payment card number"
	case IBAN:
		return "a bank account number"
	case Address:
		return "a postal address"
	case Person:
		return "a person's name"
	case Company:
		return "a company's name"
	case Birth:
		return "a date of birth"
	}
	return string(k)
}

// Hit is one finding: text[Start:End], in bytes. Not Sure means digits that
// could as well be an identifier.
type Hit struct {
	Kind       Kind
	Start, End int
	Sure       bool
}

// atPattern is an at sign as people and programs write it: in addresses of pages
// (also encoded twice), in JSON, in HTML, and wide.
const atPattern = `@|%(?:25)*40|\\u0040|\\x40|&#0*64;|&#[xX]0*40;|&commat;|[＠﹫]`

var (
	atStart        = regexp.MustCompile(`^(?:` + atPattern + `)`)
	emailPattern   = regexp.MustCompile(`[\pL\pN._%+'-]+(?:` + atPattern + `)[\pL\pN-]+(?:\.[\pL\pN-]+)*\.\pL\pL+`)
	ibanPattern    = regexp.MustCompile(`^[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`)
	addressPattern = regexp.MustCompile(`\b\d{1,5}[A-Za-z]? (?:[A-Z][\pL'.-]* ){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Way|Court|Ct|Square|Sq|Place|Terrace|Crescent|Highway|Hwy)\b` +
		`|\b\d{1,4}(?: bis| ter)?,? (?:rue|avenue|boulevard|chemin|impasse|allée) \pL[\pL'-]*(?: \pL[\pL'-]*){0,5}` +
		`|(?:\b[A-ZÄÖÜ][\pL.-]*(?:straße|strasse|str\.|weg|platz|gasse|allee|straat|laan)|\b(?:Calle|Via|Rua)(?: \pL+){1,5}),? \d{1,4}[a-z]?\b`)
)

// Scan finds e-mail addresses, phone and card numbers, bank accounts and postal
// addresses, in the order in which they stand, none inside another. It takes
// time in proportion to the text.
func Scan(text string) []Hit {
	if !strings.ContainsFunc(text, telling) {
		return nil
	}
	all := slices.Concat(emails(text), ibans(text), numbers(text), addresses(text))
	slices.SortStableFunc(all, func(a, b Hit) int { return a.Start - b.Start })
	var hits []Hit
	for _, h := range all {
		if len(hits) == 0 || hits[len(hits)-1].End <= h.Start {
			hits = append(hits, h)
		}
	}
	return hits
}

// telling is what everything that is found has one of: a digit or an at sign.
func telling(r rune) bool {
	return r >= '0' && r <= '9' || r == '@' || r == '&' || r == '＠' || r == '﹫'
}

// validIBAN checks the length and the remainder of 97 (ISO 13616).
func validIBAN(text string) bool {
	s := strings.ReplaceAll(text, " ", "")
	if len(s) < 15 || len(s) > 34 {
		return false
	}
	rest := 0
	for _, c := range s[4:] + s[:4] {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return rest == 1
}
