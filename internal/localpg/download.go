//go:build unix

package localpg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// DownloadMajor is the PostgreSQL that is fetched for a new cluster.
const DownloadMajor = 17

// Fetcher brings PostgreSQL's server programs to a machine that has none.
type Fetcher interface {
	// Fetch puts bin/, lib/ and share/ of the given major version into dir,
	// which exists and is empty.
	Fetch(ctx context.Context, major int, dir string) error
}

// Download fetches published builds over the network, checked against the
// checksum that is published with them.
//
// Limits: builds exist for the majors below on Linux and macOS, amd64 and arm64;
// they bring no client programs; and a transfer that is under way when ctx ends
// is left to finish or fail on its own, in a folder of its own.
type Download struct {
	// Repository replaces the usual place of the builds, for a mirror.
	Repository string
}

var published = map[int]embeddedpostgres.PostgresVersion{
	15: embeddedpostgres.V15,
	16: embeddedpostgres.V16,
	17: embeddedpostgres.V17,
	18: embeddedpostgres.V18,
}

// Fetch implements Fetcher. The library behind it only knows how to fetch and
// start in one go. It is therefore given a data folder that claims to be
// initialised but is empty, in which the start fails at once, after the fetch.
func (d Download) Fetch(ctx context.Context, major int, dir string) error {
	version, ok := published[major]
	if !ok {
		return fmt.Errorf("no build of PostgreSQL %d is published", major)
	}
	scratch, err := os.MkdirTemp("", "postgresql-download-")
	if err != nil {
		return err
	}
	empty := filepath.Join(scratch, "data")
	err = errors.Join(os.Mkdir(empty, 0o700),
		os.WriteFile(filepath.Join(empty, "PG_VERSION"), []byte(strconv.Itoa(major)+"\n"), 0o600))
	if err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	config := embeddedpostgres.DefaultConfig().Version(version).Port(uint32(port)).Logger(io.Discard).
		CachePath(filepath.Join(scratch, "archive")).RuntimePath(filepath.Join(scratch, "runtime")).
		DataPath(empty).BinariesPath(dir)
	if d.Repository != "" {
		config = config.BinaryRepositoryURL(d.Repository)
	}
	done := make(chan error, 1)
	go func() {
		defer func() { _ = os.RemoveAll(scratch) }()
		server := embeddedpostgres.NewDatabase(config)
		err := server.Start()
		if err == nil {
			err = server.Stop()
		}
		done <- err
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err = <-done:
	}
	for _, program := range []string{"initdb", "postgres"} {
		if _, statErr := os.Stat(filepath.Join(dir, "bin", program)); statErr != nil {
			return errors.Join(err, statErr)
		}
	}
	return nil // whatever the start said, the programs are there
}

// fetchRoot is where fetched programs are kept, see Options.ProgramsDir.
func (c *cluster) fetchRoot() string {
	switch {
	case c.opt.ProgramsDir != "":
		return c.opt.ProgramsDir
	case c.who.other:
		return "/var/lib/countersign"
	default:
		return c.dir
	}
}

func (c *cluster) fetchedDir(major int) string {
	return filepath.Join(c.fetchRoot(), "postgresql-"+strconv.Itoa(major))
}

// fetched lists the folders that an earlier fetch may have filled.
func (c *cluster) fetched(major int) []string {
	if major == 0 {
		major = DownloadMajor
	}
	return []string{filepath.Join(c.fetchedDir(major), "bin")}
}

// fetch brings the programs and puts them in place in one step, so that an
// interrupted fetch is never taken for a whole one.
func (c *cluster) fetch(ctx context.Context, major int) (binaries, error) {
	if major == 0 {
		major = DownloadMajor
	}
	advice := fmt.Sprintf("install PostgreSQL %d or newer (Debian, Ubuntu: apt-get install postgresql; macOS: brew install postgresql@%d), or set DATABASE_URL to a PostgreSQL that runs",
		OldestMajor, DownloadMajor)
	if c.opt.NoDownload {
		return binaries{}, fmt.Errorf("no PostgreSQL on this machine, and downloading is turned off; %s", advice)
	}
	c.log.Info("No PostgreSQL on this machine: downloading it, once.", "version", major, "to", c.fetchedDir(major))
	b, err := c.fetchInto(ctx, major)
	if err != nil {
		return binaries{}, fmt.Errorf("no PostgreSQL on this machine, and downloading version %d for %s/%s failed: %w; %s",
			major, runtime.GOOS, runtime.GOARCH, err, advice)
	}
	c.log.Info("PostgreSQL downloaded.", "version", major)
	return b, nil
}

func (c *cluster) fetchInto(ctx context.Context, major int) (binaries, error) {
	fetcher := c.opt.Fetch
	if fetcher == nil {
		fetcher = Download{}
	}
	if err := os.MkdirAll(c.fetchRoot(), 0o755); err != nil {
		return binaries{}, err
	}
	part, err := os.MkdirTemp(c.fetchRoot(), "download-")
	if err != nil {
		return binaries{}, err
	}
	defer func() { _ = os.RemoveAll(part) }()
	if err := fetcher.Fetch(ctx, major, part); err != nil {
		return binaries{}, err
	}
	if err := os.Chmod(part, 0o755); err != nil {
		return binaries{}, err
	}
	final := c.fetchedDir(major)
	if err := os.Rename(part, final); err != nil && !errors.Is(err, os.ErrExist) {
		return binaries{}, err // ErrExist: another data folder's fetch was first
	}
	found := installed(ctx, []string{filepath.Join(final, "bin")})
	if len(found) == 0 {
		return binaries{}, fmt.Errorf("what was fetched into %s does not run", final)
	}
	return found[0], nil
}
