//go:build unix

package localpg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDataSurvivesAStopAndTheFolderIsPrivate(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	inst := open(t, Options{DataDir: dir, Mode: Serve})
	query(t, inst.URL(), "CREATE TABLE kept (v text)")
	query(t, inst.URL(), "INSERT INTO kept VALUES ('yes')")
	if got := urlIn(t, dir); got != inst.URL() {
		t.Errorf("database-url holds %q, URL is %q", got, inst.URL())
	}
	// Ctrl-C in a terminal goes to our process group, which postgres must not be in.
	p, _ := newCluster(dir, Options{}).postmaster()
	if group, err := syscall.Getpgid(p.pid); err != nil || group != p.pid {
		t.Errorf("postgres is in process group %d (%v), want its own", group, err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, "database-url": 0o600, "pg": 0o700, "pg.log": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %q is %o, want %o", name, got, want)
		}
	}
	for sql, want := range map[string]string{
		"SHOW listen_addresses":        "127.0.0.1",
		"SHOW unix_socket_directories": "",
		"SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = 'countersign'": "UTF8",
		"SELECT left(rolpassword, 14) FROM pg_authid WHERE rolname = 'countersign'":           "SCRAM-SHA-256$",
	} {
		if got := query(t, inst.URL(), sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	if _, err := tryQuery(t.Context(), strings.Replace(inst.URL(), "countersign:", "countersign:x", 1), "SELECT 'in'"); err == nil {
		t.Error("a wrong password opens the database")
	}
	must(t, inst.Close())
	must(t, inst.Close())
	if running(dir) {
		t.Fatal("the last user left and the cluster runs on")
	}
	again := open(t, Options{DataDir: dir})
	if again.URL() != inst.URL() {
		t.Logf("the port was taken meanwhile: %s, then %s", inst.URL(), again.URL())
	}
	if got := query(t, again.URL(), "SELECT v FROM kept"); got != "yes" {
		t.Errorf("after a restart the row is %q", got)
	}
}

func TestDurableUnlessThrownAway(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	inst, err := Open(t.Context(), Options{DataDir: dir, NoDownload: true})
	must(t, err)
	defer inst.Close()
	for setting, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "max_connections": "200"} {
		if got := query(t, inst.URL(), "SHOW "+setting); got != want {
			t.Errorf("%s is %s, want %s", setting, got, want)
		}
	}
	must(t, inst.Close())
	loose := open(t, Options{DataDir: dir})
	for setting, want := range map[string]string{"fsync": "off", "max_connections": "400"} {
		if got := query(t, loose.URL(), "SHOW "+setting); got != want {
			t.Errorf("thrown away: %s is %s, want %s", setting, got, want)
		}
	}
}

func TestClusterOfAKilledOwnerIsAdopted(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := startNeighbour(t, dir, "serve", nil)
	url := server.line()
	query(t, url, "CREATE TABLE kept (v text)")
	before, ok := newCluster(dir, Options{}).postmaster()
	if !ok {
		t.Fatal("no cluster runs")
	}
	server.kill()
	if !running(dir) {
		t.Fatal("the cluster died with its owner")
	}
	inst := open(t, Options{DataDir: dir, Mode: Serve})
	if after, _ := newCluster(dir, Options{}).postmaster(); after.pid != before.pid {
		t.Errorf("process %d instead of the running %d", after.pid, before.pid)
	}
	query(t, inst.URL(), "INSERT INTO kept VALUES ('yes')")
	must(t, inst.Close())
	if running(dir) {
		t.Error("an adopted cluster is not stopped by its last user")
	}
}

func TestClusterThatWasKilledItselfRecovers(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := startNeighbour(t, dir, "durable", nil)
	query(t, server.line(), "CREATE TABLE kept (v text)")
	p, _ := newCluster(dir, Options{}).postmaster()
	server.kill()
	must(t, syscall.Kill(p.pid, syscall.SIGKILL))
	inst := open(t, Options{DataDir: dir})
	query(t, inst.URL(), "INSERT INTO kept VALUES ('yes')")
}

func TestStalePidFileOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	must(t, open(t, Options{DataDir: dir}).Close())
	// After a power cut the number may belong to anything, here to this test.
	path := filepath.Join(dir, "pg", "postmaster.pid")
	must(t, os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"+dir+"/pg\n1\n5432\n\n127.0.0.1\n"), 0o600))
	must(t, accountOf(t, dir).own(path))
	inst := open(t, Options{DataDir: dir})
	query(t, inst.URL(), "SELECT 'there'")
}

func accountOf(t *testing.T, dir string) account {
	t.Helper()
	who, err := accountFor(dir)
	must(t, err)
	return who
}

func TestSecondServerIsRefused(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := startNeighbour(t, dir, "serve", nil)
	url := server.line()
	_, err := Open(t.Context(), Options{DataDir: dir, Mode: Serve, NoDownload: true})
	if !errors.Is(err, ErrInUse) {
		t.Fatalf("a second server got %v", err)
	}
	for _, part := range []string{dir, "DATA_DIR", strconv.Itoa(server.cmd.Process.Pid)} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the refusal does not name %q: %v", part, err)
		}
	}
	query(t, url, "SELECT 'undisturbed'")
	server.leave()
	open(t, Options{DataDir: dir, Mode: Serve})
}

func TestLastLeaverStopsTheCluster(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := startNeighbour(t, dir, "serve", nil)
	url := server.line()
	command := open(t, Options{DataDir: dir})
	if command.URL() != url {
		t.Errorf("the command got %q, the server %q", command.URL(), url)
	}
	server.leave()
	query(t, command.URL(), "SELECT 'still there'")
	must(t, command.Close())
	if running(dir) {
		t.Error("the last user left and the cluster runs on")
	}
}

func TestTwoStartersAtOnce(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	a, b := startNeighbour(t, dir, "join", nil), startNeighbour(t, dir, "serve", nil)
	urlA, urlB := a.line(), b.line()
	if urlA != urlB {
		t.Fatalf("two clusters: %s and %s", urlA, urlB)
	}
	query(t, urlA, "SELECT 'there'")
	_ = a.stdin.Close() // both leave at once, too
	b.leave()
	a.leave()
	if running(dir) {
		t.Error("both left and the cluster runs on")
	}
}

// Joining and leaving over and over must never hit a cluster that is going away.
func TestComingAndGoing(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	errs := make(chan error, 3)
	for range 3 {
		go func() {
			var err error
			for range 4 {
				var inst *Instance
				if inst, err = Open(t.Context(), Options{DataDir: dir, Throwaway: true, NoDownload: true}); err != nil {
					break
				}
				_, err = tryQuery(t.Context(), inst.URL(), "SELECT 'there'")
				if err = errors.Join(err, inst.Close()); err != nil {
					break
				}
			}
			errs <- err
		}()
	}
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if running(dir) {
		t.Error("everybody left and the cluster runs on")
	}
}

func TestAStartThatIsBrokenOffLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // within initdb
	defer cancel()
	if _, err := Open(ctx, Options{DataDir: dir, Throwaway: true, NoDownload: true}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a start without time: %v", err)
	}
	if running(dir) {
		t.Error("a cluster runs after a start that failed")
	}
	inst := open(t, Options{DataDir: dir, Mode: Serve})
	query(t, inst.URL(), "SELECT 'there'")
}

func TestLostConnectionStringIsReplaced(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	inst := open(t, Options{DataDir: dir})
	must(t, inst.Close())
	must(t, os.Remove(filepath.Join(dir, "database-url")))
	server := startNeighbour(t, dir, "serve", nil)
	url := server.line()
	if url == inst.URL() {
		t.Error("a lost password came back")
	}
	query(t, url, "SELECT 'in'")
	server.kill() // and lost again, under a cluster that runs
	must(t, os.Remove(filepath.Join(dir, "database-url")))
	query(t, open(t, Options{DataDir: dir}).URL(), "SELECT 'in'")
}
