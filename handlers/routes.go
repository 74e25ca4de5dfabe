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

		{get, "/login", s.login, open},
		{post, "/login", s.signIn, open},
		{post, "/logout", s.logout, open},
		{get, "/setup/:token", s.setup, open},
		{post, "/setup/:token", s.completeSetup, open},
		{get, "/invite/:token", s.invite, open},
		{post, "/invite/:token", s.acceptInvite, open},

		{get, "/account", s.account, false},
		{post, "/account/time-zone", s.setTimeZone, false},
		{post, "/account/password", s.changePassword, false},
		{post, "/account/delegate", s.setDelegate, false},
		{post, "/account/sign-out", s.signOutEverywhere, false},
		{post, "/delegations/:id/end", s.endDelegation, false},

		{get, "/admin/people", s.peopleIndex, false},
		{get, "/admin/people/new", s.personNew, false},
		{post, "/admin/people", s.personCreate, false},
		{get, "/admin/people/:id", s.person, false},
		{post, "/admin/people/:id", s.personEdit, false},
		{post, "/admin/people/:id/roles", s.personRoles, false},
		{post, "/admin/people/:id/link", s.personLink, false},
		{post, "/admin/people/:id/deactivation", s.personDeactivate, false},
		{post, "/admin/people/:id/reactivation", s.personReactivate, false},

		{get, "/controls", s.controlsIndex, false},
		{post, "/controls", s.controlCreate, false},
		{get, "/controls/new", s.controlNew, false},
		{get, "/controls/:slug", s.controlShow, false},
		{get, "/controls/:slug/answers/:field", s.answerShow, false},
		{post, "/controls/:slug/answers/:field", s.answerSave, false},
		{post, "/controls/:slug/answers/:field/confirm", s.answerConfirm, false},
		{get, "/controls/:slug/answers/:field/history", s.answerHistory, false},
		{post, "/controls/:slug/fields/:field/questions", s.questionAsk, false},
		{post, "/controls/:slug/fields/:field/questions/:id/close", s.questionClose, false},
		{post, "/controls/:slug/fields/:field/comments", s.commentAdd, false},
		{post, "/controls/:slug/fields/:field/comments/:id/replies", s.commentReply, false},

		{post, "/controls/:slug/submit", s.controlSubmit, false},
		{post, "/controls/:slug/withdraw", s.controlWithdraw, false},
		{post, "/controls/:slug/draft", s.draftStart, false},
		{get, "/controls/:slug/sign-off", s.signoffShow, false},
		{post, "/controls/:slug/sign-off", s.signoffDecide, false},
		{get, "/controls/:slug/revisions/:n", s.revisionShow, false},

		{get, "/", s.home, false},
		{get, "/audit", s.auditIndex, false},
	}
}
