// Package testdb gives each test a private, fully migrated PostgreSQL database.
//
// It needs TEST_DATABASE_URL, a superuser's connection string; `make test` sets
// it to a throwaway cluster. To run a single package:
//
//	go run ./internal/withpg -- go test ./models/control
package testdb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"countersign/migrations"
	"countersign/models"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib" // the "pgx" driver
	"github.com/peterldowns/pgtestdb"
)

// New returns a fresh database that is dropped when the test ends. The test
// fails when there is no server to make it on.
func New(t testing.TB) *models.DB {
	t.Helper()
	db, err := models.Open(t.Context(), URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// Loaded is New with what load puts in. It is loaded once for each name and test
// binary, and copied for each test.
func Loaded(t testing.TB, name string, load func(context.Context, *models.DB) error) *models.DB {
	t.Helper()
	db, err := models.Open(t.Context(), pgtestdb.Custom(t, config(t), loader{name: name, load: load}).URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// URL returns the connection string of a fresh, migrated database.
func URL(t testing.TB) string {
	t.Helper()
	return pgtestdb.Custom(t, config(t), migrator{}).URL()
}

// Empty returns the connection string of a database without any table.
func Empty(t testing.TB) string {
	t.Helper()
	return pgtestdb.Custom(t, config(t), pgtestdb.NoopMigrator{}).URL()
}

func config(t testing.TB) pgtestdb.Config {
	t.Helper()
	raw := os.Getenv("TEST_DATABASE_URL")
	if raw == "" {
		t.Fatal("TEST_DATABASE_URL is not set: run `make test`, or `go run ./internal/withpg -- go test ./...`")
	}
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal("TEST_DATABASE_URL is not a connection string")
	}
	password, _ := u.User.Password()
	return pgtestdb.Config{DriverName: "pgx", Host: u.Hostname(), Port: u.Port(), User: u.User.Username(), Password: password,
		Database: u.Path[1:], Options: "sslmode=disable", ForceTerminateConnections: true}
}

type migrator struct{}

// Hash changes with every migration file, so that an old template is not reused.
func (migrator) Hash() (string, error) {
	h := sha256.New()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return "", err
	}
	for _, n := range names {
		b, err := fs.ReadFile(migrations.FS, n)
		if err != nil {
			return "", err
		}
		h.Write([]byte(n))
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

func (migrator) Migrate(ctx context.Context, _ *sql.DB, c pgtestdb.Config) error {
	pool, err := pgxpool.New(ctx, c.URL())
	if err != nil {
		return err
	}
	defer pool.Close()
	_, err = models.Migrate(ctx, pool)
	return err
}

// loader is a migrator that also loads data.
type loader struct {
	migrator
	name string
	load func(context.Context, *models.DB) error
}

// Hash changes with the test binary, as the data come from its code, and with the
// day, as they are dated from now.
func (l loader) Hash() (string, error) {
	code, err := binary()
	if err != nil {
		return "", err
	}
	h := sha256.Sum256(fmt.Append(code, l.name, time.Now().UTC().Format(time.DateOnly)))
	return hex.EncodeToString(h[:])[:16], nil
}

// binary is the digest of the test binary, which is read once.
var binary = sync.OnceValues(func() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	return h.Sum(nil), err
})

func (l loader) Migrate(ctx context.Context, conn *sql.DB, c pgtestdb.Config) error {
	if err := l.migrator.Migrate(ctx, conn, c); err != nil {
		return err
	}
	db, err := models.Open(ctx, c.URL())
	if err != nil {
		return err
	}
	defer db.Close()
	return l.load(ctx, db)
}
