package people

import (
	"countersign/models"
	"countersign/models/home"
	"countersign/views/ui"
)

// HandOverProps is the page of what somebody looks after.
type HandOverProps struct {
	Path, Name string
	Held       home.Holdings
	Roles      []HandOverRole
	Problems   []ui.FieldProblem
	Conflict   string
}

// HandOverRole is one role of workflows, and who may take it over.
type HandOverRole struct {
	Role, Value string
	Workflows   []home.Held
	Options     []ui.Option
}

func word(role string) string { return models.Role(role).Word() }
