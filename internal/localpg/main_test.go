//go:build unix

package localpg

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestMain lets the test binary run as another process that uses a data folder:
// it prints the connection string and lets go when its standard input ends.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LOCALPG_CHILD_DIR"); dir != "" {
		os.Exit(child(dir, os.Getenv("LOCALPG_CHILD_MODE")))
	}
	os.Exit(m.Run())
}

func child(dir, mode string) int {
	o := Options{DataDir: dir, Throwaway: mode != "durable", NoDownload: true}
	if mode != "join" {
		o.Mode = Serve
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	inst, err := Open(ctx, o)
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println(inst.URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := inst.Close(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("closed")
	return 0
}

// neighbour is another process that uses the database.
type neighbour struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.Closer
	lines *bufio.Scanner
}

// startNeighbour starts another process on dir to "join" or "serve", or to serve
// with "durable" settings, as another account if cred says so.
func startNeighbour(t *testing.T, dir, mode string, cred *syscall.Credential) *neighbour {
	t.Helper()
	program := os.Args[0]
	if cred != nil {
		program = publicCopy(t, program)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "LOCALPG_CHILD_DIR="+dir, "LOCALPG_CHILD_MODE="+mode)
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	p := &neighbour{t: t, cmd: cmd, stdin: stdin, lines: bufio.NewScanner(stdout)}
	late := time.AfterFunc(90*time.Second, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop(); p.kill() })
	return p
}

// line is the next line the process prints: a connection string, "closed", or "error: ...".
func (p *neighbour) line() string {
	p.t.Helper()
	if !p.lines.Scan() {
		p.t.Fatalf("the other process ended without a word: %v", p.lines.Err())
	}
	return p.lines.Text()
}

func (p *neighbour) leave() {
	p.t.Helper()
	_ = p.stdin.Close()
	if got := p.line(); got != "closed" {
		p.t.Fatalf("the other process said %q instead of closed", got)
	}
	must(p.t, p.cmd.Wait())
}

func (p *neighbour) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// publicCopy puts a program where other accounts can run it.
func publicCopy(t *testing.T, program string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "localpg-public-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	text, err := os.ReadFile(program)
	must(t, err)
	path := filepath.Join(dir, "user")
	must(t, os.WriteFile(path, text, 0o755))
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// dataDir is a folder for one test; whatever still runs in it at the end is stopped.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	stopAtEnd(t, dir)
	return dir
}

func stopAtEnd(t *testing.T, dir string) {
	t.Cleanup(func() {
		if err := newCluster(dir, Options{}).stop(context.Background()); err != nil {
			t.Errorf("stop what is left: %v", err)
		}
	})
}

func open(t *testing.T, o Options) *Instance {
	t.Helper()
	o.Throwaway, o.NoDownload = true, true
	inst, err := Open(t.Context(), o)
	must(t, err)
	t.Cleanup(func() { _ = inst.Close() })
	return inst
}

// query runs one statement over a connection of its own and returns its first value.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	out, err := tryQuery(t.Context(), url, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func tryQuery(ctx context.Context, url, sql string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	var out string
	err = conn.QueryRow(ctx, sql).Scan(&out)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return out, err
}

func running(dir string) bool {
	_, ok := newCluster(dir, Options{}).postmaster()
	return ok
}

func urlIn(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "database-url"))
	must(t, err)
	return strings.TrimSpace(string(text))
}

// unprivileged is an account to run things as for tests that run as root, else nil.
func unprivileged(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("nobody")
	must(t, err)
	uid, err := strconv.Atoi(u.Uid)
	must(t, err)
	gid, err := strconv.Atoi(u.Gid)
	must(t, err)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
