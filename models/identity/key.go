package identity

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The form of a key:
//
//	cs1:intended_effect:environment="sandbox"|account="crm"|effect="create-task"|request_id="r-1"|version=2
//
// Each value is a JSON scalar: text in double quotes, numbers as the input wrote
// them, true and false bare, so the number 12 and the text "12" are different
// keys. Inside text the characters " \ | = and everything that cannot be seen
// are written as \uXXXX. So a key can be taken apart in one way only. Text is
// in Unicode NFC. A key longer than MaxKey keeps a readable beginning behind its
// hash:
//
//	cs1h:<64 hexadecimal digits>:intended_effect:environment="sandbox"|...
//
// Keys outlive programs: this form never changes. Another form gets another cs.
const (
	MaxKey     = 512 // bytes
	shortStart = "cs1:"
	longStart  = "cs1h:"
)

// makeKey writes parts as a key.
func makeKey(kind Kind, parts []Part) string {
	var b strings.Builder
	b.Grow(128)
	b.WriteString(shortStart)
	b.WriteString(string(kind))
	for i, p := range parts {
		if i == 0 {
			b.WriteByte(':')
		} else {
			b.WriteByte('|')
		}
		b.WriteString(p.Name)
		b.WriteByte('=')
		b.WriteString(p.Value)
	}
	if b.Len() <= MaxKey {
		return b.String()
	}
	full := b.String()
	sum := sha256.Sum256([]byte(full))
	long := longStart + hex.EncodeToString(sum[:]) + ":" + full[len(shortStart):]
	end := MaxKey
	for !utf8.RuneStart(long[end]) {
		end--
	}
	return long[:end]
}

// KeyDigest is what a unique index holds instead of the key, and what its
// destination key spells.
func KeyDigest(key string) [32]byte {
	return sha256.Sum256([]byte("countersign destination key 1\x00" + key))
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// DestinationKey is what to send as the destination's own idempotency key: 55
// characters of a to z, 2 to 7 and _, the same for every attempt, giving away
// nothing of the key.
func DestinationKey(key string) string {
	sum := KeyDigest(key)
	return "cs_" + base32Lower.EncodeToString(sum[:])
}

// DestinationDigest is the KeyDigest that a destination key spells. ok is false
// for any other text.
func DestinationDigest(text string) (digest []byte, ok bool) {
	spelled, ok := strings.CutPrefix(text, "cs_")
	if !ok {
		return nil, false
	}
	digest, err := base32Lower.DecodeString(spelled)
	return digest, err == nil && len(digest) == sha256.Size
}

// literal writes one scalar as it stands in a key. Text must be in NFC.
func literal(value any) string {
	switch v := value.(type) {
	case Number:
		return string(v)
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	s := value.(string)
	plain := true
	for _, r := range s {
		if escapes(r) {
			plain = false
			break
		}
	}
	if plain {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case !escapes(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// escapes reports whether r is written as \uXXXX: what would confuse the form,
// and what cannot be told apart by eye. The ranges are fixed here, and not
// asked of the unicode package, whose tables grow: a key must stay the same.
func escapes(r rune) bool {
	switch {
	case r < 0x7f:
		return r < 0x20 || r == '"' || r == '\\' || r == '|' || r == '='
	case r <= 0xa0 || r == 0xad || r == 0x34f || r == 0x61c || r == 0x115f || r == 0x1160 || r == 0x1680:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0x2000 && r <= 0x200f, r >= 0x2028 && r <= 0x202f, r >= 0x205f && r <= 0x206f:
		return true
	case r == 0x3000 || r == 0x3164 || r == 0xfeff || r == 0xffa0:
		return true
	case r >= 0xe000 && r <= 0xf8ff, r >= 0xfe00 && r <= 0xfe0f, r >= 0xfff0 && r <= 0xfffd:
		return true
	}
	return r >= 0xe0000
}
