package models

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// DB is the database that everything shares: one pgx pool, GORM on top of it
// for commands and queries, and an insert-only River client whose jobs commit
// with the command that asked for them.
type DB struct {
	Pool *pgxpool.Pool
	sql  *sql.DB
	gorm *gorm.DB
	jobs *river.Client[*sql.Tx]
}

// connections is how many a pool opens at most when the address names no
// pool_max_conns. A file that is received holds one until its end.
const connections = 20

// poolConfig reads the address of a database.
func poolConfig(url string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database address is not a PostgreSQL connection string")
	}
	plain, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database address is not a PostgreSQL connection string")
	}
	if _, named := plain.RuntimeParams["pool_max_conns"]; !named {
		cfg.MaxConns = connections
	}
	return cfg, nil
}

// Open connects to the PostgreSQL at url and waits until it answers or ctx ends.
// adjust may change how the pool connects, e.g. to trace its statements.
func Open(ctx context.Context, url string, adjust ...func(*pgxpool.Config)) (*DB, error) {
	cfg, err := poolConfig(url)
	if err != nil {
		return nil, err
	}
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = "countersign"
	}
	cfg.AfterConnect = settle
	for _, change := range adjust {
		change(cfg)
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	sqlDB := stdlib.OpenDBFromPool(pool)
	g, err := gorm.Open(postgres.New(postgres.Config{Conn: sqlDB}), &gorm.Config{
		Logger:                 logger.Discard,
		SkipDefaultTransaction: true,
		NowFunc:                func() time.Time { return time.Now().UTC() },
	})
	if err != nil {
		pool.Close()
		return nil, err
	}
	jobs, err := river.NewClient(riverdatabasesql.New(sqlDB), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &DB{Pool: pool, sql: sqlDB, gorm: g, jobs: jobs}, nil
}

// settle sets what every connection needs, whatever the server's defaults are:
// compiling a statement takes longer than any of ours runs, and what was answered
// as done must survive a crash of the database.
func settle(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, "select set_config('jit', 'off', false), case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', false) end")
	return err
}

// Close gives every connection back.
func (db *DB) Close() {
	_ = db.sql.Close()
	db.Pool.Close()
}

// Query is where reads start. Build each query from a fresh call: a reused
// one keeps its conditions.
func (db *DB) Query(ctx context.Context) *gorm.DB { return db.gorm.WithContext(ctx) }

// Now is the database's clock, in UTC.
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	err := db.Pool.QueryRow(ctx, "select now()").Scan(&now)
	return now.UTC(), Classify(err)
}
