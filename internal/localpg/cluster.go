//go:build unix

package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// owner is the name of both the superuser and the database.
const owner = "countersign"

// access is the whole of pg_hba.conf: this machine only, password only.
const access = `# Written by countersign: connections from this machine, with the password in database-url.
host all all 127.0.0.1/32 scram-sha-256
`

// cluster is the database under one data folder. Its methods are called under start.lock.
type cluster struct {
	dir string // absolute
	opt Options
	log *slog.Logger
	who account
}

func newCluster(dir string, o Options) *cluster {
	c := &cluster{dir: dir, opt: o, log: o.Log}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.opt.StartTimeout == 0 {
		c.opt.StartTimeout = DefaultStartTimeout
	}
	return c
}

func (c *cluster) pg() string { return filepath.Join(c.dir, "pg") }

// ensureRunning returns the connection string of the running cluster, after
// adopting, starting or creating it. alone: no other process uses it.
func (c *cluster) ensureRunning(ctx context.Context, alone bool) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opt.StartTimeout)
	defer cancel()
	var err error
	if c.who, err = accountFor(c.dir); err != nil {
		return "", err
	}
	if p, ok := c.postmaster(); ok {
		url, err := c.adopt(ctx, p)
		switch {
		case err == nil || !alone:
			return url, err
		case errors.Is(err, errGone):
			c.log.Warn("The database ended just now; starting it again.", "folder", c.dir)
		case errors.Is(err, errPassword):
			c.log.Warn("The password of the running database is lost; restarting it with a new one.", "folder", c.dir)
			if err := c.stop(ctx); err != nil {
				return "", err
			}
			_ = os.Remove(c.urlFile())
		default:
			return "", err
		}
	} else if !alone {
		return "", fmt.Errorf("the database in %s is used by other processes but does not run any more (see %s); end them, then try again",
			c.dir, c.logFile())
	}
	return c.start(ctx)
}

// major is the version the cluster was made by; 0 when there is none yet.
func (c *cluster) major() (int, error) {
	text, err := os.ReadFile(filepath.Join(c.pg(), "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the version of the database: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s/PG_VERSION says %q, which is no version of PostgreSQL", c.pg(), strings.TrimSpace(string(text)))
	}
	return major, nil
}

// create makes the cluster in a folder beside its own and moves it into place
// when it is complete, so that a creation that was killed starts over.
func (c *cluster) create(ctx context.Context, bin binaries) error {
	c.log.Info("Creating the database.", "folder", c.dir, "postgresql", bin.major, "as", c.who.name)
	half := filepath.Join(c.dir, "init")
	if err := errors.Join(os.RemoveAll(half), os.Mkdir(half, 0o700)); err != nil {
		return fmt.Errorf("make room for the database: %w", err)
	}
	if err := c.who.own(half); err != nil {
		return fmt.Errorf("give the database's folder to %s: %w", c.who.name, err)
	}
	folder, err := os.Open(half)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := c.initdb(ctx, bin, folder, "C.UTF-8"); err != nil {
		c.log.Debug("No locale C.UTF-8 here, using C.", "error", err)
		if err := errors.Join(os.RemoveAll(filepath.Join(half, "pg")), c.initdb(ctx, bin, folder, "C")); err != nil {
			return c.who.explain(fmt.Errorf("create the database: %w", err), c.dir)
		}
	}
	if err := c.single(ctx, bin, folder, "pg", "CREATE DATABASE "+owner); err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	if err := writeSynced(filepath.Join(half, "pg", "pg_hba.conf"), access); err != nil {
		return fmt.Errorf("write the access rules of the database: %w", err)
	}
	// A connection string left over from another cluster must not outlive it.
	if err := os.Remove(c.urlFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(filepath.Join(half, "pg"), c.pg()); err != nil {
		return fmt.Errorf("put the new database into place: %w", err)
	}
	syncFolder(c.dir)
	return os.RemoveAll(half)
}

func (c *cluster) initdb(ctx context.Context, bin binaries, folder *os.File, locale string) error {
	args := []string{"-D", filepath.Join(c.who.reach(folder), "pg"), "-U", owner,
		"--encoding=UTF8", "--locale=" + locale, "--auth=reject"}
	if c.opt.Throwaway {
		args = append(args, "--no-sync")
	}
	out, err := c.who.command(ctx, folder, bin.initdb(), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", errors.Join(ctx.Err(), err), lastLines(string(out), 6))
	}
	return nil
}

// single runs statements (without newlines) on the stopped cluster at sub below
// folder, where no password is asked for.
func (c *cluster) single(ctx context.Context, bin binaries, folder *os.File, sub string, statements ...string) error {
	cmd := c.who.command(ctx, folder, bin.postgres(), "--single", "-D", filepath.Join(c.who.reach(folder), sub),
		"-c", "exit_on_error=true", "-c", "log_min_error_statement=panic", "-c", "log_checkpoints=off", "postgres")
	cmd.Stdin = strings.NewReader(strings.Join(statements, ";\n") + ";\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("postgres --single: %w: %s", errors.Join(ctx.Err(), err), lastLines(string(out), 6))
	}
	return nil
}

// flags are the settings of a running cluster: everything durable, unless it is
// made to be thrown away.
func (c *cluster) flags(port int) []string {
	settings := []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(port),
		"unix_socket_directories=",
		"password_encryption=scram-sha-256",
		"timezone=UTC", "log_timezone=UTC",
		"log_checkpoints=off",
		"logging_collector=off", "log_destination=stderr",
	}
	if c.opt.Throwaway {
		settings = append(settings, "max_connections=400",
			"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum_naptime=10min")
	} else {
		settings = append(settings, "max_connections=200")
	}
	var args []string
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	return args
}

// recovery is how long a start waits for the remains of a killed PostgreSQL to go.
const recovery = 15 * time.Second
