//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be withpg.
func TestMain(m *testing.M) {
	if os.Getenv("WITHPG_TEST") == "run" {
		os.Unsetenv("WITHPG_TEST")
		main()
	}
	os.Exit(m.Run())
}

// withpg prepares a run of the command line, with a temporary folder of its own.
func withpg(t *testing.T, args ...string) (cmd *exec.Cmd, temp string, out *bytes.Buffer) {
	temp, out = t.TempDir(), &bytes.Buffer{}
	cmd = exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "WITHPG_TEST=run", "TMPDIR="+temp)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop() })
	return cmd, temp, out
}

// waitStarted waits for the command to say that it runs, and removes what it said.
func waitStarted(t *testing.T, temp string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); os.Remove(filepath.Join(temp, "started")) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the command never started")
		}
	}
}

func assertNothingLeft(t *testing.T, temp string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCommandGetsADatabaseAndItsExitCodeComesBack(t *testing.T) {
	t.Parallel()
	cmd, temp, out := withpg(t, "--", "sh", "-c", `echo "$TEST_DATABASE_URL"; exit 7`)
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
	if !strings.HasPrefix(out.String(), "postgres://countersign:") {
		t.Errorf("the command got %q", out)
	}
	assertNothingLeft(t, temp)
}

func TestSignalEndsEverything(t *testing.T) {
	t.Parallel()
	// A wrapper whose own child is what has to hear the signal.
	cmd, temp, out := withpg(t, "--", "sh", "-c", `sleep 50 & touch "$TMPDIR/started"; wait; wait`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitStarted(t, temp)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGTERM) {
		t.Errorf("exit code %d, said %q", code, out)
	}
	assertNothingLeft(t, temp)
}

func TestNoSuchCommand(t *testing.T) {
	t.Parallel()
	cmd, temp, _ := withpg(t, "--", "no-such-command-anywhere")
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 127 {
		t.Errorf("exit code %d, want 127", code)
	}
	assertNothingLeft(t, temp)
}

func TestLeftoversOfAKilledRunAreSwept(t *testing.T) {
	t.Parallel()
	cmd, temp, _ := withpg(t, "--", "sh", "-c", `touch "$TMPDIR/started"; exec sleep 5`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitStarted(t, temp)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	left, _ := filepath.Glob(filepath.Join(temp, prefix+"*"))
	if len(left) != 1 {
		t.Fatalf("a killed run left %v", left)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(left[0], old, old); err != nil {
		t.Fatal(err)
	}
	sweep(temp)
	assertNothingLeft(t, temp)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	if code := run([]string{"something"}, nil); code == 0 {
		t.Error("a wrong command line succeeds")
	}
}
