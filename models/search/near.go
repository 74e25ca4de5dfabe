package search

import "strings"

// near reports whether every word that is looked for is, but for one slip, a
// word of the name: a letter missing, added, another one, or two swapped.
func near(words, name []string) bool {
	for _, w := range words {
		found := false
		for _, n := range name {
			if found = oneSlip([]rune(strings.ToLower(w)), []rune(n)); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// oneSlip reports whether a and b differ by one slip at most.
func oneSlip(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch a, b = a[i:], b[i:]; len(b) - len(a) {
	case 0:
		return len(a) == 0 || string(a[1:]) == string(b[1:]) || len(a) > 1 && a[0] == b[1] && a[1] == b[0] && string(a[2:]) == string(b[2:])
	case 1:
		return string(a) == string(b[1:])
	}
	return false
}
