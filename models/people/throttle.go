package people

import (
	"context"
	"hash/maphash"
	"math"
	"time"

	"countersign/models"
)

// How many failed sign-ins within throttleWindow are too many.
const (
	throttleWindow = 15 * time.Minute
	pairLimit      = 5  // one account from one address; a success starts the count again
	addressLimit   = 50 // one address over all accounts
	accountLimit   = 30 // one account over all addresses
	// The last two are for accounts that nobody has signed in to from this
	// address yet: guessing elsewhere never locks a colleague out.
)

// Advisory lock classes, always taken in this order.
const (
	lockAddress = 0x61646472 // "addr"
	lockEmail   = 0x6d61696c // "mail"
)

// A guess is counted as failed before the password is looked at, so that many
// at the same instant cannot pass the limits together. turns lets the guesses
// for one account from one address go one after the other, so that a person
// with two tabs is not counted as failing.
var (
	turns    [256]chan struct{}
	turnSeed = maphash.MakeSeed()
)

func init() {
	for i := range turns {
		turns[i] = make(chan struct{}, 1)
	}
}

// takeTurn waits for the pair's turn and returns how to give it back.
func takeTurn(ctx context.Context, email, address string) (func(), error) {
	turn := turns[maphash.String(turnSeed, email+"\x00"+address)%uint64(len(turns))]
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// reserve notes a guess as failed and returns its row. TooMany, with the wait,
// when a limit is reached; then nothing is noted.
func reserve(ctx context.Context, db *models.DB, email, address string) (int64, error) {
	return models.Do(ctx, db, models.Actor{}, nil, func(tx *models.Tx) (int64, error) {
		for _, l := range []struct {
			class int
			text  string
		}{{lockAddress, address}, {lockEmail, email}} {
			if err := tx.Exec("select pg_advisory_xact_lock(?, hashtext(?))", l.class, l.text).Error; err != nil {
				return 0, err
			}
		}
		// The clock, not the transaction's start: waiting for the locks took time.
		if err := tx.Raw("select clock_timestamp()").Row().Scan(&tx.Now); err != nil {
			return 0, err
		}
		if err := throttled(tx, email, address); err != nil {
			return 0, err
		}
		var id int64
		err := tx.Raw("insert into sign_ins (email, address, succeeded, at) values (?, ?, false, ?) returning id", email, address, tx.Now).Row().Scan(&id)
		return id, err
	})
}

// throttled is TooMany when one of the three limits is reached.
func throttled(tx *models.Tx, email, address string) error {
	since := tx.Now.Add(-throttleWindow)
	var known bool
	if err := tx.Raw("select exists (select from sign_ins where email = ? and address = ? and succeeded)", email, address).Row().Scan(&known); err != nil {
		return err
	}
	type limit struct {
		most  int
		where string
		args  []any
	}
	limits := []limit{{pairLimit, `email = ? and address = ? and id > coalesce((select max(id) from sign_ins
		where email = ? and address = ? and succeeded), 0)`, []any{email, address, email, address}}}
	if !known {
		limits = append(limits, limit{addressLimit, "address = ?", []any{address}}, limit{accountLimit, "email = ?", []any{email}})
	}
	var wait time.Duration
	for _, l := range limits {
		// The oldest failure that still counts: when it leaves the window there is room again.
		var oldest []time.Time
		if err := tx.Raw("select at from sign_ins where not succeeded and at > ? and "+l.where+" order by at desc offset ? limit 1",
			append(append([]any{since}, l.args...), l.most-1)...).Scan(&oldest).Error; err != nil {
			return err
		}
		for _, at := range oldest {
			wait = max(wait, at.Add(throttleWindow).Sub(tx.Now))
		}
	}
	if wait <= 0 {
		return nil
	}
	minutes := int(math.Ceil(wait.Minutes()))
	return &models.Error{Kind: models.KindTooMany, RetryAfter: int(math.Ceil(wait.Seconds())),
		Message: "Too many failed sign-ins. Wait " + plural(minutes, "minute") + ", then try again."}
}

// PruneSignIns removes what no limit needs any more: failures after 30 days,
// successes after a year.
func PruneSignIns(ctx context.Context, db *models.DB) error {
	return db.Query(ctx).Exec(`delete from sign_ins where at < now() - case when succeeded then interval '365 days' else interval '30 days' end`).Error
}
