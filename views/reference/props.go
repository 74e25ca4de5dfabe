// Package reference is what programmers read about the API: each call, each kind
// of problem, and how to connect an automation. It holds no secret, so everybody
// may read it.
package reference

// Reference is every call of the API.
type Reference struct {
	Base   string // address of this server
	Text   string
	Groups []Group
}

// Group is the calls about one thing.
type Group struct {
	Name, Text string
	Calls      []Call
}

// Call is one call.
type Call struct {
	ID, Method, Path     string
	Summary, Text, Scope string
	Params, Body, Result []Field
	Answers              []Answer
	Example              string // for a shell, with URL and TOKEN set
}

// Field is one member of a request or an answer, or a parameter.
type Field struct {
	Name, Type, Text string
	Required         bool
}

// Answer is one status that a call answers with.
type Answer struct {
	Status   string
	Text     string // of a success
	Problems []Problem
}

// Problem is a kind of problem and the page about it.
type Problem struct{ Slug, Title, Path string }

// Kind is the page about one kind of problem.
type Kind struct {
	Slug, Title, Meaning, Do string
	Status                   string
	Path                     string
	States                   []Setting // what to do by the action's state, where that decides
	Calls                    []Call    // that answer so; none for what any call may answer
	Sample                   string
}

// setup is what the examples stand on.
func (r Reference) setup() string {
	return "URL=" + r.Base + "\nTOKEN=$(countersign token create --workflow service-request --environment sandbox --name \"Trying the API\")"
}

func (c Call) exampleID() string { return "example-" + c.ID }
