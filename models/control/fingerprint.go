package control

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/gowebpki/jcs"
	"gorm.io/gorm"
)

// Design is what a test proves something about: the answers of sections 2 to 5
// without who gave them when, and what the operations are documented to do.
// Accounts, and who checked a documentation when, are not part of it.
type Design struct {
	Format  int               `json:"format"`
	Effect  string            `json:"effect"`
	Answers []DesignAnswer    `json:"answers"`
	Calls   []DesignOperation `json:"operations"`
}

// DesignAnswer is an answer without its author.
type DesignAnswer struct {
	Field  string          `json:"field"`
	State  AnswerState     `json:"state"`
	Value  string          `json:"value"`
	Data   json.RawMessage `json:"data"`
	Reason string          `json:"reason"`
}

// DesignOperation is what a call does in one environment, whatever the account.
type DesignOperation struct {
	Environment string `json:"environment"`
	Behaviour
}

// Design takes the design out of the content.
func (c Content) Design() Design {
	d := Design{Format: c.Format, Effect: c.Control.Effect, Answers: []DesignAnswer{}, Calls: []DesignOperation{}}
	for _, a := range c.Answers {
		f, ok := FieldByKey(a.Field)
		if !ok || !f.Design {
			continue
		}
		answer := DesignAnswer{a.Field, a.State, a.Value, a.Data, a.Reason}
		if f.Kind == Operations { // names accounts; what the calls do follows below
			answer.Value, answer.Data = "", json.RawMessage("null")
		}
		d.Answers = append(d.Answers, answer)
	}
	for _, o := range c.Operations {
		d.Calls = append(d.Calls, DesignOperation{o.Environment, o.Behaviour})
	}
	return d
}

// Fingerprints are the two SHA-256 of a content, in lower-case hex, and the
// canonical text that the full one is taken from.
type Fingerprints struct {
	Full, Design string
	Canonical    string
}

// Fingerprints of the content: the same content always has the same ones.
func (c Content) Fingerprints() (Fingerprints, error) {
	full, fullHash, err := fingerprint(c)
	if err != nil {
		return Fingerprints{}, err
	}
	_, designHash, err := fingerprint(c.Design())
	return Fingerprints{Full: fullHash, Design: designHash, Canonical: full}, err
}

// DesignHash is the design fingerprint of the record as it stands: the one that
// a Snapshot has.
func DesignHash(q *gorm.DB, controlID int64) (string, error) {
	c := Content{Format: contentFormat}
	if err := q.Raw("select effect from controls where id = ?", controlID).Scan(&c.Control.Effect).Error; err != nil {
		return "", err
	}
	answers, err := current(q, controlID)
	if err != nil {
		return "", err
	}
	c.Answers = contentAnswers(answers)
	if c.Operations, err = contentOperations(q, answers["operation"]); err != nil {
		return "", err
	}
	_, hash, err := fingerprint(c.Design())
	return hash, err
}

// fingerprint is the RFC 8785 form of v and its SHA-256.
func fingerprint(v any) (canonical, hash string, err error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", "", err
	}
	b, err := jcs.Transform(plain)
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(b)
	return string(b), hex.EncodeToString(sum[:]), nil
}

// ParseContent reads the canonical text of a frozen revision.
func ParseContent(canonical string) (Content, error) {
	var c Content
	err := json.Unmarshal([]byte(canonical), &c)
	return c, err
}
