// Package noticetest is a real mail server for tests.
package noticetest

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/models/notice"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Mailbox is a real mail server that keeps what it takes.
type Mailbox struct {
	Rcpt     func(to string) error // what RCPT TO answers; nil: yes
	Taken    func(n int) error     // what the n-th message is answered with, after it was kept; nil: yes
	Answered func()                // called once the answer to a message is on its way
	Port     int

	mu     sync.Mutex
	kept   []Message
	conns  []net.Conn
	server *smtp.Server
}

// Message is one that was kept.
type Message struct {
	To          string
	Header      mail.Header
	Subject     string // decoded
	Plain, HTML string
}

// New starts a mail server; secure offers STARTTLS with that certificate.
func New(t testing.TB, secure *tls.Config) *Mailbox {
	t.Helper()
	b := &Mailbox{}
	b.server = smtp.NewServer(b)
	b.server.Domain, b.server.AllowInsecureAuth, b.server.TLSConfig = "mail.example.test", true, secure
	b.server.ReadTimeout, b.server.WriteTimeout = 5*time.Second, 5*time.Second
	b.server.ErrorLog = quietLog{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.Port = listener.Addr().(*net.TCPAddr).Port
	go func() { _ = b.server.Serve(listener) }()
	t.Cleanup(func() { _ = b.server.Close() })
	return b
}

type quietLog struct{}

func (quietLog) Printf(string, ...any) {}
func (quietLog) Println(...any)        {}

// SMTP is the setting that leads here.
func (b *Mailbox) SMTP() notice.SMTP {
	return notice.SMTP{Host: "127.0.0.1", Port: b.Port, TLS: "none", From: "Countersign <countersign@example.test>", Timeout: time.Second}
}

// Mailer sends to this mail server.
func (b *Mailbox) Mailer() notice.Mailer {
	return notice.Mailer{SMTP: b.SMTP(), BaseURL: "https://countersign.example.test"}
}

// Kept returns the messages in the order in which they came.
func (b *Mailbox) Kept() []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.kept)
}

// List names what was kept, sorted: subject for whom.
func (b *Mailbox) List() (all []string) {
	for _, m := range b.Kept() {
		all = append(all, m.Subject+" for "+m.To)
	}
	slices.Sort(all)
	return all
}

// Close stops the server.
func (b *Mailbox) Close() { _ = b.server.Close() }

// NewSession is called by the server.
func (b *Mailbox) NewSession(c *smtp.Conn) (smtp.Session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conns = append(b.conns, c.Conn())
	return &session{box: b, conn: c.Conn()}, nil
}

type session struct {
	box  *Mailbox
	conn net.Conn
	to   string
}

func (s *session) Logout() error                        { return nil }
func (s *session) Mail(string, *smtp.MailOptions) error { return nil }
func (s *session) AuthMechanisms() []string             { return []string{sasl.Plain} }
func (s *session) Auth(mech string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "countersign" || password != "secret" {
			return errors.New("wrong password")
		}
		return nil
	}), nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	if s.box.Rcpt != nil {
		return s.box.Rcpt(to)
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := read(raw)
	if err != nil {
		return err
	}
	m.To = s.to
	s.box.mu.Lock()
	s.box.kept = append(s.box.kept, m)
	n := len(s.box.kept)
	s.box.mu.Unlock()
	if s.box.Taken != nil {
		return s.box.Taken(n)
	}
	return nil
}

// Reset is called after each message was answered.
func (s *session) Reset() {
	if s.box.Answered != nil {
		s.box.Answered()
	}
}

// Drop closes every connection: the next answer never arrives.
func (b *Mailbox) Drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.conns {
		_ = c.Close()
	}
}

// Certificate is a server's certificate, and a client's settings that trust it.
func Certificate(t testing.TB) (server, client *tls.Config) {
	t.Helper()
	web := httptest.NewTLSServer(nil)
	t.Cleanup(web.Close)
	return &tls.Config{Certificates: web.TLS.Certificates}, web.Client().Transport.(*http.Transport).TLSClientConfig
}

// ListenTLS also takes connections that are secure from the first byte.
func (b *Mailbox) ListenTLS(t testing.TB, server *tls.Config) {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	b.Port = listener.Addr().(*net.TCPAddr).Port
	go func() { _ = b.server.Serve(listener) }()
}

// read takes a message apart.
func read(raw []byte) (out Message, err error) {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return out, err
	}
	out.Header = m.Header
	if out.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return out, err
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		return out, fmt.Errorf("content type %q: %w", kind, err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for _, text := range []*string{&out.Plain, &out.HTML} {
		p, err := parts.NextPart() // decodes quoted-printable
		if err != nil {
			return out, err
		}
		b, err := io.ReadAll(p)
		if err != nil {
			return out, err
		}
		*text = string(b)
	}
	return out, nil
}
