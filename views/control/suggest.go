package control

import "countersign/models/control"

// InputOf is a suggestion as the form of its field would send it.
func InputOf(s control.Suggestion) control.Input { return inputOf(s.Answer()) }
