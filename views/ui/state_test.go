package ui

import (
	"os"
	"strings"
	"testing"
)

// Every state has a word, a tone and an icon that is in the sprite.
func TestEveryStateCanBeShown(t *testing.T) {
	sprite, err := os.ReadFile("../../static/icons.svg")
	if err != nil {
		t.Fatal(err)
	}
	for key, s := range states {
		if s.Word == "" || !strings.Contains(string(sprite), `id="`+s.Icon+`"`) || toneIcons[s.Tone] == "" {
			t.Errorf("%s: %+v", key, s)
		}
	}
	for tone, icon := range toneIcons {
		if !strings.Contains(string(sprite), `id="`+icon+`"`) {
			t.Errorf("tone %s: icon %s is missing", tone, icon)
		}
	}
}

func TestUnknownStateIsItsOwnWord(t *testing.T) {
	if s := StateFor("half_done"); s.Word != "Half done" || s.Icon == "" {
		t.Errorf("%+v", s)
	}
	if s := StateFor(""); s.Icon == "" {
		t.Errorf("%+v", s)
	}
}
