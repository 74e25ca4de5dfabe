//go:build unix

// Package localpg runs a private PostgreSQL under a data folder and shares it
// between the processes of one machine.
//
// Everything lives inside the data folder:
//
//	pg/            the cluster; belongs to the account PostgreSQL runs as
//	pg.log         what PostgreSQL printed
//	database-url   the connection string, mode 0600, rewritten at each start
//	lock           held shared by every process that uses the database
//	serve.lock     held by the one server
//	start.lock     held for the moment of joining or leaving
//
// Joining and leaving happen one at a time, under start.lock. Whoever joins
// takes a shared hold on lock and starts the cluster unless it runs already,
// also when it was left behind by a process that was killed. Whoever leaves and
// can turn its hold into an exclusive one is the last, and stops the cluster.
// The kernel drops the holds of a dead process, so nothing has to be cleaned up.
//
// PostgreSQL listens on 127.0.0.1 only, on a free port, and asks for a password
// that is stored nowhere but in database-url.
package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Mode says how a process means to use the data folder.
type Mode int

const (
	// Join is for a command: it uses the database next to whoever else does.
	Join Mode = iota
	// Serve is for the server: a second Serve on one data folder is refused.
	Serve
)

// DefaultStartTimeout bounds a start, recovery after a crash included.
const DefaultStartTimeout = 2 * time.Minute

// leaveTimeout bounds the wait for start.lock and the shutdown in Close.
const leaveTimeout = 2 * time.Minute

// ErrInUse is wrapped by the error for a data folder that is held by somebody else.
var ErrInUse = errors.New("the data folder is in use")

// Options says where and how to run the database.
type Options struct {
	DataDir string       // created with mode 0700 when missing
	Mode    Mode         // Join unless said otherwise
	Log     *slog.Logger // nil: silent

	// Fetch brings PostgreSQL's programs when the machine has none; nil: Download.
	Fetch Fetcher
	// NoDownload turns fetching off: missing programs are an error that says what to install.
	NoDownload bool
	// BinDirs are the folders to look for PostgreSQL's programs in; nil: the usual ones.
	BinDirs []string

	// ProgramsDir is where fetched programs are kept; "": the data folder, or, for
	// root, /var/lib/countersign, where the account that PostgreSQL runs as gets at them.
	ProgramsDir string

	// Throwaway trades durability for speed: a power cut may destroy the data. For tests.
	Throwaway bool
	// StartTimeout is how long a start may take; 0: DefaultStartTimeout.
	StartTimeout time.Duration
}

// Instance is one process's hold on the database. Close it to let go.
type Instance struct {
	c     *cluster
	url   string
	users *flock
	serve *flock // nil unless Mode is Serve

	once sync.Once
	err  error
}

// Open joins the database under o.DataDir, starting (and on the first use
// creating) it when it does not run. It returns an error wrapping ErrInUse when
// o.Mode is Serve and another server holds the folder; ctx's error when ctx ends
// first. On an error nothing is left held, and a cluster that nobody else uses
// is stopped again.
func Open(ctx context.Context, o Options) (*Instance, error) {
	dir, err := filepath.Abs(o.DataDir)
	if err != nil || o.DataDir == "" {
		return nil, fmt.Errorf("data folder %q: %w", o.DataDir, errors.Join(err, os.ErrInvalid))
	}
	c := newCluster(dir, o)
	gate, err := c.lockGate(ctx)
	if err != nil {
		return nil, err
	}
	defer gate.release()

	inst := &Instance{c: c}
	if o.Mode == Serve {
		if inst.serve, err = lockServe(dir); err != nil {
			return nil, err
		}
	}
	if err := inst.join(ctx); err != nil {
		inst.serve.release()
		return nil, err
	}
	return inst, nil
}

// join takes the shared hold and makes sure that the cluster runs. start.lock is held.
func (i *Instance) join(ctx context.Context) error {
	users, err := openLock(filepath.Join(i.c.dir, "lock"))
	if err != nil {
		return err
	}
	i.users = users
	alone, err := users.tryExclusive()
	if err == nil {
		err = users.share()
	}
	if err == nil {
		i.url, err = i.c.ensureRunning(ctx, alone)
	}
	if err != nil {
		return errors.Join(err, i.leave())
	}
	return nil
}

// leave gives the shared hold up and stops the cluster if nobody else has one.
// start.lock is held.
func (i *Instance) leave() error {
	defer i.users.release()
	last, err := i.users.tryExclusive()
	if err != nil || !last {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	return i.c.stop(ctx)
}

// URL is the connection string of the database, with the right to create others:
// postgres://countersign:PASSWORD@127.0.0.1:PORT/countersign?sslmode=disable
func (i *Instance) URL() string { return i.url }

// Close lets go of the database. The last user stops it with a fast shutdown
// (open connections are cut, everything committed is kept) and waits for its
// end. Closing twice is harmless and returns the first answer.
func (i *Instance) Close() error {
	i.once.Do(func() { i.err = i.close() })
	return i.err
}

func (i *Instance) close() error {
	defer i.serve.release()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	gate, err := i.c.lockGate(ctx)
	if err != nil {
		i.users.release()
		return fmt.Errorf("leave the database in %s, which may still run: %w", i.c.dir, err)
	}
	defer gate.release()
	return i.leave()
}
