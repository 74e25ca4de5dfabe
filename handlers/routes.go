package handlers

import "github.com/labstack/echo/v4"

// route is one URL. Every URL needs somebody signed in unless it is open; who
// may do what is decided by the models, not here.
type route struct {
	method, path string
	handler      echo.HandlerFunc
	open         bool
}

const (
	get  = "GET"
	post = "POST"
	open = true
)

// routes is every URL of the web application.
func (s *Server) routes() []route {
	return []route{
		{get, "/healthz", s.healthz, open},
		{get, "/readyz", s.readyz, open},
		{get, "/metrics", s.showMetrics, open},
		{post, "/theme", s.setTheme, open},

		{get, "/", s.home, false},
		{get, "/audit", s.auditIndex, false},
	}
}
