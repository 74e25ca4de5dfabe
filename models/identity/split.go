package identity

import (
	"encoding/json"
	"strings"
)

// SplitKey takes a key apart for a person to read: each value as plain text. A
// long key ends where it was cut. nil for what is no key.
func SplitKey(key string) []Part {
	rest, ok := strings.CutPrefix(key, shortStart)
	if !ok {
		if rest, ok = strings.CutPrefix(key, longStart); !ok {
			return nil
		}
		_, rest, _ = strings.Cut(rest, ":")
	}
	_, rest, ok = strings.Cut(rest, ":")
	if !ok {
		return nil
	}
	var parts []Part
	for _, one := range strings.Split(rest, "|") {
		name, value, _ := strings.Cut(one, "=")
		var text string
		if json.Unmarshal([]byte(value), &text) == nil {
			value = text
		}
		parts = append(parts, Part{Name: name, Value: value})
	}
	return parts
}
