package models

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Changes returns the fields of before and after that differ, for the audit
// log: both are structs or maps that marshal to a JSON object, and a field
// goes by its JSON name. Both answers are nil when nothing changed. It panics
// on a value that is no JSON object, which is a mistake of the caller's.
func Changes(before, after any) (was, is map[string]any) {
	b, a := fieldsOf(before), fieldsOf(after)
	for name, value := range a {
		if old, ok := b[name]; !ok || !reflect.DeepEqual(old, value) {
			was, is = put(was, name, b[name]), put(is, name, value)
		}
	}
	for name, old := range b {
		if _, ok := a[name]; !ok {
			was, is = put(was, name, old), put(is, name, nil)
		}
	}
	return was, is
}

func put(m map[string]any, name string, value any) map[string]any {
	if m == nil {
		m = map[string]any{}
	}
	m[name] = value
	return m
}

func fieldsOf(v any) map[string]any {
	plain, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	fields := map[string]any{}
	if err := d.Decode(&fields); err != nil {
		panic(err)
	}
	return fields
}
