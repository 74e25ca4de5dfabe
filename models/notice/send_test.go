package notice_test

import (
	"errors"
	"net"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/notice"
	"countersign/models/notice/noticetest"

	"github.com/emersion/go-smtp"
)

// send works each waiting mail once; last says that it is the last attempt.
func (w world) send(by notice.Mailer, last bool) (failed error) {
	w.Helper()
	var ids []int64
	if err := w.db.Query(w.Context()).Raw("select id from mails where state = 'waiting' order by id").Scan(&ids).Error; err != nil {
		w.Fatal(err)
	}
	for _, id := range ids {
		failed = errors.Join(failed, notice.SendMail(w.Context(), w.db, by, id, last))
	}
	return failed
}

func (w world) mailState() string {
	w.Helper()
	return w.text("select string_agg(state || ' ' || attempts, ', ' order by id) from mails")
}

func TestAnEmailSaysWhatTheInboxSays(t *testing.T) {
	w := newWorld(t)
	box := noticetest.New(t, nil)
	owner, other := w.person("Owner", models.BusinessOwner), w.person("Other", models.Reviewer)
	w.standIn(owner, other, 1)
	if err := w.tell(models.Actor{}, notice.SignatureWanted, notice.Words{Title: "Sign revision 3 of “Create <CRM> task”", Text: "Submitted by Implementer."}, "/controls/a/sign-off", "revision 3", owner.ID); err != nil {
		t.Fatal(err)
	}
	if err := w.send(box.Mailer(), false); err != nil {
		t.Fatal(err)
	}
	w.wants(strings.Join(box.List(), "\n"), "Sign revision 3 of “Create <CRM> task” for other@example.test\nSign revision 3 of “Create <CRM> task” for owner@example.test")
	w.wants(w.mailState(), "sent 1, sent 1")
	w.wants(box.Kept()[0].Header.Get("From"), `"Countersign" <countersign@example.test>`)
	w.wants(box.Kept()[0].Header.Get("To"), `"Owner" <owner@example.test>`)
	w.wants(box.Kept()[0].Header.Get("Message-Id"), w.text("select '<' || message_id || '@example.test>' from mails order by id limit 1"))
	plain, rich := box.Kept()[1].Plain, box.Kept()[1].HTML
	for _, text := range []string{"You stand in for Owner.", "Submitted by Implementer.", "https://countersign.example.test/controls/a/sign-off"} {
		if !strings.Contains(plain, text) || !strings.Contains(rich, text) {
			t.Errorf("%q is missing in\n%s\n%s", text, plain, rich)
		}
	}
	if !strings.Contains(rich, "Create &lt;CRM&gt; task") || strings.Contains(rich, "<form") {
		t.Errorf("the HTML is not escaped, or decides something:\n%s", rich)
	}
	if strings.Contains(box.Kept()[0].Plain, "stand in") {
		t.Error("the owner stands in for nobody")
	}
	if err := w.send(box.Mailer(), false); err != nil || len(box.List()) != 2 {
		t.Errorf("sent again: %v %v", box.List(), err)
	}
}

func TestAHostileNameStaysInItsHeader(t *testing.T) {
	w := newWorld(t)
	box := noticetest.New(t, nil)
	owner := w.person("Owner", models.BusinessOwner)
	w.exec("update people set name = ?", "Eve\r\nBcc: everybody@example.test\r\n\r\n<script>alert(1)</script>\" <x@y.test>,")
	if err := w.tell(models.Actor{}, notice.SignatureWanted, notice.Words{Title: "Sign\r\nBcc: all@example.test", Text: "<b>bold</b>\r\n.\r\nQUIT"}, "/", "a", owner.ID); err != nil {
		t.Fatal(err)
	}
	if err := w.send(box.Mailer(), false); err != nil {
		t.Fatal(err)
	}
	m := box.Kept()[0]
	if len(box.Kept()) != 1 || m.Header.Get("Bcc") != "" || m.To != owner.Email {
		t.Fatalf("%v %v", m.Header, m.To)
	}
	to, err := m.Header.AddressList("To")
	if err != nil || len(to) != 1 || to[0].Address != owner.Email {
		t.Errorf("To is %v %v", to, err)
	}
	plain, rich := box.Kept()[0].Plain, box.Kept()[0].HTML
	if !strings.Contains(plain, "<b>bold</b>") || strings.Contains(rich, "<b>bold") || !strings.Contains(rich, "QUIT") {
		t.Errorf("%s\n%s", plain, rich)
	}
}

func TestWhatTheMailServerDoes(t *testing.T) {
	refuse := func(code int) func(string) error {
		return func(string) error { return &smtp.SMTPError{Code: code, Message: "no"} }
	}
	w := newWorld(t)
	owner := w.person("Owner", models.BusinessOwner)
	for name, c := range map[string]struct {
		given func(b *noticetest.Mailbox)
		fails bool   // SendMail asks for another attempt
		state string // after one attempt
		kept  int    // messages in the mailbox
	}{
		"takes it":                             {func(*noticetest.Mailbox) {}, false, "sent 1", 1},
		"refuses the person for now":           {func(b *noticetest.Mailbox) { b.Rcpt = refuse(451) }, true, "waiting 1", 0},
		"refuses the person for good":          {func(b *noticetest.Mailbox) { b.Rcpt = refuse(550) }, false, "failed 1", 0},
		"refuses the message for now":          {func(b *noticetest.Mailbox) { b.Taken = func(int) error { return refuse(452)("") } }, true, "waiting 1", 1},
		"refuses the message for good":         {func(b *noticetest.Mailbox) { b.Taken = func(int) error { return refuse(554)("") } }, false, "failed 1", 1},
		"takes it and drops the connection":    {func(b *noticetest.Mailbox) { b.Answered = b.Drop }, false, "sent 1", 1},
		"keeps it and drops before its answer": {func(b *noticetest.Mailbox) { b.Taken = func(int) error { b.Drop(); return nil } }, true, "waiting 1", 1},
		"is not there":                         {func(b *noticetest.Mailbox) { b.Close() }, true, "waiting 1", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.forget(t)
			box := noticetest.New(t, nil)
			w.mustTell(models.Actor{}, notice.SignatureWanted, "a", owner.ID)
			c.given(box)
			err := w.send(box.Mailer(), false)
			if (err != nil) != c.fails {
				t.Errorf("asks for another attempt: %v", err)
			}
			w.wants(w.mailState(), c.state)
			if len(box.List()) != c.kept {
				t.Errorf("%d messages, want %d", len(box.List()), c.kept)
			}
			if c.state != "sent 1" && w.text("select last_error from mails") == "" {
				t.Error("nothing says what went wrong")
			}
		})
	}
}

// The second copy can be told as one: it has the Message-ID of the first.
func TestARepeatHasTheSameMessageID(t *testing.T) {
	w := newWorld(t)
	box := noticetest.New(t, nil)
	w.mustTell(models.Actor{}, notice.SignatureWanted, "a", w.person("Owner", models.BusinessOwner).ID)
	box.Taken = func(n int) error {
		if n == 1 {
			box.Drop()
		}
		return nil
	}
	if err := w.send(box.Mailer(), false); err == nil {
		t.Fatal("an answer that never came was taken for one")
	}
	if err := w.send(box.Mailer(), false); err != nil {
		t.Fatal(err)
	}
	w.wants(w.mailState(), "sent 2")
	if len(box.Kept()) != 2 || box.Kept()[0].Header.Get("Message-Id") != box.Kept()[1].Header.Get("Message-Id") || box.Kept()[0].Header.Get("Message-Id") == "" {
		t.Errorf("%d messages, ids %s %s", len(box.Kept()), box.Kept()[0].Header.Get("Message-Id"), box.Kept()[1].Header.Get("Message-Id"))
	}
}

func TestAServerThatSaysNothingIsGivenUp(t *testing.T) {
	w := newWorld(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	w.mustTell(models.Actor{}, notice.SignatureWanted, "a", w.person("Owner", models.BusinessOwner).ID)
	for _, mode := range []string{"none", "starttls", "tls"} {
		by := notice.Mailer{SMTP: notice.SMTP{Host: "127.0.0.1", Port: silent.Addr().(*net.TCPAddr).Port, TLS: mode, From: "a@example.test", Timeout: 100e6}}
		if err := w.send(by, mode == "tls"); err == nil {
			t.Errorf("%s: a silent server took an e-mail", mode)
		}
	}
	w.wants(w.mailState(), "failed 3") // the last attempt failed
}

func TestTLSAndSigningIn(t *testing.T) {
	server, client := noticetest.Certificate(t)
	w := newWorld(t)
	owner := w.person("Owner", models.BusinessOwner)
	for name, c := range map[string]struct {
		mode, password string
		trusted        bool
		offered        bool
		ok             bool
	}{
		"starttls, signed in":               {"starttls", "secret", true, true, true},
		"starttls, wrong password":          {"starttls", "other", true, true, false},
		"starttls, not trusted":             {"starttls", "secret", false, true, false},
		"starttls, not offered":             {"starttls", "secret", true, false, false},
		"tls from the first byte":           {"tls", "secret", true, true, true},
		"tls from the first byte, no trust": {"tls", "secret", false, true, false},
		"none gives no password away":       {"none", "secret", true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.forget(t)
			w.mustTell(models.Actor{}, notice.SignatureWanted, "a", owner.ID)
			settings := server
			if !c.offered {
				settings = nil
			}
			box := noticetest.New(t, settings)
			by := box.Mailer()
			if c.mode == "tls" {
				box.ListenTLS(t, server)
				by = box.Mailer()
			}
			by.SMTP.TLS, by.SMTP.User, by.SMTP.Password = c.mode, "countersign", c.password
			if c.trusted {
				by.SMTP.TLSConfig = client
			}
			if err := w.send(by, false); (err == nil) != c.ok {
				t.Errorf("%v", err)
			}
			if strings.Contains(w.text("select last_error from mails"), "secret") {
				t.Error("the password is in the error")
			}
		})
	}
}

func TestNobodyToSendTo(t *testing.T) {
	w := newWorld(t)
	box := noticetest.New(t, nil)
	owner := w.person("Owner", models.BusinessOwner)
	w.mustTell(models.Actor{}, notice.SignatureWanted, "a", owner.ID)
	if err := w.send(notice.Mailer{}, false); err != nil {
		t.Error(err)
	}
	w.wants(w.text("select state || ': ' || last_error from mails"), "skipped: No mail server was set.")
	w.mustTell(models.Actor{}, notice.SignatureWanted, "b", owner.ID)
	w.exec("update people set active = false")
	if err := w.send(box.Mailer(), false); err != nil || len(box.Kept()) != 0 {
		t.Error(err, box.Kept())
	}
	w.wants(w.mailState(), "skipped 0, skipped 0")
	if err := notice.SendMail(t.Context(), w.db, box.Mailer(), 999, false); err != nil {
		t.Error(err)
	}
}

func TestSettingsOfTheMailServer(t *testing.T) {
	good := notice.SMTP{Host: "mail.example.test", From: "countersign@example.test"}
	for mode, address := range map[string]string{"": "mail.example.test:587", "starttls": "mail.example.test:587", "tls": "mail.example.test:465", "none": "mail.example.test:25"} {
		s := good
		s.TLS = mode
		if s.Address() != address || s.Check() != nil {
			t.Errorf("%s: %s %v", mode, s.Address(), s.Check())
		}
	}
	bad := good
	bad.From = "nobody"
	if bad.Check() == nil {
		t.Error("a sender that is no address was taken")
	}
	if (notice.SMTP{}).Check() != nil {
		t.Error("no mail server is no mistake")
	}
}
