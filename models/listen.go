package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Anything is what Listen tells when changes may have been missed.
const Anything = "*"

const (
	pagesChannel = "countersign_pages"
	listenQuiet  = 30 * time.Second // then the connection is tried, because one that broke unnoticed says nothing
	listenAgain  = 5 * time.Second  // the longest wait before another connection is made
)

// Listen calls told with the number of whatever a committed change names (RR-12,
// RV-3, A-7, P-2 for a person, N-2 for that person's inbox), and with Anything each time that it has connected.
// It keeps one connection of its own, outside the pool, and makes another when
// that breaks. It returns when ctx ends.
func Listen(ctx context.Context, db *DB, told func(ref string)) {
	for wait := time.Duration(0); ; wait = min(2*wait+100*time.Millisecond, listenAgain) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if listen(ctx, db, told) {
			wait = 0
		}
	}
}

// listen hears until the connection breaks; heard is false when none was made.
func listen(ctx context.Context, db *DB, told func(ref string)) (heard bool) {
	cfg := db.Pool.Config().ConnConfig
	cfg.ConnectTimeout = 10 * time.Second
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return false
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(end)
	}()
	if _, err := conn.Exec(ctx, "listen "+pagesChannel); err != nil {
		return false
	}
	told(Anything)
	for {
		quiet, cancel := context.WithTimeout(ctx, listenQuiet)
		n, err := conn.WaitForNotification(quiet)
		late := quiet.Err() != nil
		cancel()
		switch {
		case err == nil:
			told(n.Payload)
		case ctx.Err() != nil || !late || !alive(ctx, conn):
			return true
		}
	}
}

func alive(ctx context.Context, conn *pgx.Conn) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return !conn.IsClosed() && conn.Ping(ctx) == nil
}

// TellPages tells every server's open pages that what ref names has changed,
// where no change of a row does.
func TellPages(ctx context.Context, db *DB, ref string) error {
	_, err := db.Pool.Exec(ctx, "select pg_notify($1, $2)", pagesChannel, ref)
	return Classify(err)
}
