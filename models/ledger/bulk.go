package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"time"

	"countersign/models"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// BulkCmd adds made-up history at one place: actions with their deliveries,
// attempts, reports, lookups and refused repeats.
type BulkCmd struct {
	Control, Environment, Sender string
	N                            int
	From, Until                  time.Time // the history lies between, evenly
	Seed                         uint64
}

// bulkSize is how many actions are copied in one transaction.
const bulkSize = 5000

// Bulk writes history with COPY, past the commands: only for made-up data. Keys
// are those of the rules that serve, so a claim of the same input finds its
// action. done is told after each commit how many there are. Errors are loadPlace's.
func Bulk(ctx context.Context, db *models.DB, by models.Actor, cmd BulkCmd, done func(int)) error {
	p, err := loadPlace(ctx, db, cmd.Control, cmd.Environment)
	if err != nil {
		return models.Classify(err)
	}
	if !p.HasRule {
		return models.Invalid("control", "%s", p.blockedWords("no_rule"))
	}
	var sender int64
	if err := db.Pool.QueryRow(ctx, "select coalesce((select id from senders where workflow_id = $1 and slug = $2), 0)", p.Workflow, cmd.Sender).Scan(&sender); err != nil {
		return models.Classify(err)
	}
	r := rand.New(rand.NewPCG(cmd.Seed, 7))
	step := cmd.Until.Sub(cmd.From) / time.Duration(max(cmd.N, 1))
	for made := 0; made < cmd.N; {
		n := min(bulkSize, cmd.N-made)
		b := bulk{place: p, sender: sender, by: by, r: r, counted: map[string]int64{}}
		if err := b.write(ctx, db, n, cmd.From.Add(time.Duration(made)*step), step); err != nil {
			return models.Classify(err)
		}
		made += n
		done(made)
	}
	return nil
}

// bulk is one transaction's rows.
type bulk struct {
	*place
	sender  int64
	by      models.Actor
	r       *rand.Rand
	counted map[string]int64 // repeats by day

	deliveries, actions, keys, attempts, reports, lookups, suppressed [][]any
}

func (b *bulk) write(ctx context.Context, db *models.DB, n int, from time.Time, step time.Duration) error {
	return pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		actions, err := reserve(ctx, tx, "actions_id_seq", n)
		if err != nil {
			return err
		}
		attempts, err := reserve(ctx, tx, "attempts_id_seq", 2*n)
		if err != nil {
			return err
		}
		deliveries, err := reserve(ctx, tx, "deliveries_id_seq", 2*n)
		if err != nil {
			return err
		}
		for i := range n {
			if err := b.add(actions[i], attempts[2*i:2*i+2], deliveries[2*i:2*i+2], from.Add(time.Duration(i)*step)); err != nil {
				return err
			}
		}
		return b.copy(ctx, tx)
	})
}

// reserve takes n numbers of a sequence.
func reserve(ctx context.Context, tx pgx.Tx, sequence string, n int) ([]int64, error) {
	rows, err := tx.Query(ctx, "select nextval($1::regclass) from generate_series(1, $2)", sequence, n)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// add makes one action with what led to it and what became of it.
func (b *bulk) add(id int64, attempts, deliveries []int64, at time.Time) error {
	record, event := fmt.Sprintf("request-load-%d", id), fmt.Sprintf("event-load-%d", id)
	input, err := json.Marshal(map[string]any{"event_id": event, "request_id": record, "approved_version": 1})
	if err != nil {
		return err
	}
	worker := fmt.Sprintf("worker-load-%d", b.r.IntN(40))
	claim, err := b.prepare(Person(b.by), ClaimCmd{Input: input, Worker: worker, Version: "1"})
	if err != nil {
		return err
	}
	if claim.row.Missing != nil {
		return models.Invalid("control", "The rule of %s finds nothing in made-up inputs: %s", b.ControlName, *claim.row.Missing)
	}
	body := sha256.Sum256(input)
	b.deliveries = append(b.deliveries, []any{deliveries[0], b.Workflow, b.Environment, b.sender, event, record, "1", wholeNumeric(1), body[:], Accepted, nil, at})
	for _, k := range claim.row.Keys {
		digest, err := hex.DecodeString(k.Digest)
		if err != nil {
			return err
		}
		b.keys = append(b.keys, []any{b.Control, b.Environment, k.Rule, digest, id})
	}

	state, tries, last := Succeeded, 1, at.Add(2*time.Second)
	switch n := b.r.IntN(100); {
	case n < 3:
		state = Unknown
	case n < 6:
		state = Failed
	case n < 15:
		tries = 2
	}
	result, settled := "", any(nil)
	for i := range tries {
		began := at.Add(time.Duration(1+20*i) * time.Second)
		said := state
		if i < tries-1 {
			said = Failed
		}
		if said == Succeeded {
			result, settled = fmt.Sprintf("task-load-%d", id), attempts[i]
		}
		last = began.Add(time.Duration(500+b.r.IntN(4000)) * time.Millisecond)
		b.try(id, attempts[i], i+1, worker, said, result, began, last)
	}
	if state == Unknown && b.r.IntN(2) == 0 {
		b.lookups = append(b.lookups, []any{id, attempts[tries-1], "GET /tasks?external_reference=" + record, []Looked{NotFound, Inconclusive}[b.r.IntN(2)], last.Add(time.Minute), true, Unknown, Unknown, last.Add(time.Minute)})
	}
	if b.r.IntN(100) < 8 {
		b.repeat(id, deliveries, event, record, input, at.Add(time.Hour))
	}
	b.actions = append(b.actions, []any{id, b.Workflow, b.Environment, b.Control, b.Destination, b.Revision.ID, claim.row.Keys[0].Rule, claim.row.Key, record, "1", wholeNumeric(1), deliveries[0],
		state, attempts[tries-1], tries, tries - 1, last, last, result, settled, at, last})
	return nil
}

func (b *bulk) try(action, attempt int64, number int, worker string, said State, result string, began, ended time.Time) {
	kind, detail := "first", ""
	if number > 1 {
		kind = "retry"
	}
	switch said {
	case Failed:
		detail = "Rejected: 422"
	case Unknown:
		detail = "No answer in 30 s"
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "made-up attempt %d", attempt))
	b.attempts = append(b.attempts, []any{attempt, action, number, kind, worker, hash[:], b.Revision.ID, DefaultLease, began.Add(DefaultLease * time.Second), said, result, detail, ended, began})
	b.reports = append(b.reports, []any{action, attempt, said, result, detail, Pending, said, ended})
}

// repeat is the same notification again, whose claim was refused.
func (b *bulk) repeat(action int64, deliveries []int64, event, record string, input []byte, at time.Time) {
	body := sha256.Sum256(input)
	b.deliveries = append(b.deliveries, []any{deliveries[1], b.Workflow, b.Environment, b.sender, event, record, "1", wholeNumeric(1), body[:], Duplicate, deliveries[0], at})
	b.suppressed = append(b.suppressed, []any{action, b.Workflow, b.Environment, b.Control, CodeAlready, "worker-load-repeat", deliveries[1], record, "1", wholeNumeric(1), body[:], at})
	b.counted[at.UTC().Format(time.DateOnly)]++
}

func wholeNumeric(n int64) pgtype.Numeric { return pgtype.Numeric{Int: big.NewInt(n), Valid: true} }

func (b *bulk) copy(ctx context.Context, tx pgx.Tx) error {
	for _, t := range []struct {
		table   string
		columns []string
		rows    [][]any
	}{
		{"deliveries", []string{"id", "workflow_id", "environment_id", "sender_id", "event_id", "record_id", "source_version", "version_rank", "digest", "disposition", "first_delivery_id", "received_at"}, b.deliveries},
		{"action_keys", []string{"control_id", "environment_id", "rule_id", "digest", "action_id"}, b.keys},
		{"actions", []string{"id", "workflow_id", "environment_id", "control_id", "destination_id", "revision_id", "rule_id", "identity_key", "record_id", "version", "version_rank", "delivery_id",
			"state", "attempt_id", "attempts", "automatic", "lease_until", "ended_at", "result_id", "settled_by", "created_at", "changed_at"}, b.actions},
		{"attempts", []string{"id", "action_id", "number", "kind", "worker", "token_hash", "revision_id", "lease_seconds", "lease_until", "outcome", "result_id", "detail", "ended_at", "started_at"}, b.attempts},
		{"attempt_reports", []string{"action_id", "attempt_id", "said", "result_id", "detail", "before", "after", "at"}, b.reports},
		{"lookups", []string{"action_id", "attempt_id", "method", "result", "began_at", "counts", "before", "after", "at"}, b.lookups},
		{"suppressed_claims", []string{"action_id", "workflow_id", "environment_id", "control_id", "code", "worker", "delivery_id", "record_id", "version", "version_rank", "input_digest", "at"}, b.suppressed},
	} {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.table}, t.columns, pgx.CopyFromRows(t.rows)); err != nil {
			return fmt.Errorf("%s: %w", t.table, err)
		}
	}
	for day, n := range b.counted {
		if _, err := tx.Exec(ctx, `insert into counters (control_id, environment_id, day, kind, slot, n) values ($1, $2, $3::text::date, 'repeat', 0, $4)
			on conflict (control_id, environment_id, day, kind, slot) do update set n = counters.n + excluded.n`, b.Control, b.Environment, day, n); err != nil {
			return err
		}
	}
	return nil
}
