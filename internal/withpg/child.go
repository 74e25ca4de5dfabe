//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// grace is how long the command may take to end after a signal.
const grace = 10 * time.Second

// runChild runs the command in a process group of its own and passes signals to
// the whole group, so that what a wrapper such as "go test" has started hears
// them too. Nothing of the group is left when it returns.
func runChild(command, env []string, signals <-chan os.Signal) (int, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = env
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// A terminal stops a background group that reads it; such a command reads nothing.
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice == 0 {
		cmd.Stdin = os.Stdin
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 127, err
	}
	group := -cmd.Process.Pid
	defer func() { _ = syscall.Kill(group, syscall.SIGKILL) }()

	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var late <-chan time.Time
	for {
		select {
		case err := <-done:
			return exitCode(err)
		case sig := <-signals:
			_ = syscall.Kill(group, sig.(syscall.Signal))
			if late == nil {
				late = time.After(grace)
			}
		case <-late:
			fmt.Fprintf(os.Stderr, "withpg: %s did not end within %s of the signal, killing it\n", command[0], grace)
			_ = syscall.Kill(group, syscall.SIGKILL)
		}
	}
}

func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case !errors.As(err, &exit):
		return 1, err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}
