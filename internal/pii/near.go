package pii

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The patterns are slow, so they only look where something they need stands.

// matchesIn returns where pattern matches inside parts of text, which are in
// order and apart from each other.
func matchesIn(text string, parts [][2]int, pattern *regexp.Regexp) [][]int {
	var all [][]int
	for _, p := range parts {
		for _, m := range pattern.FindAllStringIndex(text[p[0]:p[1]], -1) {
			all = append(all, []int{p[0] + m[0], p[0] + m[1]})
		}
	}
	return all
}

func emails(text string) []Hit {
	var hits []Hit
	last := 0
	for at := 0; at < len(text); at++ {
		sign := atSign(text[at:])
		if sign == 0 {
			continue
		}
		begin, end := at, at+sign
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !wordRune(r) && r != '.' && r != '-' {
				break
			}
			end += size
		}
		if end == at+sign {
			continue
		}
		for begin > last && (sign == 1 || at-begin < longestLocal) { // the other signs are made of what may stand before them
			r, size := utf8.DecodeLastRuneInString(text[last:begin])
			if !wordRune(r) && !strings.ContainsRune("._%+'-", r) {
				break
			}
			begin -= size
		}
		if m := emailPattern.FindStringIndex(text[begin:end]); m != nil {
			hits = append(hits, Hit{Email, begin + m[0], begin + m[1], true})
			last = begin + m[1]
		}
	}
	return hits
}

const longestLocal = 128 // bytes before an at sign in another spelling

const longestAt = 40 // bytes of an at sign that is looked for, and more

// atSign is how many bytes of text its at sign takes; 0 when it begins with none.
func atSign(text string) int {
	switch text[0] {
	case '@':
		return 1
	case '%', '\\', '&', 0xef: // the first byte of a wide one
		if m := atStart.FindStringIndex(text[:min(len(text), longestAt)]); m != nil {
			return m[1]
		}
	}
	return 0
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

const longestIBAN = 48 // bytes with its spaces, and more

func ibans(text string) []Hit {
	var hits []Hit
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	for i := 0; i+15 <= len(text); i++ {
		if !upper(text[i]) || !upper(text[i+1]) || !digit(text[i+2]) || !digit(text[i+3]) || i > 0 && asciiWord(text[i-1]) {
			continue
		}
		m := ibanPattern.FindStringIndex(text[i:min(i+longestIBAN, len(text))])
		if m == nil {
			continue
		}
		if validIBAN(text[i : i+m[1]]) {
			hits = append(hits, Hit{IBAN, i, i + m[1], true})
		}
		i += m[1] - 1
	}
	return hits
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func asciiWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c) || c == '_'
}

// digitRuns are the parts with at least 7 digits that are at most two separators
// apart. A run of 20 digits and more is no number of a person: it ends a part.
func digitRuns(text string) [][2]int {
	var parts [][2]int
	begin, end, digits, plain := -1, 0, 0, 0
	finish := func() {
		if begin >= 0 && digits >= 7 {
			for n := 0; n < 2 && begin > 0 && (text[begin-1] == '+' || text[begin-1] == '('); n++ {
				begin--
			}
			parts = append(parts, [2]int{begin, end})
		}
		begin, digits, plain = -1, 0, 0
	}
	gap := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case digit(c):
			if begin < 0 {
				begin = i
			}
			if gap > 0 {
				plain = 0
			}
			gap = 0
			digits++
			if plain++; plain == 20 {
				for i+1 < len(text) && digit(text[i+1]) {
					i++
				}
				end, digits = end-19, digits-20
				finish()
				continue
			}
			end = i + 1
		case begin < 0:
		case strings.IndexByte(" .()/-", c) >= 0 || c == 0xc2 && i+1 < len(text) && text[i+1] == 0xa0:
			if c == 0xc2 {
				i++
			}
			if gap++; gap > 2 {
				finish()
				gap = 0
			}
		default:
			finish()
			gap = 0
		}
	}
	finish()
	return parts
}

// addressWords are what every postal address that is found has one of.
var addressWords = strings.Split("Street| St|Road| Rd|Avenue| Ave| Lane| Ln| Drive| Dr|Boulevard| Blvd| Way| Court| Ct| Sq| Place| Terrace| Crescent| Highway| Hwy|"+
	"rue |avenue |boulevard |chemin |impasse |allée |straße|strasse|str.|weg|platz|gasse|allee|straat|laan|Calle |Via |Rua ", "|")

const aroundAddress = 160 // bytes before and after such a word that can belong to it

func addresses(text string) []Hit {
	var hits []Hit
	for _, m := range matchesIn(text, nearWords(text), addressPattern) {
		hits = append(hits, Hit{Address, m[0], m[1], true})
	}
	return hits
}

// nearWords are the parts of text around the address words.
func nearWords(text string) [][2]int {
	var near []bool // by block of aroundAddress bytes
	for _, w := range addressWords {
		for at := 0; ; {
			i := strings.Index(text[at:], w)
			if i < 0 {
				break
			}
			if near == nil {
				near = make([]bool, len(text)/aroundAddress+1)
			}
			block := (at + i) / aroundAddress
			for b := max(block-1, 0); b <= min(block+1, len(near)-1); b++ {
				near[b] = true
			}
			at = max(at+i+len(w), min(block*aroundAddress+aroundAddress, len(text))) // the rest of the block changes nothing
		}
	}
	var parts [][2]int
	for b := 0; b < len(near); b++ {
		if !near[b] {
			continue
		}
		begin := b
		for b+1 < len(near) && near[b+1] {
			b++
		}
		from, to := begin*aroundAddress, min((b+1)*aroundAddress, len(text))
		for n := 0; from > 0 && asciiWord(text[from-1]) && n < aroundAddress-1; n++ {
			from-- // not in the middle of a word
		}
		for to < len(text) && (asciiWord(text[to]) || !utf8.RuneStart(text[to])) && to < (b+2)*aroundAddress-1 {
			to++
		}
		parts = append(parts, [2]int{from, to})
	}
	return parts
}
