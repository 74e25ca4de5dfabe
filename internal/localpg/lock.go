//go:build unix

package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// flock is an open lock file. The zero hold is none; a nil *flock can be released.
type flock struct{ f *os.File }

// openLock opens the lock file, making it if it is missing, and holds nothing yet.
func openLock(path string) (*flock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open a lock in the data folder: %w", err)
	}
	giveToOwnerOf(filepath.Dir(path), f)
	return &flock{f}, nil
}

// tryExclusive turns whatever is held into an exclusive hold, without waiting.
// When somebody else holds the file it reports false, and what was held before
// is lost.
func (l *flock) tryExclusive() (bool, error) { return l.try(syscall.LOCK_EX) }

// share takes or keeps a shared hold. It is called under start.lock, where
// nobody has a lasting exclusive one, so it does not wait.
func (l *flock) share() error {
	ok, err := l.try(syscall.LOCK_SH)
	if err == nil && !ok {
		err = fmt.Errorf("%w: %s is locked by a program that does not follow the rules", ErrInUse, l.f.Name())
	}
	return err
}

func (l *flock) try(how int) (bool, error) {
	for {
		err := syscall.Flock(int(l.f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return false, fmt.Errorf("lock %s: %w", l.f.Name(), err)
		}
	}
}

// release gives the hold up, even while a process that is just being started
// has inherited the file for a moment.
func (l *flock) release() {
	if l == nil || l.f == nil {
		return
	}
	_ = syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN)
	_ = l.f.Close()
	l.f = nil
}

// current reports whether the held file is still the one at its path: the
// folder may have been removed while its lock was waited for.
func (l *flock) current() bool {
	held, err := l.f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.f.Name())
	return err == nil && os.SameFile(held, there)
}

// lockGate makes the data folder if needed and takes start.lock, waiting for
// whoever is joining or leaving until ctx ends.
func (c *cluster) lockGate(ctx context.Context) (*flock, error) {
	said := false
	for {
		if err := os.MkdirAll(c.dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the data folder: %w", err)
		}
		gate, err := openLock(filepath.Join(c.dir, "start.lock"))
		if errors.Is(err, os.ErrNotExist) {
			continue // removed between the two calls
		}
		if err != nil {
			return nil, err
		}
		held, err := gate.tryExclusive()
		if err == nil && held && gate.current() {
			return gate, nil
		}
		gate.release()
		if err != nil {
			return nil, err
		}
		if held {
			continue
		}
		if !said {
			c.log.Info("Waiting for another process that is starting or stopping the database.", "folder", c.dir)
			said = true
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return nil, fmt.Errorf("wait for another process that is starting or stopping the database in %s: %w", c.dir, err)
		}
	}
}

// lockServe takes serve.lock for this process. It returns an error wrapping
// ErrInUse that names the folder when another server has it.
func lockServe(dir string) (*flock, error) {
	l, err := openLock(filepath.Join(dir, "serve.lock"))
	if err != nil {
		return nil, err
	}
	held, err := l.tryExclusive()
	if err == nil && !held {
		err = fmt.Errorf("%w: another server%s already runs on %s; stop it first, or set DATA_DIR to another folder",
			ErrInUse, holder(l.f), dir)
	}
	if err != nil {
		l.release()
		return nil, err
	}
	// The number is only for that message; failing to note it harms nothing.
	_ = l.f.Truncate(0)
	_, _ = l.f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return l, nil
}

func holder(f *os.File) string {
	buf := make([]byte, 20)
	n, _ := f.ReadAt(buf, 0)
	if pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n]))); err == nil {
		return fmt.Sprintf(" (process %d)", pid)
	}
	return ""
}

// pause waits for d or until ctx ends, and returns ctx's error in that case.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
