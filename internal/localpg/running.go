//go:build unix

package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// errPassword: the password in database-url is missing or is not the cluster's.
var errPassword = errors.New("the password in database-url is missing or wrong")

// errGone: the running cluster ended while it was being joined.
var errGone = errors.New("the database ended meanwhile")

// process is a running postgres as its postmaster.pid describes it.
type process struct {
	pid, port int // port 0: not chosen yet
}

func (c *cluster) pidFile() string { return filepath.Join(c.pg(), "postmaster.pid") }

// postmaster reports the process that runs this cluster. A postmaster.pid left
// by a power cut does not count, even if its number belongs to another process now.
func (c *cluster) postmaster() (process, bool) {
	text, err := os.ReadFile(c.pidFile())
	if err != nil {
		return process{}, false
	}
	lines := strings.Split(string(text), "\n")
	var p process
	p.pid, err = strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || p.pid <= 1 || !c.runs(p.pid) {
		return process{}, false
	}
	if len(lines) > 3 {
		p.port, _ = strconv.Atoi(strings.TrimSpace(lines[3]))
	}
	return p, true
}

// runs reports whether pid is a postgres working in this cluster's folder, where
// every postgres stays for its whole life. Without /proc its name has to do.
func (c *cluster) runs(pid int) bool {
	if runtime.GOOS == "linux" {
		there, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
		if err != nil {
			return false // gone, a zombie, or another account's
		}
		ours, err := os.Stat(c.pg())
		return err == nil && os.SameFile(there, ours)
	}
	out, err := exec.Command("ps", "-o", "stat=,comm=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), "postgres") && !strings.HasPrefix(string(out), "Z")
}

// dropStalePidFile removes a postmaster.pid that no process stands behind:
// postgres would refuse to start while its number is in use by anything else.
func (c *cluster) dropStalePidFile() {
	if _, running := c.postmaster(); !running {
		_ = os.Remove(c.pidFile())
	}
}

// adopt waits until the running process answers and returns its connection
// string. It returns errPassword when database-url does not open it, errGone
// when it ends meanwhile.
func (c *cluster) adopt(ctx context.Context, p process) (string, error) {
	password, _, err := c.readURL()
	if err != nil {
		return "", fmt.Errorf("%w: %w", errPassword, err)
	}
	for p.port == 0 { // just starting: the port is written in the next moment
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return "", fmt.Errorf("wait for the database in %s: %w", c.dir, err)
		}
		var running bool
		if p, running = c.postmaster(); !running {
			return "", fmt.Errorf("%w: %s; see %s", errGone, c.dir, c.logFile())
		}
	}
	url := makeURL(password, p.port)
	if err := c.waitReady(ctx, url, p.pid, nil); err != nil {
		return "", fmt.Errorf("join the database in %s: %w", c.dir, err)
	}
	c.log.Debug("Joined the running database.", "folder", c.dir, "port", p.port)
	return url, c.writeURL(url)
}

// waitReady waits until url answers and is the process pid. died is closed when
// pid ends; nil when it is not our child.
func (c *cluster) waitReady(ctx context.Context, url string, pid int, died <-chan struct{}) error {
	for {
		err := ping(ctx, url, pid)
		if err == nil || errors.Is(err, errPassword) {
			return err
		}
		select {
		case <-died:
			return errors.New("PostgreSQL ended at once")
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(30 * time.Millisecond):
		}
		if died == nil && !c.runs(pid) {
			return fmt.Errorf("%w: %w", errGone, err)
		}
	}
}

// ping connects and checks that the answer comes from the process pid.
func ping(ctx context.Context, url string, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) && (pgErr.Code == "28P01" || pgErr.Code == "28000") {
			return fmt.Errorf("%w: %s", errPassword, pgErr.Message)
		}
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var answered string
	if err := conn.QueryRow(ctx, `SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)`).Scan(&answered); err != nil {
		return err
	}
	if answered != strconv.Itoa(pid) {
		return fmt.Errorf("process %s answers instead of %d", answered, pid)
	}
	return nil
}

// stop shuts the cluster down, fast, and waits for its end. A cluster that does
// not run is fine. When ctx ends first the shutdown becomes an immediate one.
func (c *cluster) stop(ctx context.Context) error {
	p, running := c.postmaster()
	if !running {
		return nil
	}
	if err := syscall.Kill(p.pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the database in %s (process %d): %w", c.dir, p.pid, err)
	}
	for c.runs(p.pid) {
		if pause(ctx, 10*time.Millisecond) != nil {
			_ = syscall.Kill(p.pid, syscall.SIGQUIT)
			return fmt.Errorf("the database in %s (process %d) did not stop in time; it was told to stop at once and will recover at the next start", c.dir, p.pid)
		}
	}
	c.log.Info("Database stopped.", "folder", c.dir)
	return nil
}

// shutDown ends a child that did not come up: fast, after 10 seconds at once,
// after 10 more by force.
func shutDown(pid int, died <-chan struct{}) error {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		_ = syscall.Kill(pid, sig)
		select {
		case <-died:
			return nil
		case <-time.After(10 * time.Second):
		}
	}
	return fmt.Errorf("PostgreSQL (process %d) cannot be stopped", pid)
}
