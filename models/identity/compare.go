package identity

// Set is the rules of one control. A rule that is not written yet is nil.
type Set struct{ Transport, Record, Effect, Repeat *Compiled }

// Of returns the rule of one kind, or nil.
func (s Set) Of(k Kind) *Compiled {
	switch k {
	case TransportEvent:
		return s.Transport
	case BusinessRecord:
		return s.Record
	case IntendedEffect:
		return s.Effect
	case LegitimateRepeat:
		return s.Repeat
	}
	return nil
}

// NewSet compiles the rules of one control. Two of one kind: the last counts.
func NewSet(rules ...Rule) (Set, error) {
	var s Set
	for _, r := range rules {
		c, err := Compile(r)
		if err != nil {
			return Set{}, err
		}
		switch r.Kind {
		case TransportEvent:
			s.Transport = c
		case BusinessRecord:
			s.Record = c
		case IntendedEffect:
			s.Effect = c
		case LegitimateRepeat:
			s.Repeat = c
		}
	}
	return s, nil
}

// Outcome is what one comparison found.
type Outcome string

const (
	Same        Outcome = "same"
	Different   Outcome = "different"
	NeedsReview Outcome = "review"    // one side has no value to compare
	Undefined   Outcome = "undefined" // there is no rule yet
)

// Comparison is one rule applied to two inputs.
type Comparison struct {
	Kind    Kind
	Outcome Outcome
	A, B    Result
	Rows    []Row
}

// Row is one component of both sides.
type Row struct {
	Name, From string // From is the path, or the scope in words
	A, B       Cell
	Outcome    Outcome
	Note       string // why two values that look alike differ, or look different and do not
}

// Cell is one component of one side: a value as it stands in the key, or the
// reason why there is none.
type Cell struct {
	Value       string
	FromDefault bool
	Review      *Reason
}

// Side is one of the two inputs, and where it would be claimed.
type Side struct {
	Scope Scope
	Input Input
}

func compareRule(kind Kind, rule *Compiled, a, b Side) Comparison {
	c := Comparison{Kind: kind, Outcome: Undefined}
	if rule == nil {
		return c
	}
	c.A, c.B = Derive(rule, a.Scope, a.Input), Derive(rule, b.Scope, b.Input)
	for i := range rule.parts {
		c.Rows = append(c.Rows, compareRow(&rule.parts[i], a, b))
	}
	switch {
	case !c.A.OK() || !c.B.OK():
		c.Outcome = NeedsReview
	case c.A.Key == c.B.Key:
		c.Outcome = Same
	default:
		c.Outcome = Different
	}
	return c
}

func compareRow(p *part, a, b Side) Row {
	row := Row{Name: p.Name, From: p.Path, A: p.cell(a), B: p.cell(b)}
	if p.Scope != "" {
		row.From = p.Scope.Words()
	}
	switch {
	case row.A.Review != nil || row.B.Review != nil:
		row.Outcome = NeedsReview
		return row
	case row.A.Value == row.B.Value:
		row.Outcome = Same
	default:
		row.Outcome = Different
	}
	row.Note = note(row, p.raw(a), p.raw(b))
	return row
}

func (p *part) cell(s Side) Cell {
	made, why := p.derive(s.Scope, s.Input)
	if why != nil {
		return Cell{Review: why}
	}
	return Cell{Value: made.Value, FromDefault: made.FromDefault}
}

// raw is the value as the input has it; nil where the input has none.
func (p *part) raw(s Side) any {
	if p.Scope != "" {
		return nil
	}
	if at := p.path.follow(s.Input.root); at.ok {
		return at.value
	}
	return nil
}

// apart are the components in which the two sides differ.
func (c Comparison) apart() []Row {
	var rows []Row
	for _, r := range c.Rows {
		if r.Outcome == Different {
			rows = append(rows, r)
		}
	}
	return rows
}
