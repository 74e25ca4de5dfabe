//go:build unix

package localpg

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// start brings the stopped cluster up, creating it first when there is none, and
// returns its connection string. The port of the last time is kept if it is
// free, so that connections to a restarted database find it again.
func (c *cluster) start(ctx context.Context) (string, error) {
	major, err := c.major()
	if err != nil {
		return "", err
	}
	bin, err := c.programs(ctx, major)
	if err != nil {
		return "", err
	}
	if major == 0 {
		if err := c.create(ctx, bin); err != nil {
			return "", err
		}
	}
	folder, err := os.Open(c.pg())
	if err != nil {
		return "", fmt.Errorf("open the database: %w", err)
	}
	defer folder.Close()
	c.dropStalePidFile()

	password, port, err := c.readURL()
	if err != nil {
		password = rand.Text()
		if err := c.single(ctx, bin, folder, "", "ALTER ROLE "+owner+" PASSWORD '"+password+"'"); err != nil {
			return "", c.who.explain(fmt.Errorf("set the database's password: %w", err), c.dir)
		}
	}
	began := time.Now()
	for try := 1; ; try++ {
		if port == 0 || !portIsFree(port) {
			if port, err = freePort(); err != nil {
				return "", err
			}
		}
		url := makeURL(password, port)
		// Written before the start: a cluster that comes up just as we are
		// killed can be adopted.
		if err := c.writeURL(url); err != nil {
			return "", err
		}
		said, err := c.launch(ctx, bin, folder, port, url)
		switch {
		case err == nil:
			c.log.Info("Database started.", "folder", c.dir, "postgresql", bin.major, "port", port)
			return url, nil
		case ctx.Err() != nil:
			return "", fmt.Errorf("start the database in %s: %w", c.dir, ctx.Err())
		case errors.Is(err, errPassword):
			return "", fmt.Errorf("start the database: %w; delete %s to have a new one made", err, c.urlFile())
		case strings.Contains(said, "could not bind") && try < 5:
			port = 0 // somebody was faster
		case strings.Contains(said, "shared memory block") && time.Since(began) < recovery:
			// Processes of a killed PostgreSQL are still going away.
			if err := pause(ctx, 100*time.Millisecond); err != nil {
				return "", err
			}
		default:
			return "", c.who.explain(fmt.Errorf("start the database: %w", err), c.dir)
		}
	}
}

// launch runs postgres and waits until it answers. When it does not, it is
// stopped again, and what it printed is returned with the error.
func (c *cluster) launch(ctx context.Context, bin binaries, folder *os.File, port int, url string) (said string, err error) {
	out, size, err := c.openLog()
	if err != nil {
		return "", err
	}
	defer out.Close()
	// Not bound to ctx: the cluster outlives the start, and maybe this process.
	args := append([]string{"-D", c.who.reach(folder)}, c.flags(port)...)
	cmd := c.who.command(context.WithoutCancel(ctx), folder, bin.postgres(), args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("run %s as %s: %w", bin.postgres(), c.who.name, err)
	}
	died := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(died)
	}()
	if err := c.waitReady(ctx, url, cmd.Process.Pid, died); err != nil {
		if stopErr := shutDown(cmd.Process.Pid, died); stopErr != nil {
			err = errors.Join(err, stopErr)
		}
		said = c.logSince(size)
		return said, fmt.Errorf("%w: %s", err, lastLines(said, 8))
	}
	return "", nil
}

// openLog opens pg.log for appending and reports its size. A large one is set
// aside first, over the one before.
func (c *cluster) openLog() (*os.File, int64, error) {
	path := c.logFile()
	if info, err := os.Stat(path); err == nil && info.Size() > 10<<20 {
		_ = os.Rename(path, path+".1")
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, 0, fmt.Errorf("open the database's log: %w", err)
	}
	giveToOwnerOf(c.dir, f)
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func (c *cluster) logFile() string { return filepath.Join(c.dir, "pg.log") }

func (c *cluster) logSince(size int64) string {
	text, err := os.ReadFile(c.logFile())
	if err != nil || int64(len(text)) < size {
		return ""
	}
	return string(text[size:])
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// freePort asks the system for a free TCP port on 127.0.0.1. Another program
// may take it before it is used; the caller tries again then.
func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func portIsFree(port int) bool {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	l.Close()
	return true
}
