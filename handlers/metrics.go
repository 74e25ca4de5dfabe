package handlers

import (
	"net/http"
	"strconv"
	"time"

	"countersign/models"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics is what /metrics shows: requests by route, the Go runtime, the pool.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
}

func newMetrics(db *models.DB) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "countersign_request_seconds", Help: "How long requests took, by route and status.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"method", "route", "status"})}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	m.registry.MustRegister(m.requests, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauge("countersign_db_connections_in_use", "Database connections in use.", func() float64 { return float64(db.Pool.Stat().AcquiredConns()) }),
		gauge("countersign_db_connections_max", "Most database connections this server opens.", func() float64 { return float64(db.Pool.Stat().MaxConns()) }))
	return m
}

func (m *metrics) seen(method, route string, status int, took time.Duration) {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodHead, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		method = "other"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

func (s *Server) showMetrics(c echo.Context) error {
	promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{DisableCompression: true}).ServeHTTP(c.Response(), c.Request())
	return nil
}

// healthz says that this process answers.
func (s *Server) healthz(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// readyz says that the database answers, is migrated, and holds the demo data
// when that was asked for.
func (s *Server) readyz(c echo.Context) error {
	if !s.ready.Load() {
		return c.String(http.StatusServiceUnavailable, "starting\n")
	}
	if ok, err := models.Migrated(s.ctx(c), s.DB); err != nil || !ok {
		return c.String(http.StatusServiceUnavailable, "database not ready\n")
	}
	return c.String(http.StatusOK, "ready\n")
}
