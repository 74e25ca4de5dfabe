package handlers

import (
	"net/http"
	"slices"
	"strings"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/models/signoff"
	"countersign/models/workflow"
	controlviews "countersign/views/control"
	"countersign/views/layout"
	matrixviews "countersign/views/matrix"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

type controlsFilter struct {
	Q          string `query:"q"`
	Workflow   string `query:"workflow"`
	State      string `query:"state"`
	Gate       string `query:"gate"`
	Owner      string `query:"owner"`
	Unresolved string `query:"unresolved"`
	At         string `query:"at"`
}

// list is the filter for the model. A text that nobody can have typed finds nothing.
func (f controlsFilter) list(by models.Actor) (control.ListFilter, error) {
	var c models.Check
	c.Line("q", f.Q, 200)
	c.Line("workflow", f.Workflow, 80)
	out := control.ListFilter{Q: models.Clean(f.Q), Workflow: f.Workflow, State: control.RevisionState(f.State), Gate: f.Gate, Unresolved: f.Unresolved != "", Cursor: f.At}
	if f.Owner == "me" {
		out.Owner = by.ID
	}
	return out, c.Err()
}

// controlsIndex is GET /controls.
func (s *Server) controlsIndex(c echo.Context) error {
	var f controlsFilter
	if err := c.Bind(&f); err != nil {
		return err
	}
	filter, err := f.list(s.actor(c))
	if err != nil {
		return err
	}
	page, err := control.List(s.ctx(c), s.DB, filter)
	if err != nil {
		return err
	}
	workflows, err := control.WorkflowChoices(s.ctx(c), s.DB)
	if err != nil {
		return err
	}
	pager := pagerFor(c, page.Prev, page.Next)
	p := controlviews.Index{Next: pager.Next, Prev: pager.Prev, WhyNoWrite: reason(control.MayCreate(s.actor(c))),
		Filter: controlviews.Filter{Q: f.Q, Workflow: f.Workflow, State: f.State, Gate: f.Gate, Mine: f.Owner == "me", Unresolved: f.Unresolved != "",
			Workflows: refOptions("Any workflow", workflows)}}
	cells, err := s.cellsOf(c, page.Items)
	if err != nil {
		return err
	}
	for _, r := range page.Items {
		row := controlListRow(r)
		row.Tests = matrixviews.Summary(cells[r.ID], r.Now)
		p.Rows = append(p.Rows, row)
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "Controls", Nav: "controls", Crumbs: []layout.Crumb{{Text: "Controls"}}, Width: "full"}, controlviews.IndexPage(p))
}

// cellsOf is where the scenarios of the listed controls stand.
func (s *Server) cellsOf(c echo.Context, rows []control.ListRow) (map[int64][]matrix.Cell, error) {
	var ids []int64
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return matrix.CellsOf(s.ctx(c), s.DB, ids...)
}

func controlListRow(r control.ListRow) controlviews.Row {
	gate := signoff.RowGate(r)
	return controlviews.Row{Slug: r.Slug, Name: r.Name, WorkflowSlug: r.WorkflowSlug, WorkflowName: r.WorkflowName, Gate: string(gate.State), GateWords: gateWord(gate),
		Number: r.LatestNumber, State: string(r.LatestState), Unresolved: r.Unresolved, Questions: r.OpenQuestions, ReviewBy: r.ReviewDate, Expired: control.Passed(r.ReviewDate, r.Now)}
}

func refOptions(none string, refs []control.Ref) []ui.Option {
	options := []ui.Option{{Label: none}}
	for _, r := range refs {
		options = append(options, ui.Option{Value: r.Slug, Label: r.Name})
	}
	return options
}

// reason is why something is refused, in words; "" when it is not.
func reason(err error) string {
	if e := models.AsError(err); e != nil {
		return e.Message
	}
	return ""
}

type controlForm struct {
	Sentence   string `form:"sentence"`
	Name       string `form:"name"`
	Slug       string `form:"slug"`
	Effect     string `form:"effect"`
	Workflow   string `form:"workflow"`
	Submission string `form:"submission"`
	Copy       string `form:"copy"`   // slug of the control it starts from
	Record     string `form:"record"` // or the JSON of one
	accounts   map[string]string
}

// cmd takes the effect from the name where none was typed.
func (f controlForm) cmd() control.CreateCmd {
	cmd := control.CreateCmd{Once: models.Once{Submission: f.Submission}, Workflow: f.Workflow, Name: f.Name, Slug: f.Slug, Effect: models.Clean(f.Effect), Sentence: f.Sentence, Accounts: f.accounts}
	if cmd.Effect == "" {
		cmd.Effect = models.Slugify(models.Clean(f.Name))
	}
	return cmd
}

// controlNew is GET /controls/new.
func (s *Server) controlNew(c echo.Context) error {
	if err := control.MayCreate(s.actor(c)); err != nil {
		return err
	}
	return s.showControlForm(c, http.StatusOK, controlForm{Workflow: c.QueryParam("workflow")}, nil)
}

// controlCreate is POST /controls.
func (s *Server) controlCreate(c echo.Context) error {
	var f controlForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	f.accounts = prefixed(c, "accounts.")
	start, err := s.startOf(c, f)
	if err != nil {
		return err
	}
	made, err := control.CreateFrom(s.ctx(c), s.DB, s.actor(c), control.CreateFromCmd{CreateCmd: f.cmd(), Suggestions: start.suggestions})
	if models.IsKind(err, models.KindInvalid) {
		return s.showControlForm(c, http.StatusUnprocessableEntity, f, models.AsError(err).Fields)
	}
	if err != nil {
		return err
	}
	next, err := s.afterWriting(c, made.Slug)
	if err != nil {
		return err
	}
	return s.see(c, "/controls/"+made.Slug, "Control written.", next)
}

// afterWriting says who goes on with a new control: whoever can answer its
// technical questions.
func (s *Server) afterWriting(c echo.Context, slug string) (string, error) {
	d, err := control.Show(s.ctx(c), s.DB, slug)
	by, goesOn := s.actor(c), d.Parties.Implementer
	if err != nil || goesOn.ID == 0 || by.Has(models.Implementer) || by.Is(goesOn.ID) {
		return "Answer its questions next; the numbers beside the sections count what is open.", err
	}
	return goesOn.Name + " goes on from here. Look through the questions that the business owner decides, and ask where something is unclear.", nil
}

// gatePlain says in one sentence what the gate means for a further try.
func gatePlain(g signoff.Gate) string {
	switch g.State {
	case signoff.GateBlocked:
		return "Nothing may start or be tried again where real customers can be reached."
	case signoff.GateObserving:
		return "A repeat goes through."
	case signoff.GateAutomatic:
		return "After that a person must allow every further try."
	}
	return "A person must allow every further try."
}

func (s *Server) showControlForm(c echo.Context, status int, f controlForm, problems []models.FieldError) error {
	choices, err := control.ChoicesToCreate(s.ctx(c), s.DB)
	if err != nil {
		return err
	}
	p := controlviews.New{Sentence: f.Sentence, Name: f.Name, Slug: f.Slug, Effect: f.Effect, Workflow: f.Workflow, Workflows: refOptions("Choose a workflow", choices.Workflows), Submission: f.Submission}
	p.Problems = f.problems(problems)
	start, err := s.startOf(c, f)
	if err != nil {
		return err
	}
	p.From = start.From
	for _, e := range choices.Environments {
		p.Accounts = append(p.Accounts, controlviews.AccountChoice{Environment: e.Environment.Slug, Name: e.Environment.Name, ReachesCustomers: e.ReachesCustomers,
			Value: f.accounts[e.Environment.Slug], Options: refOptions("Not decided yet", e.Destinations)})
	}
	if len(choices.Workflows) == 0 {
		p.NoWorkflow = controlviews.NewLack("There is no workflow yet, and every control belongs to one.", "Write the workflow first", "/workflows/new", workflow.MayCreate(s.actor(c)))
	}
	if len(choices.Environments) == 0 {
		p.NoAccount = controlviews.NewLack("No destination is described yet, so there is no account to choose. It can be chosen later.", "Describe a destination", "/destinations/new", workflow.MaySetDestinations(s.actor(c)))
	}
	crumbs := []layout.Crumb{{Text: "Controls", Href: "/controls"}, {Text: "Write a control"}}
	return s.page(c, status, layout.Page{Title: formTitle("Write a control", problems), Nav: "controls", Crumbs: crumbs, Width: "read"}, controlviews.NewPage(p))
}

// problems puts them in the order of the form, without those that only follow
// from a missing name.
func (f controlForm) problems(all []models.FieldError) []models.FieldError {
	order := []string{"sentence", "name", "workflow", "effect", "slug"}
	place := func(e models.FieldError) int {
		if i := slices.Index(order, e.Field); i >= 0 {
			return i
		}
		return len(order) // an account
	}
	shown := slices.DeleteFunc(slices.Clone(all), func(e models.FieldError) bool {
		return f.Name == "" && (e.Field == "slug" && f.Slug == "" || e.Field == "effect" && f.Effect == "")
	})
	slices.SortStableFunc(shown, func(a, b models.FieldError) int { return place(a) - place(b) })
	return shown
}

// formTitle says in the window's title that a form must change.
func formTitle(title string, problems []models.FieldError) string {
	if len(problems) > 0 {
		return "Error: " + title
	}
	return title
}

// prefixed are the form's values whose names start with prefix, by the rest of the name.
func prefixed(c echo.Context, prefix string) map[string]string {
	values := map[string]string{}
	form, err := c.FormParams()
	if err != nil {
		return values
	}
	for name, v := range form {
		if rest, ok := strings.CutPrefix(name, prefix); ok && len(v) > 0 {
			values[rest] = v[0]
		}
	}
	return values
}
