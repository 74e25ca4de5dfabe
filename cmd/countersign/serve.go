package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"countersign/handlers"
	"countersign/internal/localpg"
	"countersign/models"
	"countersign/models/demo"
	"countersign/models/people"

	"golang.org/x/sync/errgroup"
)

type serveCmd struct {
	Addr           string    `env:"ADDR" default:"localhost:8080" help:"Address to listen on, e.g. :8080 for every network interface."`
	BaseURL        string    `env:"BASE_URL" placeholder:"URL" help:"Address that people use, e.g. https://countersign.example.test. https turns on secure cookies and HSTS. Empty: http:// and the listening address."`
	TrustProxy     bool      `env:"TRUST_PROXY" help:"Behind a proxy: take the client's address from X-Forwarded-For."`
	WebhookPrivate bool      `env:"WEBHOOK_PRIVATE" help:"Webhooks may lead to loopback and private addresses, over http too."`
	SMTP           smtpFlags `embed:"" prefix:"smtp-"`
	Demo           bool      `env:"DEMO" help:"Load the demo data once and print the demo accounts."`
}

const shutdownLimit = 20 * time.Second

func (cmd serveCmd) Run(ctx context.Context, g *globals) (err error) {
	log := g.logger()
	slog.SetDefault(log)
	if err := cmd.SMTP.settings().Check(); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address(cmd.Addr))
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. Choose another with ADDR", cmd.Addr, err)
	}
	defer listener.Close()
	db, done, err := g.open(ctx, localpg.Serve, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()

	base := cmd.BaseURL
	if base == "" {
		base = "http://" + visible(listener.Addr().String())
	}
	if u, err := url.Parse(base); err != nil || u.Host == "" {
		return fmt.Errorf("BASE_URL %q is not a web address", base)
	}
	cfg := handlers.Config{BaseURL: base, TrustProxy: cmd.TrustProxy, SMTP: cmd.SMTP.settings(), WebhookPrivate: cmd.WebhookPrivate}
	srv := handlers.New(db, log, cfg)
	defer srv.Close()
	jobs, err := handlers.StartJobs(ctx, db, log, cfg)
	if err != nil {
		return err
	}
	web := &http.Server{Handler: srv.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 60 * time.Second,
		WriteTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	web.RegisterOnShutdown(srv.EndStreams)

	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error { // people can sign in as soon as the data is there; /readyz waits for it
		if cmd.Demo {
			if err := demo.Load(ctx, db); err != nil {
				return fmt.Errorf("load the demo data: %w", err)
			}
		}
		srv.Ready()
		return cmd.greet(ctx, g, base, func() (string, bool, error) { return people.EnsureSetupLink(ctx, db) })
	})
	if g.DatabaseURL == "" {
		group.Go(func() error { return watch(ctx, db) })
	}
	group.Go(func() error {
		<-ctx.Done()
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownLimit)
		defer cancel()
		return errors.Join(web.Shutdown(stop), jobs.Stop(stop))
	})
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

const (
	watchEvery = 5 * time.Second
	watchMost  = 6 // failures in a row
)

// watch ends the server when the private PostgreSQL is gone for good, so that
// whatever supervises the server starts both again.
func watch(ctx context.Context, db *models.DB) error {
	for failed := 0; failed < watchMost; {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchEvery):
		}
		ping, cancel := context.WithTimeout(ctx, watchEvery)
		if db.Pool.Ping(ping) == nil {
			failed = 0
		} else {
			failed++
		}
		cancel()
	}
	return errors.New("the private PostgreSQL does not answer any more. Start countersign again: it repairs the database and goes on")
}

// greet prints where to go: the demo accounts, or the one-time set-up link of a
// workspace without people.
func (cmd serveCmd) greet(ctx context.Context, g *globals, base string, setup func() (string, bool, error)) error {
	fmt.Fprintf(g.out, "\nCountersign is ready: %s\n", base)
	if cmd.Demo {
		fmt.Fprintf(g.out, "\nDemo accounts, password %s\n", demo.Password)
		for _, p := range demo.People {
			fmt.Fprintf(g.out, "  %-24s %s\n", p.Email, p.Name)
		}
	}
	token, needed, err := setup()
	if err != nil {
		return err
	}
	if needed {
		fmt.Fprintf(g.out, "\nNobody can sign in yet. Open this link once to become the first administrator:\n  %s/setup/%s\n", base, token)
	}
	fmt.Fprintln(g.out)
	return ctx.Err()
}

// address allows a bare port, as in ADDR=8081.
func address(addr string) string {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return net.JoinHostPort("localhost", addr)
	}
	return addr
}

// visible is a listening address as a browser on this machine would type it.
func visible(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); ip != nil && (ip.IsUnspecified() || ip.IsLoopback()) {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}
