package ledger

import (
	"math/big"
	"regexp"
	"strings"
	"time"

	"countersign/models/workflow"
)

var wholeNumber = regexp.MustCompile(`^-?[0-9]{1,60}$`)

// versionRank is a version as a whole number that orders: "" where the workflow
// orders none, or none is stated. ok is false when text cannot be read.
func versionRank(order, text string) (rank string, ok bool) {
	switch {
	case text == "" || order == workflow.VersionsNone:
		return "", true
	case order == workflow.VersionsInteger:
		return text, wholeNumber.MatchString(text)
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return "", false
	}
	if _, fraction, _ := strings.Cut(text, "."); digits(fraction) > 9 {
		return "", false // finer than a nanosecond: two of them could not be told apart
	}
	nanos := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(1e9))
	return nanos.Add(nanos, big.NewInt(int64(t.Nanosecond()))).String(), true
}

// digits counts the digits that text begins with.
func digits(text string) int {
	return len(text) - len(strings.TrimLeft(text, "0123456789"))
}

// versionWords says how a version must look.
func versionWords(order string) string {
	if order == workflow.VersionsInteger {
		return "a whole number"
	}
	return "a timestamp such as 2026-05-31T09:30:00Z"
}
