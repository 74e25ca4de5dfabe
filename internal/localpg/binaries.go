//go:build unix

package localpg

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// OldestMajor is the oldest PostgreSQL that a new cluster is made with.
const OldestMajor = 15

// binaries is a folder with PostgreSQL's server programs.
type binaries struct {
	dir   string
	major int
}

func (b binaries) initdb() string   { return filepath.Join(b.dir, "initdb") }
func (b binaries) postgres() string { return filepath.Join(b.dir, "postgres") }
func (b binaries) String() string   { return fmt.Sprintf("%d (%s)", b.major, b.dir) }

// usualBinDirs lists where PostgreSQL's programs are found: PATH, then the
// folders of Debian, Red Hat and Homebrew packages.
func usualBinDirs() []string {
	var dirs []string
	if postgres, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(postgres))
		if real, err := filepath.EvalSymlinks(postgres); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/opt/homebrew/opt/postgresql/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql/bin",
		"/usr/local/pgsql/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		found, _ := filepath.Glob(pattern)
		dirs = append(dirs, found...)
	}
	return dirs
}

// installed asks the programs in dirs for their version: highest first, and
// for one version the first folder. Folders without them are left out.
func installed(ctx context.Context, dirs []string) []binaries {
	var all []binaries
	seen := map[string]bool{}
	for _, dir := range dirs {
		if seen[dir] {
			continue
		}
		seen[dir] = true
		b := binaries{dir: dir}
		if _, err := os.Stat(b.initdb()); err != nil {
			continue
		}
		if b.major = majorOf(ctx, b.postgres()); b.major > 0 {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b binaries) int { return b.major - a.major })
	return all
}

var versionLine = regexp.MustCompile(`PostgreSQL\) (\d+)`)

// majorOf is the major version a postgres program reports, 0 when it does not run.
func majorOf(ctx context.Context, postgres string) int {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, postgres, "--version").Output()
	if err != nil {
		return 0
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return 0
	}
	major, _ := strconv.Atoi(string(m[1]))
	return major
}

// programs finds the programs for this cluster. An existing cluster (major > 0)
// needs exactly its own major version; a new one takes the highest. With no
// PostgreSQL on the machine they are fetched, unless that is turned off. The
// errors say which version is needed, which were found, and what to do.
func (c *cluster) programs(ctx context.Context, major int) (binaries, error) {
	dirs := c.opt.BinDirs
	if dirs == nil {
		dirs = usualBinDirs()
	}
	found := installed(ctx, append(slices.Clone(dirs), c.fetched(major)...))
	for _, b := range found {
		if b.major == major || major == 0 && b.major >= OldestMajor {
			return b, nil
		}
	}
	if len(found) > 0 {
		names := make([]string, len(found))
		for i, b := range found {
			names[i] = b.String()
		}
		list := strings.Join(names, ", ")
		if major == 0 {
			return binaries{}, fmt.Errorf("PostgreSQL %d or newer is needed, and this machine has %s; install a newer one, or set DATABASE_URL",
				OldestMajor, list)
		}
		return binaries{}, fmt.Errorf("the data in %s was made by PostgreSQL %d, and this machine has %s; install PostgreSQL %d, or move the data with pg_dump from a machine that has it",
			c.pg(), major, list, major)
	}
	return c.fetch(ctx, major)
}
