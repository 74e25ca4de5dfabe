package models

import (
	"reflect"
	"testing"
)

func TestChanges(t *testing.T) {
	type facts struct {
		Name  string `json:"name"`
		Hours *int   `json:"hours"`
		Same  string `json:"same"`
	}
	two := 2
	was, is := Changes(facts{Name: "a", Same: "x"}, facts{Name: "b", Hours: &two, Same: "x"})
	if want := map[string]any{"name": "a", "hours": nil}; !reflect.DeepEqual(was, want) {
		t.Errorf("before = %v, want %v", was, want)
	}
	if is["name"] != "b" || len(is) != 2 {
		t.Errorf("after = %v, want name and hours", is)
	}
	if was, is := Changes(facts{Name: "a"}, facts{Name: "a"}); was != nil || is != nil {
		t.Errorf("equal values gave %v and %v, want nil", was, is)
	}
	was, is = Changes(map[string]any{"gone": 1}, map[string]any{"new": true})
	if len(was) != 2 || len(is) != 2 || is["gone"] != nil || is["new"] != true {
		t.Errorf("fields on one side only gave %v and %v", was, is)
	}
}
