package api

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"countersign/models"
)

const longestKey = 255

// once makes a command safe to repeat with the key that the caller sent; nothing
// without one. A key that equals an event, record or identity value is refused:
// two different calls would look like one. ids are such values, documents hold them.
func (k Repeatable) once(ctx context.Context, ids []identifier, documents ...document) (models.Once, error) {
	if k.IdempotencyKey == "" {
		return models.Once{}, nil
	}
	if len(k.IdempotencyKey) > longestKey || !utf8.ValidString(k.IdempotencyKey) {
		return models.Once{}, problem("idempotency_key", "Send an Idempotency-Key of 255 characters at most.")
	}
	same := false
	for _, id := range ids {
		same = same || string(id) == k.IdempotencyKey
	}
	for _, d := range documents {
		same = same || d.holds(k.IdempotencyKey)
	}
	if same {
		return models.Once{}, problem("idempotency_key", "")
	}
	c := callFrom(ctx)
	return models.Once{Idempotency: &models.Idempotency{Token: c.automation.TokenID, Route: c.route, Key: k.IdempotencyKey, Body: c.body}}, nil
}

// holds reports whether the document has value as a text or number anywhere.
func (d document) holds(value string) bool {
	if !bytes.Contains(d, []byte(value)) && !bytes.ContainsRune(d, '\\') {
		return false
	}
	tokens := json.NewDecoder(bytes.NewReader(d))
	tokens.UseNumber()
	for {
		t, err := tokens.Token()
		if err != nil {
			return false
		}
		switch t := t.(type) {
		case string:
			if strings.TrimSpace(t) == value {
				return true
			}
		case json.Number:
			if string(t) == value {
				return true
			}
		}
	}
}
