package handlers

import (
	"fmt"
	"net/http"
	"net/url"

	"countersign/models/workflow"
	"countersign/models/workflow/catalogue"
	"countersign/views/destinations"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

const cataloguePath = "/destinations/catalogue"

type catalogueForm struct {
	Show        string `query:"show"` // "senders", or operations
	Q           string `query:"q"`
	Mechanism   string `query:"mechanism"`
	Confidence  string `query:"confidence"`
	At          string `query:"at"`
	Destination string `query:"destination"` // where an operation is to be started
	Workflow    string `query:"workflow"`    // where a sender is to be started
}

func (f catalogueForm) filter() catalogue.Filter {
	return catalogue.Filter{Q: f.Q, Mechanism: f.Mechanism, Confidence: f.Confidence, Page: f.At}
}

// address is the list with a filter of nothing but what it is for.
func (f catalogueForm) address(show string) string {
	q := url.Values{}
	for name, value := range map[string]string{"show": show, "destination": f.Destination, "workflow": f.Workflow} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return cataloguePath
	}
	return cataloguePath + "?" + q.Encode()
}

// catalogueIndex is GET /destinations/catalogue.
func (s *Server) catalogueIndex(c echo.Context) error {
	var f catalogueForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	p := destinations.Catalogue{Senders: f.Show == "senders", Q: f.Q, Confidence: f.Confidence}
	forWhat, err := s.catalogueFor(c, f)
	if err != nil {
		return err
	}
	p.For = forWhat
	operations, senders := catalogue.Sizes()
	p.Tabs = []ui.Tab{{Text: fmt.Sprintf("Operations, %d", operations), Href: f.address(""), Current: !p.Senders},
		{Text: fmt.Sprintf("Senders, %d", senders), Href: f.address("senders"), Current: p.Senders}}
	if p.Senders {
		err = s.catalogueSenders(c, f, &p)
	} else {
		err = s.catalogueOperations(c, f, &p)
	}
	if err != nil {
		return err
	}
	return s.page(c, http.StatusOK, destinationsPage("Catalogue", "", layout.Crumb{Text: "Catalogue"}), destinations.CataloguePage(p))
}

func (s *Server) catalogueOperations(c echo.Context, f catalogueForm, p *destinations.Catalogue) error {
	page, found, err := catalogue.Operations(f.filter())
	if err != nil {
		return err
	}
	all, _ := catalogue.Sizes()
	p.Mechanism, p.Mechanisms = f.Mechanism, []ui.Option{{Value: "", Label: "Any mechanism"}}
	for _, m := range catalogue.Mechanisms {
		p.Mechanisms = append(p.Mechanisms, ui.Option{Value: m, Label: catalogue.MechanismWords(m)})
	}
	p.Count, p.Pager, p.All = countOf(found, all, "operation", "operations"), pagerFor(c, page.Prev, page.Next), f.address("")
	for _, o := range page.Items {
		e := operationEntry(o)
		e.Path += queryFor(p.For)
		p.Entries = append(p.Entries, e)
	}
	return nil
}

func (s *Server) catalogueSenders(c echo.Context, f catalogueForm, p *destinations.Catalogue) error {
	page, found, err := catalogue.Senders(f.filter())
	if err != nil {
		return err
	}
	_, all := catalogue.Sizes()
	p.Count, p.Pager, p.All = countOf(found, all, "sender", "senders"), pagerFor(c, page.Prev, page.Next), f.address("senders")
	for _, o := range page.Items {
		e := senderEntry(o)
		e.Path += queryFor(p.For)
		p.Entries = append(p.Entries, e)
	}
	return nil
}

// catalogueFor is the destination or workflow named in the address, when it can
// be started for.
func (s *Server) catalogueFor(c echo.Context, f catalogueForm) (destinations.For, error) {
	if f.Show == "senders" && f.Workflow != "" {
		all, err := workflow.Choices(s.ctx(c), s.DB, f.Workflow)
		if err != nil || len(all) == 0 || all[0].Slug != f.Workflow {
			return destinations.For{}, err
		}
		return destinations.For{Param: "workflow", Slug: f.Workflow, Name: all[0].Name, Path: workflow.Path(f.Workflow)}, nil
	}
	if f.Show != "senders" && f.Destination != "" {
		all, err := workflow.DestinationChoices(s.ctx(c), s.DB, f.Destination)
		if err != nil || len(all) == 0 || all[0].Slug != f.Destination {
			return destinations.For{}, err
		}
		return destinations.For{Param: "destination", Slug: f.Destination, Name: all[0].System + ", " + all[0].Account, Path: workflow.DestinationPath(f.Destination)}, nil
	}
	return destinations.For{}, nil
}

func queryFor(f destinations.For) string {
	if f.Slug == "" {
		return ""
	}
	return "?" + url.Values{f.Param: {f.Slug}}.Encode()
}

// countOf says "72 operations", or how many of them a filter leaves.
func countOf(found, all int, one, many string) string {
	switch {
	case found < all:
		return fmt.Sprintf("%d of %d %s", found, all, many)
	case all == 1:
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", all, many)
}
