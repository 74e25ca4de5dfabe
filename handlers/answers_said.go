package handlers

import (
	"encoding/gob"
	"net/http"

	"countersign/models/control"
	controlviews "countersign/views/control"

	"github.com/labstack/echo/v4"
)

const sessionSaid = "said"

func init() { gob.Register(said{}) }

// said is what the last form did to one field of a control. It is shown at the
// field, because that is where the next page opens.
type said struct{ Control, Field, Tone, Strong, Text string }

// seeField goes back to a field of the control (303) and says there what was done.
func (s *Server) seeField(c echo.Context, field, tone, strong, text string) error {
	slug := c.Param("slug")
	s.sessions.Put(s.ctx(c), sessionSaid, said{slug, field, tone, strong, text})
	return c.Redirect(http.StatusSeeOther, "/controls/"+slug+"#"+control.Field{Key: field}.Anchor())
}

// saidOf takes what is to be said on this control's page; nil when there is nothing.
func (s *Server) saidOf(c echo.Context) *controlviews.Said {
	m, ok := s.sessions.Pop(s.ctx(c), sessionSaid).(said)
	if !ok || m.Control != c.Param("slug") {
		return nil
	}
	return &controlviews.Said{Field: m.Field, Tone: m.Tone, Strong: m.Strong, Text: m.Text}
}
