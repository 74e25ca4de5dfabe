package models

import (
	"context"
	"database/sql"
	"fmt"

	"countersign/migrations"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// migrateLock keeps two servers that start together from migrating at once.
const migrateLock = 0x6d696772617465 // "migrate"

// Migrate brings the schema up to date: ours through goose, River's through its
// own migrator. It waits for another server that is doing the same, and returns
// how many of our migrations it applied.
func Migrate(ctx context.Context, pool *pgxpool.Pool) (applied int, err error) {
	sqlDB := stdlib.OpenDBFromPool(pool)
	defer sqlDB.Close()
	conn, err := sqlDB.Conn(ctx)
	if err != nil {
		return 0, Classify(err)
	}
	defer conn.Close()
	if err := lock(ctx, conn); err != nil {
		return 0, err
	}
	defer func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "select pg_advisory_unlock($1)", int64(migrateLock))
	}()

	provider, err := goose.NewProvider(goose.DialectPostgres, sqlDB, migrations.FS)
	if err != nil {
		return 0, err
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return 0, fmt.Errorf("migrate the database: %w", err)
	}
	rivers, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return 0, err
	}
	if _, err := rivers.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return 0, fmt.Errorf("migrate the job tables: %w", err)
	}
	return len(results), nil
}

func lock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "select pg_advisory_lock($1)", int64(migrateLock))
	return err
}

// Migrated reports whether the schema is the one this program was built for.
func Migrated(ctx context.Context, db *DB) (bool, error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, db.sql, migrations.FS)
	if err != nil {
		return false, err
	}
	pending, err := provider.HasPending(ctx)
	return !pending, Classify(err)
}
