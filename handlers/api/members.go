package api

import (
	"encoding/json"
	"slices"

	"countersign/models"
)

// givenOnce refuses a body that names a member twice: which one counts would be
// anybody's guess. It walks over the top level once; what is no JSON object is
// refused elsewhere.
func givenOnce(body []byte) error {
	var buffer [16]string
	names := buffer[:0]
	depth, expectName := 0, false
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[':
			depth++
			expectName = depth == 1 && body[i] == '{'
		case '}', ']':
			depth--
		case ',':
			expectName = depth == 1
		case '"':
			end := i + 1
			for end < len(body) && body[end] != '"' {
				if body[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(body) {
				return nil
			}
			if expectName {
				expectName = false
				var name string
				if json.Unmarshal(body[i:end+1], &name) != nil {
					return nil
				}
				if slices.Contains(names, name) {
					return models.Invalid(name, "Send this member once. It is there twice.")
				}
				names = append(names, name)
			}
			i = end
		}
	}
	return nil
}
