// Package api is the automation's way in: HTTP with JSON under /api/v1, described
// by OpenAPI. It checks the token, reads the request, calls one model command or
// query, and writes the answer. It knows no sessions, cookies or forms.
package api

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/ledger"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"
)

// Prefix starts the path of every call.
const Prefix = "/api/v1/"

// Covers reports whether a request is a call of the API, and so not a page's.
func Covers(path string) bool { return strings.HasPrefix(path, Prefix) }

// Answers reports whether an address belongs to automations, though no call may
// be there: what is wrong with it is told as a problem. The reference has pages.
func Answers(path string) bool {
	return strings.HasPrefix(path+"/", "/api/") && !slices.ContainsFunc([]string{"/api/docs", "/api/guide", "/api/openapi.json", "/api/problems"},
		func(page string) bool { return strings.HasPrefix(path+"/", page+"/") })
}

// maxBody is the largest request body, in bytes.
const maxBody = 1 << 20

// API holds what every call needs.
type API struct {
	DB   *models.DB
	Desk *ledger.Desk
	Log  *slog.Logger

	BodyTimeout time.Duration // how long a body may take to arrive

	huma   huma.API
	tokens readings
}

// Mount adds the calls to e.
func (a *API) Mount(e *echo.Echo) {
	if a.BodyTimeout == 0 {
		a.BodyTimeout = 20 * time.Second
	}
	a.huma = humaecho.New(e, config())
	a.huma.UseMiddleware(a.admit)
	a.deliveries()
	a.claims()
	a.outcomes()
	a.lookups()
	a.retries()
	a.replays()
	a.reads()
	for name, schema := range a.Document().Components.Schemas.Map() {
		if !strings.HasSuffix(name, "Request") {
			schema.AdditionalProperties = nil // answers may gain members; requests refuse what they don't know
		}
	}
}

// Document is the OpenAPI description of the mounted calls.
func (a *API) Document() *huma.OpenAPI { return a.huma.OpenAPI() }

// Describe returns the OpenAPI description without serving anything.
func Describe() *huma.OpenAPI {
	a := &API{}
	a.Mount(echo.New())
	return a.Document()
}

func init() { huma.ValidateStrictCasing = true } // a name in another case is another name

func config() huma.Config {
	c := huma.DefaultConfig("Countersign", "1")
	c.CreateHooks = nil // no schema links in answers
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.Formats = map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat}
	c.RejectUnknownQueryParameters = true
	c.Info.Description = "What an automation asks before it acts, and says afterwards. Claim an action, carry it out only when the answer is 201, then report what became of it."
	c.Servers = []*huma.Server{{URL: "/", Description: "This server"}}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer",
		Description: "A token (cs_...), bound to one workflow, one environment and scopes. An administrator makes it at /admin/tokens."}}
	c.Security = []map[string][]string{{"token": {}}}
	c.Tags = []*huma.Tag{
		{Name: "Deliveries", Description: "What arrived. A receipt is never proof of an action."},
		{Name: "Actions", Description: "Who may act, and what became of it."},
		{Name: "Replays", Description: "Trying again with a person's approval."},
		{Name: "Reading", Description: "Where things stand."},
	}
	return c
}

// order is how the calls are shown: as an automation makes them.
var order = []string{"report-delivery", "claim-action", "heartbeat", "report-outcome", "report-lookup", "retry-action",
	"ask-replay", "read-replay", "start-replay", "read-action", "read-gate", "read-review"}

// Order is the place of a call among all of them.
func Order(id string) int { return slices.Index(order, id) }
