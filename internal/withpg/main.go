//go:build unix

// Command withpg runs another command with a PostgreSQL of its own, for
// development and tests only:
//
//	withpg [-durable] -- COMMAND [ARGUMENT...]
//	withpg reset DATA_DIR
//
// The first form starts a PostgreSQL that is thrown away, in a temporary folder,
// names it to the command in TEST_DATABASE_URL (with the right to create
// databases), and removes it when the command ends, however it ends. Signals go
// to everything the command started. The exit code is the command's: 128 + N
// when signal N ended it, 125 when there was no database to run it with. With
// -durable every commit reaches the disk, as it does for users: for benchmarks.
//
// The second form removes a data folder that no process uses.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"countersign/internal/localpg"
)

// noDatabase is the exit code for a failure of withpg itself.
const noDatabase = 125

// prefix begins the names of the temporary folders.
const prefix = "countersign-pg-"

func main() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	os.Exit(run(os.Args[1:], signals))
}

func run(args []string, signals <-chan os.Signal) int {
	var err error
	code := noDatabase
	switch {
	case len(args) > 1 && args[0] == "--":
		code, err = withDatabase(args[1:], false, signals)
	case len(args) > 2 && args[0] == "-durable" && args[1] == "--":
		code, err = withDatabase(args[2:], true, signals)
	case len(args) == 2 && args[0] == "reset":
		if err = localpg.Remove(context.Background(), args[1]); err == nil {
			code = 0
		}
	default:
		err = errors.New("usage: withpg [-durable] -- COMMAND [ARGUMENT...] | withpg reset DATA_DIR")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpg:", err)
		code = max(code, 1)
	}
	return code
}

// withDatabase runs the command and returns its exit code. An error is about the
// database, before or after.
func withDatabase(command []string, durable bool, signals <-chan os.Signal) (code int, err error) {
	sweep(os.TempDir())
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return noDatabase, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type opened struct {
		inst *localpg.Instance
		err  error
	}
	ready := make(chan opened, 1)
	go func() {
		inst, err := localpg.Open(ctx, localpg.Options{
			DataDir: dir, Mode: localpg.Serve, Throwaway: !durable, NoDownload: true,
			Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		})
		ready <- opened{inst, err}
	}()
	var db opened
	select {
	case db = <-ready:
	case sig := <-signals:
		cancel()
		if db = <-ready; db.inst != nil {
			err = db.inst.Close()
		}
		return 128 + int(sig.(syscall.Signal)), err
	}
	if db.err != nil {
		return noDatabase, db.err
	}
	defer func() { err = errors.Join(err, db.inst.Close()) }()
	return runChild(command, append(os.Environ(), "TEST_DATABASE_URL="+db.inst.URL()), signals)
}

// sweep removes what runs of withpg left behind that were killed. Folders in use,
// or not old enough to be sure, are left alone.
func sweep(temp string) {
	left, _ := filepath.Glob(filepath.Join(temp, prefix+"*"))
	for _, dir := range left {
		info, err := os.Stat(dir)
		if err == nil && time.Since(info.ModTime()) > 10*time.Minute {
			_ = localpg.Remove(context.Background(), dir)
		}
	}
}
