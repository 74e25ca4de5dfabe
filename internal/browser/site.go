package browser

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"

	"countersign/handlers"
	"countersign/models"
)

// Site is the application on a loopback address with a database of its own.
type Site struct {
	URL string
	DB  *models.DB

	chrome *Chrome
}

// Serve starts the application on db. What it logs as an error fails r.
func Serve(r Reporter, chrome *Chrome, db *models.DB) *Site {
	r.Helper()
	log := &errorLog{}
	web := httptest.NewUnstartedServer(nil)
	base := "http://" + web.Listener.Addr().String()
	app := handlers.New(db, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError})), handlers.Config{BaseURL: base})
	web.Config.Handler = app.Handler()
	web.Start()
	app.Ready()
	r.Cleanup(func() {
		app.Close() // ends the pages that wait for changes
		web.Close()
		if text := log.text(); text != "" {
			r.Errorf("the server logged:\n%s", text)
		}
	})
	return &Site{URL: base, DB: db, chrome: chrome}
}

// errorLog keeps what the server logs.
type errorLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *errorLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *errorLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(l.buf.String())
}
