package identity

import (
	"fmt"
	"math/big"
	"strings"
)

// note explains a row that a reader could misread.
func note(row Row, a, b any) string {
	textA, isTextA := a.(string)
	textB, isTextB := b.(string)
	if row.Outcome == Same {
		switch {
		case isTextA && isTextB && textA != textB:
			return "Written with different Unicode characters that mean the same text."
		case row.A.FromDefault != row.B.FromDefault:
			return "One side has no such member, and the declared default stands in for it."
		}
		return ""
	}
	numberA, isNumberA := a.(Number)
	numberB, isNumberB := b.(Number)
	switch {
	case isNumberA && isTextB && string(numberA) == textB, isTextA && isNumberB && textA == string(numberB):
		return "A number on one side, text on the other. They are different values, so make the sender use one form."
	case isNumberA && isNumberB && sameNumber(string(numberA), string(numberB)):
		return "The same number, written differently. Numbers are compared as they are written."
	case isTextA && isTextB && strings.EqualFold(textA, textB):
		return "Only upper and lower case differ."
	case isTextA && isTextB && strings.TrimSpace(textA) == strings.TrimSpace(textB):
		return "Only spaces at the beginning or the end differ."
	}
	return ""
}

// sameNumber reports whether two number texts are one number. Long ones and
// large exponents are not worked out.
func sameNumber(a, b string) bool {
	read := func(s string) *big.Rat {
		if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); len(s) > 60 || ok && len(exponent) > 3 {
			return nil
		}
		r, _ := new(big.Rat).SetString(s)
		return r
	}
	x, y := read(a), read(b)
	return x != nil && y != nil && x.Cmp(y) == 0
}

// list joins words as people do: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return fmt.Sprintf("%s and %s", strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
}
