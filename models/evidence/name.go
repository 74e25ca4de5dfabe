package evidence

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is how long a file's name may be, in characters.
const maxName = 200

// SafeName is a file's name as it is kept and shown: the last part of what the
// browser sent, without characters that are no text, cannot be seen or change
// the reading direction. A name that is too long keeps its ending.
func SafeName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || unicode.IsControl(r):
			return '_'
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || r == '\u2028' || r == '\u2029':
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name)
	name = strings.TrimSpace(name)
	if strings.Trim(name, "._ ") == "" {
		return "unnamed file"
	}
	if runes := []rune(name); len(runes) > maxName {
		ending := []rune(path.Ext(name))
		if len(ending) > 12 {
			ending = nil
		}
		name = string(runes[:maxName-len(ending)]) + string(ending)
	}
	return name
}
