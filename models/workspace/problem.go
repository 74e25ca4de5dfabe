package workspace

import (
	"fmt"
	"strings"
)

// MaxProblems is how many problems are listed before reading stops.
const MaxProblems = 100

// Problem is one thing that is wrong with a file.
type Problem struct {
	Line int    // from 1; 0 is about the file as a whole
	What string // in words, with the table and the member
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.What
	}
	return fmt.Sprintf("Line %d: %s", p.Line, p.What)
}

// Refused is why nothing was imported.
type Refused struct{ Problems []Problem }

func (r *Refused) Error() string {
	lines := []string{"Nothing was imported."}
	for _, p := range r.Problems {
		lines = append(lines, "  "+p.String())
	}
	if len(r.Problems) >= MaxProblems {
		lines = append(lines, "  There may be more: reading stopped here.")
	}
	return strings.Join(lines, "\n")
}
