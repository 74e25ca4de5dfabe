package signoff

// Op says what happened to a piece of text.
type Op string

const (
	Equal  Op = "equal"
	Insert Op = "insert"
	Delete Op = "delete"
)

// Part is a piece of text in a difference.
type Part struct {
	Op   Op
	Text string
}

// Change is one field that differs.
type Change struct {
	Field string // key of the field, or of a fact such as operation.production
	Label string
	Kind  string // changed, added or removed
	Parts []Part
}

// Difference is what changed from one frozen content to another.
type Difference struct {
	Changes []Change
	Total   int // how many fields and facts were compared
}
