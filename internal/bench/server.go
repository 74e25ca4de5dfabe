package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// served is the program itself, as a process of its own on one database.
type served struct {
	url  string
	cmd  *exec.Cmd
	logs *os.File
}

// build makes the program in dir.
func build(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "countersign")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "countersign/cmd/countersign").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return bin, nil
}

// serve starts bin on database and waits until it is ready.
func serve(ctx context.Context, bin, database, dir string) (*served, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := l.Addr().String()
	_ = l.Close()
	s := &served{url: "http://" + addr, cmd: exec.CommandContext(ctx, bin, "serve")}
	if s.logs, err = os.Create(filepath.Join(dir, "serve.log")); err != nil {
		return nil, err
	}
	s.cmd.Env = append(os.Environ(), "DATABASE_URL="+database, "ADDR="+addr)
	s.cmd.Stdout, s.cmd.Stderr = s.logs, s.logs
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 300 {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/readyz", nil)
		if err != nil {
			return s, err
		}
		if answer, err := http.DefaultClient.Do(r); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return s, fmt.Errorf("the server at %s does not become ready; see %s", s.url, s.logs.Name())
}

// stop ends the server.
func (s *served) stop() {
	if s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(os.Interrupt)
		_ = s.cmd.Wait()
	}
	_ = s.logs.Close()
}

// memory is what the server holds, and the most it held, in MB; 0 where the
// system does not say.
func (s *served) memory() (now, most float64) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		kb, _ := strconv.ParseFloat(strings.Fields(value + " 0")[0], 64)
		switch name {
		case "VmRSS":
			now = kb / 1024
		case "VmHWM":
			most = kb / 1024
		}
	}
	return now, most
}
