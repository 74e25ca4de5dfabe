package ledger

import (
	"context"
	"encoding/json"
	"strings"

	"countersign/models"
)

// BareClaim is the statement that a claim comes to, as a pgbench script: a new
// key each time, everything else as a server sends it. For measurements only: the
// lease is the longest, so that none ends while they last.
func BareClaim(ctx context.Context, db *models.DB, by Caller, control, environment string) (string, error) {
	p, err := loadPlace(ctx, db, control, environment)
	if err != nil {
		return "", err
	}
	claim, err := p.prepare(by, ClaimCmd{Input: json.RawMessage(`{"request_id": "NAME"}`), Worker: "bench", LeaseSeconds: MaxLease})
	if err != nil {
		return "", err
	}
	row := claim.row
	row.TokenHash, row.Input = "HASH", "HASH"
	for i := range row.Keys {
		row.Keys[i].Digest = "HASH"
	}
	plain, err := json.MarshalIndent([]claimRow{row}, "", "")
	if err != nil {
		return "", err
	}
	// pgbench takes a colon before a letter for a variable of its own.
	text := strings.ReplaceAll(strings.ReplaceAll(string(plain), ":", `\u003a`), `"\u003a `, `": `)
	name := "'bench-' || :client_id || '-' || :n"
	return "\\set n random(1, 1000000000000000)\nselect ledger_claims(replace(replace($$" + text + "$$, 'HASH', encode(sha256(convert_to(" + name + ", 'UTF8')), 'hex')), 'NAME', " + name + ")::jsonb);\n", nil
}
