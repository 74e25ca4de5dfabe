//go:build unix

package localpg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeFetcher stands for the download: it never touches the network.
type fakeFetcher struct {
	err   error
	major int // what it was asked for
}

func (f *fakeFetcher) Fetch(ctx context.Context, major int, dir string) error {
	f.major = major
	if f.err != nil {
		return f.err
	}
	real := installed(ctx, usualBinDirs())
	if len(real) == 0 {
		return errors.New("the tests need PostgreSQL")
	}
	return os.Symlink(real[0].dir, filepath.Join(dir, "bin"))
}

func expectError(t *testing.T, o Options, parts ...string) {
	t.Helper()
	inst, err := Open(t.Context(), o)
	if err == nil {
		inst.Close()
		t.Fatal("opened")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
}

func TestDataOfAnotherMajorVersion(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	must(t, os.MkdirAll(filepath.Join(dir, "pg"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "pg", "PG_VERSION"), []byte("9\n"), 0o600))
	must(t, accountOf(t, t.TempDir()).own(filepath.Join(dir, "pg")))
	found := installed(t.Context(), usualBinDirs())
	if len(found) == 0 {
		t.Fatal("the tests need PostgreSQL")
	}
	expectError(t, Options{DataDir: dir}, dir, "was made by PostgreSQL 9", found[0].String(), "install PostgreSQL 9")
}

func TestNoProgramsAndNoDownload(t *testing.T) {
	t.Parallel()
	o := Options{DataDir: dataDir(t), BinDirs: []string{t.TempDir()}, NoDownload: true}
	expectError(t, o, "no PostgreSQL on this machine", "turned off", "apt-get install postgresql", "DATABASE_URL")
}

func TestNoProgramsAndTheDownloadFails(t *testing.T) {
	t.Parallel()
	f := &fakeFetcher{err: errors.New("the network is away")}
	o := Options{DataDir: dataDir(t), BinDirs: []string{t.TempDir()}, ProgramsDir: t.TempDir(), Fetch: f}
	expectError(t, o, "no PostgreSQL on this machine", "the network is away", "apt-get install postgresql")
	if f.major != DownloadMajor {
		t.Errorf("asked for version %d", f.major)
	}
	left, err := filepath.Glob(filepath.Join(o.ProgramsDir, "download-*"))
	if must(t, err); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFetchedProgramsAreUsed(t *testing.T) {
	t.Parallel()
	c := newCluster(dataDir(t), Options{BinDirs: []string{}, Fetch: &fakeFetcher{}})
	must(t, os.MkdirAll(c.dir, 0o700))
	for range 2 { // the second time they are in place, under the name of the version fetched
		b, err := c.programs(t.Context(), 0)
		must(t, err)
		if b.dir != filepath.Join(c.dir, "postgresql-17", "bin") {
			t.Errorf("programs in %s", b.dir)
		}
		c.opt.Fetch = &fakeFetcher{err: errors.New("fetched twice")}
	}
}
