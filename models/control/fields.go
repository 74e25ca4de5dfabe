// Package control keeps everything agreed about one bounded effect of one
// workflow: the catalogue of fields, the answers with their history, the thread
// of each field, the revisions and the content that a revision freezes.
//
// Answers belong to the control and are append-only: saving adds the version
// after the one the person saw. A revision that is in review or decided is read
// from its frozen content, never from the answers.
package control

// Kind says what an answer to a field looks like, and so how it is checked.
type Kind string

const (
	Text         Kind = "text"         // several lines
	Reference    Kind = "reference"    // one line that points at something
	Sentence     Kind = "sentence"     // the business owner's own words
	Workflow     Kind = "workflow"     // set when the control is created
	Person       Kind = "person"       // somebody active who holds Field.Role
	Environments Kind = "environments" // one or more
	Date         Kind = "date"         // a calendar date in UTC, later than today
	Sender       Kind = "sender"       // a sender of the control's workflow
	Operations   Kind = "operations"   // one operation in each environment
	Mode         Kind = "mode"         // observe or enforce
	Number       Kind = "number"       // 0 to 20
	Hours        Kind = "hours"        // above 0, with the basis
	Days         Kind = "days"         // above 0, with the basis
	Policy       Kind = "policy"       // a version of an escalation policy
	Rule         Kind = "rule"         // an identity rule; its version is the answer's
)

// Field is one question of the control record.
type Field struct {
	Key     string
	Section int // 1 to 8
	Label   string
	Help    string // what to write and why it matters
	Ask     string // the question shown while it is unresolved
	Kind    Kind

	Required     bool   // answered or not applicable before submission
	Always       bool   // cannot be "not applicable": nothing works without it
	Design       bool   // part of the design fingerprint
	OwnerDecides bool   // the business owner's to say, whoever types it
	OwnerOnly    bool   // typed by somebody else it is a proposal until the business owner confirms it
	Role         string // for Person: the role the person must hold
}

// Section is one part of the record. The seventh has no fields of its own: it
// shows the test matrix.
type Section struct {
	Number int
	Title  string
	Fields []Field
}

// Anchor is where the control's page shows the field.
func (f Field) Anchor() string { return "f-" + f.Key }

var byKey = func() map[string]Field {
	m := map[string]Field{}
	for _, f := range Fields() {
		m[f.Key] = f
	}
	return m
}()

// FieldByKey finds a field; ok is false when there is none of that name.
func FieldByKey(key string) (Field, bool) {
	f, ok := byKey[key]
	return f, ok
}

// Fields lists every field in the order of the record.
func Fields() []Field {
	var all []Field
	for _, s := range Sections {
		all = append(all, s.Fields...)
	}
	return all
}

// RequiredFields is how many fields must be resolved before submission.
func RequiredFields() int {
	n := 0
	for _, f := range Fields() {
		if f.Required {
			n++
		}
	}
	return n
}
