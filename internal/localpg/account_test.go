//go:build unix

package localpg

import (
	"os"
	"path/filepath"
	"testing"
)

// Run as root this is about PostgreSQL's own account, which cannot enter either.
func TestInAFolderThatOthersCannotEnter(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "closed", "deeper")
	must(t, os.MkdirAll(parent, 0o700))
	dir := filepath.Join(parent, "data")
	stopAtEnd(t, dir)
	for range 2 {
		inst := open(t, Options{DataDir: dir, Mode: Serve})
		query(t, inst.URL(), "CREATE TABLE IF NOT EXISTS kept (v text)")
		must(t, inst.Close())
	}
	for path, want := range map[string]int{parent: os.Geteuid(), dir: os.Geteuid(), filepath.Join(dir, "pg"): accountOf(t, dir).uid} {
		if uid, _, _ := ownerOf(path); uid != want {
			t.Errorf("%s belongs to %d, want %d", path, uid, want)
		}
	}
	info, err := os.Stat(dir)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the data folder is %o", info.Mode().Perm())
	}
}

// Run by an ordinary user, both parts are played by that user.
func TestOrdinaryUserThenRoot(t *testing.T) {
	t.Parallel()
	cred := unprivileged(t)
	parent, err := os.MkdirTemp("", "localpg-user-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	if cred != nil {
		must(t, os.Chown(parent, int(cred.Uid), int(cred.Gid)))
	}
	dir := filepath.Join(parent, "data")
	stopAtEnd(t, dir)
	ordinary := startNeighbour(t, dir, "serve", cred)
	query(t, ordinary.line(), "CREATE TABLE kept (v text)")

	// Root joins the running one, and later starts it as its owner.
	joined := open(t, Options{DataDir: dir})
	query(t, joined.URL(), "INSERT INTO kept VALUES ('yes')")
	ordinary.leave()
	must(t, joined.Close())
	root := open(t, Options{DataDir: dir, Mode: Serve})
	query(t, root.URL(), "INSERT INTO kept VALUES ('again')")
	must(t, root.Close())

	// Nothing root wrote locks the owner out.
	again := startNeighbour(t, dir, "serve", cred)
	if got := query(t, again.line(), "SELECT count(*)::text FROM kept"); got != "2" {
		t.Errorf("%s rows, want 2", got)
	}
	again.leave()
}
