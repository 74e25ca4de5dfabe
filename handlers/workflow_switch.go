package handlers

import (
	"net/http"

	"countersign/models"
	"countersign/models/workflow"
	"countersign/views/layout"
	"countersign/views/ui"
	"countersign/views/workflows"

	"github.com/labstack/echo/v4"
)

type reasonForm struct {
	Submission string `form:"submission"`
	Stop       int64  `form:"stop"` // the stop that the person read about
	Reason     string `form:"reason"`
}

// workflowStopAsk is GET /workflows/:slug/stop.
func (s *Server) workflowStopAsk(c echo.Context) error {
	return s.stopPage(c, http.StatusOK, false, reasonForm{}, nil)
}

// workflowStop is POST /workflows/:slug/stop.
func (s *Server) workflowStop(c echo.Context) error {
	var f reasonForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	ref, err := workflow.Stop(s.ctx(c), s.DB, s.actor(c), workflow.StopCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Reason: f.Reason})
	if models.IsKind(err, models.KindInvalid) {
		return s.stopPage(c, http.StatusUnprocessableEntity, false, f, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, workflow.Path(ref.Slug), "Workflow stopped.", "Claims, retries and starts are refused until the business owner lifts the stop.")
}

// workflowLiftAsk is GET /workflows/:slug/lift.
func (s *Server) workflowLiftAsk(c echo.Context) error {
	return s.stopPage(c, http.StatusOK, true, reasonForm{}, nil)
}

// workflowLift is POST /workflows/:slug/lift.
func (s *Server) workflowLift(c echo.Context) error {
	var f reasonForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	ref, err := workflow.Lift(s.ctx(c), s.DB, s.actor(c), workflow.LiftCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Stop: f.Stop, Reason: f.Reason})
	if models.IsKind(err, models.KindInvalid) {
		return s.stopPage(c, http.StatusUnprocessableEntity, true, f, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, workflow.Path(ref.Slug), "Stop lifted.", "Claims, retries and starts are allowed again as each gate says.")
}

// stopPage asks for a reason, to stop or to lift. Conflict when there is
// nothing to lift, or a stop is in force already.
func (s *Server) stopPage(c echo.Context, status int, lift bool, f reasonForm, problem error) error {
	d, err := workflow.FindDetails(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	p := workflows.Stop{Name: d.Name, Path: workflow.Path(d.Slug), Reason: f.Reason, Problems: problems(problem), Submission: f.Submission, Zone: s.zone(c)}
	title := "Stop workflow"
	switch {
	case lift && d.Stop == nil:
		return models.Conflictf("This workflow is not stopped any more.")
	case lift:
		title, p.Record, p.WhyNot = "Lift stop", d.Stop, why(workflow.MayLift(s.actor(c), d.Workflow))
	case d.Stop != nil:
		return models.Conflictf("%s stopped this workflow on %s.", d.Stop.StoppedBy, d.Stop.StoppedAt.UTC().Format("2 January 2006 at 15:04 UTC"))
	default:
		p.WhyNot = why(workflow.MayStop(s.actor(c)))
	}
	frame := workflowsPage(title, "read", layout.Crumb{Text: d.Name, Href: p.Path}, layout.Crumb{Text: title})
	return s.page(c, status, frame, workflows.StopPage(p))
}

// versionForm is a form of one button.
type versionForm struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
}

// workflowArchiveAsk is GET /workflows/:slug/archive.
func (s *Server) workflowArchiveAsk(c echo.Context) error {
	w, err := workflow.Find(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := workflow.MayEdit(s.actor(c), w); err != nil {
		return err
	}
	path := workflow.Path(w.Slug)
	return s.page(c, http.StatusOK, workflowsPage("Archive "+w.Name, "read", layout.Crumb{Text: w.Name, Href: path}, layout.Crumb{Text: "Archive"}),
		ui.Ask(ui.Asking{Title: "Archive “" + w.Name + "”?", Cancel: path, Button: ui.Btn{Text: "Archive workflow"},
			Text: "It leaves the lists and no control can be added to it. Nothing is deleted: its controls, their gate and the stop switch still work. It can be restored at any time.",
			Form: ui.FormAt{Action: path + "/archive", Version: w.Version}}))
}

// workflowArchive is POST /workflows/:slug/archive.
func (s *Server) workflowArchive(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		ref, err := workflow.Archive(s.ctx(c), s.DB, s.actor(c), workflow.ArchiveCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Version: f.Version})
		return workflow.Path(ref.Slug), "Workflow archived.", err
	})
}

// workflowRestore is POST /workflows/:slug/restore.
func (s *Server) workflowRestore(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		ref, err := workflow.Restore(s.ctx(c), s.DB, s.actor(c), workflow.ArchiveCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Version: f.Version})
		return workflow.Path(ref.Slug), "Workflow restored.", err
	})
}

// archiving runs a command of one button and goes to where it says, with what it says.
func (s *Server) archiving(c echo.Context, run func(versionForm) (path, said string, err error)) error {
	var f versionForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	path, said, err := run(f)
	if err != nil {
		return err
	}
	return s.see(c, path, said, "")
}
