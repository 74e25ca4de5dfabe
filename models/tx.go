package models

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river"
	"gorm.io/gorm"
)

// Tx is one command's transaction: GORM bound to it, the database's time fixed
// at its start, who it is for, and the audit events and jobs that commit with it.
type Tx struct {
	*gorm.DB
	Now time.Time // UTC; the same for the whole transaction
	By  Actor

	ctx    context.Context
	db     *DB
	events []pendingEvent
}

// Once makes a command safe to send twice: a second send of the same form with
// the same content gets the first answer. Embed it in the command; the value is
// the form's hidden `submission` field. An empty value switches this off.
//
// Idempotency is the same for a call of the API, where the key is the caller's.
type Once struct {
	Submission  string       `json:"-"`
	Idempotency *Idempotency `json:"-"`
}

func (o Once) once() Once { return o }

// Command is a struct that says everything about one change that somebody asks for.
type Command interface{ once() Once }

// Do runs fn as one command in one transaction and returns its answer.
//
// The same submission with the same content by the same person gets the stored
// first answer and fn does not run; two at the same instant wait for each other.
// When fn fails nothing is kept, and a Forbidden is recorded afterwards in a
// transaction of its own. A deadlock or serialization failure is tried again.
func Do[T any](ctx context.Context, db *DB, by Actor, cmd Command, fn func(*Tx) (T, error)) (T, error) {
	var answer T
	var err error
	for range 3 {
		answer, err = doOnce(ctx, db, by, cmd, fn)
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || (pg.Code != "40001" && pg.Code != "40P01") {
			break
		}
	}
	if err != nil {
		var zero T
		if IsKind(err, KindForbidden) {
			if e := db.recordRefusal(ctx, by, cmd, err); e != nil {
				return zero, errors.Join(err, e)
			}
		}
		return zero, Classify(err)
	}
	return answer, nil
}

func doOnce[T any](ctx context.Context, db *DB, by Actor, cmd Command, fn func(*Tx) (T, error)) (answer T, err error) {
	err = db.gorm.WithContext(ctx).Transaction(func(g *gorm.DB) error {
		tx := &Tx{DB: g, By: by, ctx: ctx, db: db}
		if err := g.Raw("select now()").Row().Scan(&tx.Now); err != nil {
			return err
		}
		tx.Now = tx.Now.UTC()
		key, err := submissionKey(by, cmd)
		if err != nil {
			return err
		}
		first, err := tx.firstAnswer(key, cmd)
		if err != nil {
			return err
		}
		if first != nil {
			NoteRepeat(ctx)
			if err := json.Unmarshal(first, &answer); err != nil {
				return err
			}
			if a, ok := any(&answer).(Again); ok {
				return a.Again(tx, cmd.once())
			}
			return nil
		}
		if answer, err = fn(tx); err != nil {
			return err
		}
		if err := tx.keepAnswer(key, cmd, answer); err != nil {
			return err
		}
		if err := tx.stillActive(); err != nil {
			return err
		}
		return tx.flushEvents()
	})
	return answer, err
}

// stillActive refuses what somebody asked for just before they were deactivated,
// and had to wait for.
func (tx *Tx) stillActive() error {
	if tx.By.ID == 0 {
		return nil
	}
	var active bool
	if err := tx.Raw("select active from people where id = ?", tx.By.ID).Row().Scan(&active); err != nil {
		return err
	}
	if !active {
		return Forbiddenf("Your account was deactivated before this was saved.")
	}
	return nil
}

type repeatKey struct{}

// WatchRepeats returns ctx in which a command that was answered from its first
// send is noted, and the note.
func WatchRepeats(ctx context.Context) (context.Context, *bool) {
	repeated := new(bool)
	return context.WithValue(ctx, repeatKey{}, repeated), repeated
}

// NoteRepeat notes that a first answer is given again, for whoever watches.
func NoteRepeat(ctx context.Context) {
	if repeated, ok := ctx.Value(repeatKey{}).(*bool); ok {
		*repeated = true
	}
}

// submissionKey is "" when the command carries no submission.
func submissionKey(by Actor, cmd Command) (string, error) {
	if cmd == nil || cmd.once().Submission == "" {
		return "", nil
	}
	content, err := json.Marshal(cmd)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d|%T|%q|%s", by.ID, cmd, cmd.once().Submission, content))
	return hex.EncodeToString(sum[:]), nil
}

// Again is what an answer implements that may have run out since it was first
// given, as a lease does. It is called, on the decoded first answer, before that
// is given again; its error is given instead.
type Again interface {
	Again(tx *Tx, once Once) error
}

// firstAnswer is the stored answer to an earlier send of cmd; nil when this is
// the first.
func (tx *Tx) firstAnswer(key string, cmd Command) (first []byte, err error) {
	if key != "" {
		if first, err = tx.claimSubmission(key); err != nil || first != nil {
			return first, err
		}
	}
	if cmd != nil && cmd.once().Idempotency != nil {
		return tx.claimIdempotency(*cmd.once().Idempotency)
	}
	return nil, nil
}

// keepAnswer stores the answer for a second send.
func (tx *Tx) keepAnswer(key string, cmd Command, answer any) error {
	if cmd == nil || key == "" && cmd.once().Idempotency == nil {
		return nil
	}
	stored, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	if key != "" {
		if err := tx.Exec("update submissions set answer = ?::jsonb where key = ?", string(stored), key).Error; err != nil {
			return err
		}
	}
	if i := cmd.once().Idempotency; i != nil {
		return tx.keepIdempotency(*i, stored)
	}
	return nil
}

// claimSubmission returns the first answer, or nil when this is the first.
// A concurrent first one is waited for.
func (tx *Tx) claimSubmission(key string) ([]byte, error) {
	r := tx.Exec("insert into submissions (key, answer) values (?, 'null') on conflict (key) do nothing", key)
	if r.Error != nil || r.RowsAffected == 1 {
		return nil, r.Error
	}
	var first []byte
	err := tx.Raw("select answer from submissions where key = ?", key).Row().Scan(&first)
	return first, err
}

// Enqueue adds a River job that starts only when this transaction commits.
func (tx *Tx) Enqueue(args river.JobArgs) error {
	conn, ok := tx.Statement.ConnPool.(*sql.Tx)
	if !ok {
		return errors.New("enqueue outside a transaction")
	}
	_, err := tx.db.jobs.InsertTx(tx.ctx, conn, args, nil)
	return err
}

// Context is the context the command runs under.
func (tx *Tx) Context() context.Context { return tx.ctx }

// PruneSubmissions forgets the first answers of forms sent over 30 days ago.
func PruneSubmissions(ctx context.Context, db *DB) error {
	return Classify(db.Query(ctx).Exec("delete from submissions where at < now() - interval '30 days'").Error)
}
