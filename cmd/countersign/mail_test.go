package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/notice"
	"countersign/models/notice/noticetest"
)

// TestMain lets the test binary be the program itself, in a process of its own
// that can be killed.
func TestMain(m *testing.M) {
	if os.Getenv("COUNTERSIGN_BE_THE_PROGRAM") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// serve starts a server in a process of its own, with further settings, and waits
// until it is ready.
func serve(t *testing.T, url string, smtpPort int, settings ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "serve")
	cmd.Env = append(os.Environ(), "COUNTERSIGN_BE_THE_PROGRAM=1", "DATABASE_URL="+url, "ADDR=127.0.0.1:0", "LOG_FORMAT=json",
		"SMTP_HOST=127.0.0.1", fmt.Sprint("SMTP_PORT=", smtpPort), "SMTP_TLS=none", "SMTP_FROM=countersign@example.test")
	cmd.Env = append(cmd.Env, settings...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "is ready") {
			return cmd
		}
	}
	t.Fatal("the server did not start")
	return nil
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil { // SIGKILL: nothing is finished, nothing is put away
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

type decideCmd struct{ models.Once }

// decide is a decision that tells n people, once.
func decide(t *testing.T, db *models.DB, n int) {
	t.Helper()
	if _, err := models.Do(t.Context(), db, models.Actor{}, decideCmd{}, func(tx *models.Tx) (int, error) {
		var people []int64
		err := tx.Raw("insert into people (email, name) select 'person-' || i || '@example.test', 'Person' from generate_series(1, ?) i returning id", n).Scan(&people).Error
		if err != nil {
			return 0, err
		}
		return n, notice.Tell(tx, notice.ReplayDecided, people, notice.Words{Title: "RR-1 was approved"}, "/queue/RR-1", "RR-1")
	}); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, db *models.DB, sql string) (s string) {
	t.Helper()
	if err := db.Pool.QueryRow(context.WithoutCancel(t.Context()), "select coalesce(("+sql+")::text, '')").Scan(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// until waits for something that another process does.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("waited in vain: %s", what)
}

const mails = "select string_agg(distinct state || ' ' || attempts, ', ') from mails"

// The server dies between the decision and the mail, and once more in the middle
// of sending it. The mail goes out, once.
func TestTheServerIsKilledBetweenDecisionAndMail(t *testing.T) {
	t.Parallel()
	url := testdb.URL(t)
	db, err := models.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })

	kill(t, serve(t, url, 1))
	decide(t, db, 1)
	sending := serve(t, url, silent.Addr().(*net.TCPAddr).Port)
	until(t, "a mail on its way", func() bool { return text(t, db, "select state from river_job where kind = 'mail'") == "running" })
	kill(t, sending)
	if s := text(t, db, mails); s != "waiting 0" {
		t.Fatalf("after the kill the mail is %q", s)
	}
	// Two minutes later the job is taken from the dead, and a moment later it is due.
	for _, sql := range []string{"update river_job set attempted_at = now() - interval '3 minutes' where kind = 'mail'", "delete from river_leader"} {
		if _, err := db.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	box := noticetest.New(t, nil)
	serve(t, url, box.Port)
	until(t, "the mail in the mailbox", func() bool {
		_, _ = db.Pool.Exec(t.Context(), "update river_job set scheduled_at = now(), state = 'available' where kind = 'mail' and state = 'retryable'")
		return len(box.Kept()) > 0
	})
	until(t, "the mail noted as sent", func() bool { return text(t, db, mails) == "sent 1" })
	if got := box.List(); len(got) != 1 || got[0] != "RR-1 was approved for person-1@example.test" {
		t.Errorf("%v", got)
	}
}

// Two servers share the work: each mail is sent by one of them.
func TestTwoServersSendEachMailOnce(t *testing.T) {
	t.Parallel()
	url := testdb.URL(t)
	db, err := models.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	box := noticetest.New(t, nil)
	decide(t, db, 40)
	serve(t, url, box.Port)
	serve(t, url, box.Port)
	until(t, "every mail sent", func() bool { return text(t, db, mails) == "sent 1" })
	seen := map[string]bool{}
	for _, m := range box.Kept() {
		if seen[m.To] {
			t.Errorf("%s got two", m.To)
		}
		seen[m.To] = true
	}
	if len(seen) != 40 {
		t.Errorf("%d people got mail, want 40", len(seen))
	}
}
