package matrix

import (
	"encoding/json"
	"time"

	"countersign/models/control"

	"gorm.io/gorm"
)

// Frozen is a case as a submission freezes it: what was agreed, and what was
// changed while a discrepancy was open. Ids are strings, times RFC 3339 in UTC.
type Frozen struct {
	CaseID        int64                  `json:"case_id,string"`
	Case          string                 `json:"case"`
	Title         string                 `json:"title"`
	Needs         []string               `json:"needs"`
	ExpectationID int64                  `json:"expectation_id,string"` // 0: none is agreed, and a waiver stands in
	Version       int                    `json:"version"`
	Applies       bool                   `json:"applies"`
	Expected      string                 `json:"expected"`
	Effects       []FrozenEffect         `json:"effects"`
	Reason        string                 `json:"reason"`
	AgreedBy      *control.ContentPerson `json:"agreed_by"`
	AgreedFor     *control.ContentPerson `json:"agreed_for"`
	AgreedAt      string                 `json:"agreed_at"`
	Exceptions    []FrozenException      `json:"exceptions"`
}

// FrozenEffect is a watched effect and the agreed change of its count.
type FrozenEffect struct {
	Control string `json:"control"`
	Change  int    `json:"change"`
}

// FrozenException is an agreement that changed while a discrepancy was open.
type FrozenException struct {
	Version int                    `json:"version"`
	Note    string                 `json:"note"`
	By      *control.ContentPerson `json:"by"`
	For     *control.ContentPerson `json:"for"`
	At      string                 `json:"at"`
}

// Freeze is what of the matrix a submission freezes, for control.Snapshot.
func Freeze(q *gorm.DB, controlID int64) (json.RawMessage, error) {
	cases, err := casesOf(q, controlID)
	if err != nil {
		return nil, err
	}
	byCase, err := loadExpectations(q, "where x.case_id in (select id from test_cases where control_id = ?) and d.decision = 'agreed'", controlID)
	if err != nil {
		return nil, err
	}
	all := []Frozen{}
	for _, c := range cases {
		all = append(all, c.freeze(byCase[c.ID]))
	}
	return json.Marshal(all)
}

// freeze takes the agreed versions, newest first.
func (c Case) freeze(versions []Expectation) Frozen {
	f := Frozen{CaseID: c.ID, Case: c.Key, Title: c.Title, Needs: []string{}, Applies: true, Effects: []FrozenEffect{}, Exceptions: []FrozenException{}}
	for _, s := range c.Needs {
		f.Needs = append(f.Needs, s.Label)
	}
	if e := agreed(versions); e != nil {
		f.ExpectationID, f.Version, f.Applies, f.Expected, f.Reason = e.ID, e.Version, e.Applies, e.Expected, e.Reason
		f.AgreedBy, f.AgreedFor, f.AgreedAt = frozenPerson(e.DecidedBy), frozenPerson(e.DecidedFor), frozenTime(e.DecidedAt)
		for _, x := range e.Effects {
			f.Effects = append(f.Effects, FrozenEffect{x.Slug, x.Change})
		}
	}
	for i := len(versions) - 1; i >= 0; i-- {
		if e := versions[i]; e.Exception {
			f.Exceptions = append(f.Exceptions, FrozenException{e.Version, e.Note, frozenPerson(e.DecidedBy), frozenPerson(e.DecidedFor), frozenTime(e.DecidedAt)})
		}
	}
	return f
}

func frozenPerson(r control.Ref) *control.ContentPerson {
	if r.ID == 0 {
		return nil
	}
	return &control.ContentPerson{ID: r.ID, Name: r.Name}
}

func frozenTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// ParseFrozen reads what a revision froze; nil for one from before the matrix.
func ParseFrozen(content json.RawMessage) []Frozen {
	var all []Frozen
	if json.Unmarshal(content, &all) != nil {
		return nil
	}
	return all
}

// casesOf are the cases of a control in order.
func casesOf(q *gorm.DB, controlID int64) ([]Case, error) {
	var rows []caseRow
	if err := q.Raw(selectCase+"where t.control_id = ? order by t.position", controlID).Scan(&rows).Error; err != nil {
		return nil, err
	}
	var all []Case
	for _, r := range rows {
		c, err := r.testCase()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
