package pii

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What is looked at is chosen by hand; it must find what the whole pattern finds.
func TestNearFindsWhatThePatternsFind(t *testing.T) {
	wholeIBAN := regexp.MustCompile(`\b` + strings.TrimPrefix(ibanPattern.String(), "^"))
	long := regexp.MustCompile(`\d{20}`)
	pieces := []string{"a@b.cd", "@", ".", "person", " ", " ", "\n", "4111 1111 1111 1111", "DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "GB82 WEST 1234 5698 7654 32",
		"AB12", "+", "(", ")", "-", "1", "12", "202", "555-0147", "\u00a0", "é", "x", "_", "Baker ", "Street", " St", "rue ", "de la Paix", "Haupt", "straße ", "weg 5", "Via ", "Roma ", "\xff"}
	random := rand.New(rand.NewPCG(3, 4))
	found := map[string]int{}
	for range 20000 {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		compare := func(what string, want [][]int, got []Hit) {
			found[what] += len(want)
			if !slices.EqualFunc(want, got, func(w []int, g Hit) bool { return w[0] == g.Start && w[1] == g.End }) {
				t.Fatalf("%s in %q: %v, want %v", what, text, got, want)
			}
		}
		compare("address", addressPattern.FindAllStringIndex(text, -1), addresses(text))
		compare("email", emailPattern.FindAllStringIndex(text, -1), emails(text))
		valid := slices.DeleteFunc(wholeIBAN.FindAllStringIndex(text, -1), func(m []int) bool { return !validIBAN(text[m[0]:m[1]]) })
		compare("iban", valid, ibans(text))
		if long.MatchString(text) {
			continue // such a run is left out, which finds more beside it
		}
		middle := func(m []int) bool { return !standsAlone(text, m[0], m[1]) }
		want := slices.DeleteFunc(numberPattern.FindAllStringIndex(text, -1), middle)
		got := slices.DeleteFunc(matchesIn(text, digitRuns(text), numberPattern), middle)
		found["number"] += len(want)
		if !slices.EqualFunc(want, got, func(a, b []int) bool { return slices.Equal(a, b) }) {
			t.Fatalf("number in %q: %v, want %v", text, got, want)
		}
	}
	for what, n := range found {
		if n < 200 {
			t.Errorf("only %d of %s", n, what)
		}
	}
}
