// Package handlers is the browser's way in: it parses requests, calls one model
// command or query, and renders a page or redirects. Echo stays inside it.
package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"countersign/handlers/api"
	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/notice"
	"countersign/models/people"
	"countersign/static"

	"github.com/alexedwards/scs/pgxstore"
	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// Config is what the operator decides about the web side.
type Config struct {
	BaseURL    string // where people reach it, e.g. https://countersign.example.test; https turns on HSTS and secure cookies
	TrustProxy bool   // take the client's address from X-Forwarded-For

	SMTP           notice.SMTP // the zero value: no e-mail
	WebhookPrivate bool        // webhooks may lead to loopback and private addresses, over http too
}

func (c Config) secure() bool { return strings.HasPrefix(c.BaseURL, "https://") }

// Server holds what every handler needs.
type Server struct {
	DB     *models.DB
	Log    *slog.Logger
	Config Config
	API    *api.API

	sessions *scs.SessionManager
	store    *sessionStore
	metrics  *metrics
	places   map[string]placeFinder // where evidence can be attached, by the first part of the path
	uploads  *uploadSlots           // one for each form whose files are being received
	pace     pace                   // of a body with files
	ready    atomic.Bool
	live     *live

	heartbeat time.Duration // of streams
}

const (
	idleLimit     = 12 * time.Hour
	absoluteLimit = 7 * 24 * time.Hour
	bodyLimit     = "1M"
	requestLimit  = 30 * time.Second
)

// New returns a server that is not ready yet; call Ready once the data is there.
func New(db *models.DB, log *slog.Logger, cfg Config) *Server {
	s := &Server{DB: db, Log: log, Config: cfg, store: &sessionStore{PostgresStore: pgxstore.New(db.Pool), pool: db.Pool}, metrics: newMetrics(db), live: newLive(db), heartbeat: heartbeat}
	s.API = &api.API{DB: db, Desk: ledger.NewDesk(db, true), Log: log}
	s.places = map[string]placeFinder{"runs": s.runPlace, "queue": s.requestPlace, "ledger": s.actionPlace}
	s.uploads, s.pace = newUploadSlots(int(db.Pool.Config().MaxConns/2)), uploadPace
	s.sessions = scs.New()
	s.sessions.Store = s.store
	s.sessions.IdleTimeout = idleLimit
	s.sessions.Lifetime = absoluteLimit
	s.sessions.HashTokenInStore = true
	s.sessions.Cookie.Name = "countersign"
	s.sessions.Cookie.HttpOnly = true
	s.sessions.Cookie.SameSite = http.SameSiteLaxMode
	s.sessions.Cookie.Secure = cfg.secure()
	s.sessions.ErrorFunc = s.sessionFailed
	return s
}

// Ready tells load balancers that migrations and demo data are in place.
func (s *Server) Ready() { s.ready.Store(true) }

// EndStreams ends what would keep a server from stopping: pages that wait for changes.
func (s *Server) EndStreams() { s.live.close() }

// Close stops what runs in the background.
func (s *Server) Close() {
	s.live.close()
	s.store.StopCleanup()
}

// Handler is the whole web application.
func (s *Server) Handler() http.Handler {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.fail
	e.IPExtractor = echo.ExtractIPDirect()
	if s.Config.TrustProxy {
		e.IPExtractor = echo.ExtractIPFromXFFHeader()
	}
	e.Use(
		middleware.RequestIDWithConfig(middleware.RequestIDConfig{Generator: newRequestID, RequestIDHandler: nil}),
		s.observe,
		middleware.RecoverWithConfig(middleware.RecoverConfig{LogErrorFunc: s.logPanic}),
		s.secureHeaders,
		pages(s.sameOrigin),
		pages(middleware.BodyLimitWithConfig(middleware.BodyLimitConfig{Limit: bodyLimit, Skipper: streamed})),
		pages(middleware.GzipWithConfig(middleware.GzipConfig{MinLength: 1024, Skipper: streamed})),
		middleware.ContextTimeoutWithConfig(middleware.ContextTimeoutConfig{Timeout: requestLimit, Skipper: streamed}),
		pages(readable),
		pages(s.identify),
	)
	s.API.Mount(e)
	for _, r := range s.routes() {
		h := r.handler
		if !r.open {
			h = s.signedIn(h)
		}
		e.Add(r.method, r.path, h)
		if r.method == get {
			e.Add(http.MethodHead, r.path, h)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/static/", static.Handler())
	mux.Handle(api.Prefix, e) // no session: a token lets automations in
	mux.Handle(eventsPath, s.loadOnly(e))
	mux.Handle(freshPath, s.loadOnly(e))
	mux.Handle(countsPath, s.loadOnly(e))
	mux.Handle("/", s.sessions.LoadAndSave(e))
	return mux
}

// pages applies m to everything but the API, which knows no cookies and no forms.
func pages(m echo.MiddlewareFunc) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		page := m(next)
		return func(c echo.Context) error {
			if api.Covers(c.Request().URL.Path) {
				return next(c)
			}
			return page(c)
		}
	}
}

// sessionFailed answers when the session store cannot be reached.
func (s *Server) sessionFailed(w http.ResponseWriter, r *http.Request, err error) {
	s.Log.Error("session store", "error", err)
	w.Header().Set("Retry-After", "5")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte("Countersign cannot reach its database right now. Nothing was changed. Try again in a moment.\n"))
}

const (
	sessionPerson = "person"
	sessionEpoch  = "epoch"

	sessionDevice  = "device"  // browser and system, as it said when it signed in
	sessionAddress = "address" // it signed in from
	sessionFlash   = "flash"
	liveMark       = "mark"     // string: what was told to open pages before this one was read
	formRepeated   = "repeated" // *bool: this form was answered from its first send
)

// identify loads who is signed in, if anybody, for every page. A session of a
// deactivated person, or from before "sign out everywhere", counts for nothing.
func (s *Server) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Set(liveMark, s.live.mark()) // before anything is read
		ctx := c.Request().Context()
		actor := models.Actor{}
		if id := s.sessions.GetInt64(ctx, sessionPerson); id != 0 {
			a, err := people.LoadActor(ctx, s.DB, id, s.sessions.GetInt64(ctx, sessionEpoch))
			switch {
			case models.IsKind(err, models.KindNotFound):
				s.sessions.Remove(ctx, sessionPerson)
			case err != nil:
				return err
			default:
				actor = a
			}
		}
		actor.RequestID = requestID(c)
		ctx, repeated := models.WatchRepeats(models.WithActor(ctx, actor))
		c.Set(formRepeated, repeated)
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

// actor is who is signed in; the zero ID is nobody.
func (s *Server) actor(c echo.Context) models.Actor { return models.ActorFrom(c.Request().Context()) }

// zone is the time zone the person reads times in.
func (s *Server) zone(c echo.Context) *time.Location {
	if loc, err := time.LoadLocation(s.actor(c).TimeZone); err == nil {
		return loc
	}
	return time.UTC
}

func (s *Server) ctx(c echo.Context) context.Context { return c.Request().Context() }
