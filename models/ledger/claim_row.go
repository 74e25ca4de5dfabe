package ledger

import (
	"encoding/json"
	"strings"
	"time"
)

// claimRow is what the statement is told: everything that can be made ready
// without the database, under the stamp that it confirms.
type claimRow struct {
	Control     int64    `json:"control"`
	Environment int64    `json:"environment"`
	Workflow    int64    `json:"workflow"`
	Destination int64    `json:"destination"`
	Revision    int64    `json:"revision"`
	Rule        *int64   `json:"rule,omitempty"` // nil: no revision has one
	Stamp       string   `json:"stamp"`
	Reaches     bool     `json:"reaches"`
	Approved    bool     `json:"approved"`
	Observe     bool     `json:"observe"`
	Keys        []keyRow `json:"keys,omitempty"` // to insert, the serving rule's first
	Base        []keyRow `json:"base,omitempty"` // a repeat: what it must repeat
	Key         string   `json:"key,omitempty"`
	Missing     *string  `json:"missing,omitempty"` // why there is no key
	Record      string   `json:"record"`
	Bare        bool     `json:"bare,omitempty"` // the record is one value, as a delivery names it
	Version     string   `json:"version"`
	Rank        *rank    `json:"rank,omitempty"`
	Ordering    string   `json:"ordering"`
	Delivery    int64    `json:"delivery,omitempty"`
	Worker      string   `json:"worker"`
	TokenHash   string   `json:"token_hash"`
	Lease       int      `json:"lease"`
	Repeat      int64    `json:"repeat,omitempty"`
	Token       int64    `json:"token,omitempty"`
	Asker       int64    `json:"asker,omitempty"`
	Input       string   `json:"input"` // its digest
	Nonce       string   `json:"nonce"`
	Lock        int64    `json:"lock,omitempty"`
	Idem        string   `json:"idem,omitempty"`
	Body        string   `json:"body,omitempty"`
}

type keyRow struct {
	Rule   int64  `json:"r"`
	Digest string `json:"d"`
}

// rank is a whole number of any size.
type rank string

// MarshalJSON writes the number bare.
func (r rank) MarshalJSON() ([]byte, error) { return json.Marshal(json.Number(r)) }

func rankOf(text string) *rank {
	if text == "" {
		return nil
	}
	if start := strings.TrimLeft(strings.TrimPrefix(text, "-"), "0"); start == "" {
		text = "0"
	} else if text[0] == '-' {
		text = "-" + start
	} else {
		text = start
	}
	r := rank(text)
	return &r
}

// claimResult is the statement's answer.
type claimResult struct {
	R          string    `json:"r"` // owner, a code, or reload, running, mismatch, over, no_delivery, no_repeat
	Action     int64     `json:"action"`
	State      State     `json:"state"`
	Result     string    `json:"result"`
	Review     int64     `json:"review"`
	Suppressed int64     `json:"suppressed"`
	Detail     string    `json:"detail"`
	Version    string    `json:"version"`
	Attempt    int64     `json:"attempt"`
	Number     int       `json:"number"`
	Key        string    `json:"key"`
	LeaseUntil time.Time `json:"lease_until"`
	Nonce      string    `json:"nonce"`
	Would      *wouldRow `json:"would"`
	Repeated   bool      `json:"repeated"`

	OtherRecord string `json:"other_record"` // of the delivery, where the input says another one
	gateRow
}

// gateRow is what the gate reads that can change at any moment.
type gateRow struct {
	Now               time.Time `json:"now"`
	OpenDiscrepancies int       `json:"open_discrepancies"`
	WaivedUntil       *day      `json:"waived_until"`
	ProvenUntil       *day      `json:"proven_until"`
	Stopped           bool      `json:"-"`
	StopReason        string    `json:"-"`
}

type wouldRow struct {
	Code   Code   `json:"code"`
	Action int64  `json:"action"`
	Review int64  `json:"review"`
	Detail string `json:"detail"`

	Version string `json:"version"`
}

// day is a calendar date as the database writes it in JSON.
type day time.Time

// UnmarshalJSON reads 2026-05-31.
func (d *day) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	t, err := time.Parse(time.DateOnly, text)
	*d = day(t)
	return err
}

func (d *day) time() *time.Time { return (*time.Time)(d) }
