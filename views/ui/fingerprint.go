package ui

import (
	"encoding/hex"
	"math"
	"strconv"
)

type bar struct{ X, Y, Height string }

// fingerprintBars turns 64 hex digits into 32 bars, one per byte, 4 to 32 high;
// nil for anything else.
func fingerprintBars(hash string) []bar {
	raw, err := hex.DecodeString(hash)
	if err != nil || len(raw) != 32 {
		return nil
	}
	bars := make([]bar, len(raw))
	for i, b := range raw {
		h := 4 + int(math.Round(float64(b)/255*28))
		bars[i] = bar{strconv.Itoa(i * 4), strconv.Itoa(32 - h), strconv.Itoa(h)}
	}
	return bars
}

// eights cuts text into pieces of eight, so that people can read a hash to each other.
func eights(text string) (pieces []string) {
	for len(text) > 8 {
		pieces, text = append(pieces, text[:8]), text[8:]
	}
	return append(pieces, text)
}
