package handlers

import (
	"net/http"
	"net/url"

	"countersign/models"
	"countersign/models/workflow"
	"countersign/models/workflow/catalogue"
	"countersign/views/destinations"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

// catalogueShow is GET /destinations/catalogue/:id.
func (s *Server) catalogueShow(c echo.Context) error {
	return s.entryPage(c, http.StatusOK, "")
}

// entryPage shows one entry; problem is what must change in the choice.
func (s *Server) entryPage(c echo.Context, status int, problem string) error {
	id := c.Param("id")
	p := destinations.EntryShow{Start: cataloguePath + "/" + id + "/start"}
	if o, err := catalogue.FindOperation(id); err == nil {
		p.Entry = operationEntry(o)
		if err := s.destinationChoice(c, &p); err != nil {
			return err
		}
	} else {
		o, err := catalogue.FindSender(id)
		if err != nil {
			return models.NotFoundf("The catalogue has no such entry.")
		}
		p.Entry, p.Sender = senderEntry(o), true
		if err := s.workflowChoice(c, &p); err != nil {
			return err
		}
	}
	p.Choice.Error = problem
	title := p.Title
	if problem != "" {
		title = "Error: " + title
	}
	return s.page(c, status, destinationsPage(title, "read", layout.Crumb{Text: "Catalogue", Href: cataloguePath}, layout.Crumb{Text: p.Title}), destinations.EntryPage(p))
}

func (s *Server) destinationChoice(c echo.Context, p *destinations.EntryShow) error {
	p.NewPlace, p.WhyNot = "/destinations/new", why(workflow.MaySetOperations(s.actor(c)))
	p.Choice = ui.Field{Name: "destination", Label: "Destination", Value: c.QueryParam("destination"), Required: true, Options: []ui.Option{{Label: "Choose a destination"}},
		Help: "Opens the form of a new operation with these facts filled in, not checked. Nothing is saved before you save it there."}
	all, err := workflow.DestinationChoices(s.ctx(c), s.DB, p.Choice.Value)
	for _, d := range all {
		p.Choice.Options = append(p.Choice.Options, ui.Option{Value: d.Slug, Label: d.System + ", " + d.Account + ", " + d.Environment})
	}
	return err
}

func (s *Server) workflowChoice(c echo.Context, p *destinations.EntryShow) error {
	p.NewPlace = "/workflows/new"
	p.Choice = ui.Field{Name: "workflow", Label: "Workflow", Value: c.QueryParam("workflow"), Required: true, Options: []ui.Option{{Label: "Choose a workflow"}},
		Help: "Opens the form of a new sender with these facts filled in, not checked. Nothing is saved before you save it there."}
	all, err := workflow.Choices(s.ctx(c), s.DB, p.Choice.Value)
	for _, w := range all {
		refusal := workflow.MayEdit(s.actor(c), w)
		if refusal == nil {
			p.Choice.Options = append(p.Choice.Options, ui.Option{Value: w.Slug, Label: w.Name})
		} else if len(p.Choice.Options) == 1 {
			p.WhyNot = why(refusal)
		}
	}
	if len(p.Choice.Options) > 1 {
		p.WhyNot = ""
	}
	return err
}

// catalogueStart is GET /destinations/catalogue/:id/start: to the form of a new
// operation or sender. It changes nothing.
func (s *Server) catalogueStart(c echo.Context) error {
	id := c.Param("id")
	from := "/new?" + url.Values{"from": {id}}.Encode()
	if _, err := catalogue.FindOperation(id); err == nil {
		if c.QueryParam("destination") == "" {
			return s.entryPage(c, http.StatusUnprocessableEntity, "Choose a destination.")
		}
		d, err := workflow.FindDestination(s.ctx(c), s.DB, c.QueryParam("destination"))
		if err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, workflow.DestinationPath(d.Slug)+"/operations"+from)
	}
	if _, err := catalogue.FindSender(id); err != nil {
		return models.NotFoundf("The catalogue has no such entry.")
	}
	if c.QueryParam("workflow") == "" {
		return s.entryPage(c, http.StatusUnprocessableEntity, "Choose a workflow.")
	}
	w, err := workflow.Find(s.ctx(c), s.DB, c.QueryParam("workflow"))
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, workflow.Path(w.Slug)+"/senders"+from)
}

func operationEntry(o catalogue.Operation) destinations.Entry {
	return destinations.Entry{Title: o.Provider + ": " + o.Operation, Path: cataloguePath + "/" + o.ID, Text: o.Repeat(), Partly: o.Confidence == catalogue.Partly,
		State: mechanismState(o.Mechanism), Summary: "Key, lifetime, conflicts, lookup, caveats and source",
		Facts: append([]destinations.Fact{{Label: "Key field", Text: catalogue.Words(o.Field)},
			{Label: "Key lifetime", Text: catalogue.Words(o.KeyLifetime)}, {Label: "Same key, other data", Text: catalogue.Words(o.ConflictBehaviour)},
			{Label: "Lookup", Text: catalogue.Words(o.Lookup)}}, sourceFacts(o.Source)...)}
}

func senderEntry(o catalogue.Sender) destinations.Entry {
	f := o.Start()
	e := destinations.Entry{Title: o.Sender, Path: cataloguePath + "/" + o.ID, Text: "Duplicates: " + catalogue.Words(o.Duplicates) + ".", Partly: o.Confidence == catalogue.Partly,
		State: ui.StateFor(f.Duplicates).Called("Duplicates possible"), Summary: "Event ID, order, retries, signature, version, caveats and source",
		Facts: append([]destinations.Fact{{Label: "Event ID", Text: catalogue.Words(o.EventID)}, {Label: "Order", Text: catalogue.Words(o.Ordering)}, {Label: "Retries", Text: catalogue.Words(o.Retries)}, {Label: "Signature", Text: catalogue.Words(o.Signature)},
			{Label: "Version", Text: catalogue.Words(o.VersionField)}}, sourceFacts(o.Source)...)}
	if f.Duplicates == workflow.NotChecked {
		e.State = ui.State{Word: "Duplicates not documented", Icon: "circle-dashed", Tone: "warn", Open: true}
	}
	return e
}

func sourceFacts(s catalogue.Source) []destinations.Fact {
	return []destinations.Fact{{Label: "Caveats", Text: s.Caveats}, {Label: "Confidence", Text: s.ConfidenceWords()}, {Label: "Source", Text: s.Text()}}
}

// mechanismState has no tone that reassures: nobody here has checked it.
func mechanismState(mechanism string) ui.State {
	if mechanism == catalogue.NoneDocumented {
		return ui.StateFor("none").Called(catalogue.MechanismWords(mechanism))
	}
	return ui.State{Word: catalogue.MechanismWords(mechanism), Icon: "file-text", Tone: "idle"}
}
