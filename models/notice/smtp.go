package notice

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// SMTP is the mail server that takes our e-mail. The zero value is none.
type SMTP struct {
	Host     string
	Port     int // 0: the usual one of the TLS mode
	User     string
	Password string
	TLS      string // starttls (required), tls (from the first byte) or none
	From     string // "Countersign <countersign@example.test>", or the address alone

	Timeout   time.Duration // of connecting, and again of handing a message over; 0: 20 seconds
	TLSConfig *tls.Config   // nil: the host's certificate must be one this machine trusts
}

// On reports whether there is a mail server.
func (s SMTP) On() bool { return s.Host != "" }

// Check says what is wrong with the settings; nil when nothing is.
func (s SMTP) Check() error {
	if !s.On() {
		return nil
	}
	if _, err := mail.ParseAddress(s.From); err != nil {
		return fmt.Errorf("SMTP_FROM %q is no e-mail address. Enter one such as countersign@example.test", s.From)
	}
	_, err := s.client()
	return err
}

// Address is host and port.
func (s SMTP) Address() string {
	port := s.Port
	if port == 0 {
		port = map[string]int{"tls": 465, "none": 25}[s.TLS]
	}
	if port == 0 {
		port = 587
	}
	return net.JoinHostPort(s.Host, strconv.Itoa(port))
}

func (s SMTP) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return 20 * time.Second
}

func (s SMTP) client() (*gomail.Client, error) {
	_, port, _ := net.SplitHostPort(s.Address())
	number, _ := strconv.Atoi(port)
	options := []gomail.Option{gomail.WithPort(number), gomail.WithTimeout(s.timeout()), gomail.WithDialContextFunc(s.dial), gomail.WithoutNoop()}
	switch s.TLS {
	case "none":
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case "tls": // dial made the connection secure; the library sees that and allows every way to sign in
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	options = append(options, gomail.WithTLSConfig(s.tlsConfig()))
	if s.User != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.User), gomail.WithPassword(s.Password))
	}
	return gomail.NewClient(s.Host, options...)
}

func (s SMTP) tlsConfig() *tls.Config {
	c := s.TLSConfig.Clone()
	if c == nil {
		c = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	c.ServerName = s.Host
	return c
}

// dial connects with a deadline for the whole greeting: a server that takes the
// connection and says nothing would keep a worker for ever.
func (s SMTP) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(s.timeout())); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if s.TLS != "tls" {
		return conn, nil
	}
	secure := tls.Client(conn, s.tlsConfig())
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secure, nil
}

// refused says that the mail server will never take this message for this person.
type refused struct{ error }

// deliver hands one message over. What goes wrong after the server took it is
// not a failure: the message would be sent a second time.
func (s SMTP) deliver(ctx context.Context, m *gomail.Msg) error {
	client, err := s.client()
	if err != nil {
		return err
	}
	err = client.DialAndSendWithContext(ctx, m)
	if err == nil || m.IsDelivered() {
		return nil
	}
	var e *gomail.SendError
	if errors.As(err, &e) && e.ErrorCode() >= 500 && (e.Reason == gomail.ErrSMTPRcptTo || e.Reason == gomail.ErrSMTPDataClose) {
		return refused{err}
	}
	return err
}

// problem is what went wrong, without what we sent.
func problem(err error) string {
	text, _, _ := strings.Cut(err.Error(), ", affected ")
	return sentence(text)
}
