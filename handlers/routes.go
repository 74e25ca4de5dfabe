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

// Routes lists every URL as method and path: "GET /controls/:slug".
func Routes() []string {
	var all []string
	for _, r := range new(Server).routes() {
		all = append(all, r.method+" "+r.path)
	}
	return all
}

// routes is every URL of the web application.
func (s *Server) routes() []route {
	return []route{
		{get, "/healthz", s.healthz, open},
		{get, "/readyz", s.readyz, open},
		{get, "/metrics", s.showMetrics, open},
		{post, "/theme", s.setTheme, open},

		{get, "/api/docs", s.referenceIndex, open},
		{get, "/api/guide", s.referenceGuide, open},
		{get, "/api/openapi.json", s.openAPI, open},
		{get, "/api/problems", s.problemsIndex, open},
		{get, "/api/problems/:slug", s.problemShow, open},

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
		{post, "/account/sessions/:id/end", s.endSession, false},
		{post, "/delegations/:id/end", s.endDelegation, false},

		{get, "/admin/people", s.peopleIndex, false},
		{get, "/admin/people/new", s.personNew, false},
		{post, "/admin/people", s.personCreate, false},
		{get, "/admin/people/:id", s.person, false},
		{post, "/admin/people/:id", s.personEdit, false},
		{post, "/admin/people/:id/roles", s.personRoles, false},
		{post, "/admin/people/:id/link", s.personLink, false},
		{get, "/admin/people/:id/hand-over", s.handOverShow, false},
		{post, "/admin/people/:id/hand-over", s.handOver, false},
		{post, "/admin/people/:id/deactivation", s.personDeactivate, false},
		{post, "/admin/people/:id/reactivation", s.personReactivate, false},

		{get, "/admin/tokens", s.tokensIndex, false},
		{post, "/admin/tokens", s.tokenCreate, false},
		{get, "/admin/tokens/new", s.tokenNew, false},
		{get, "/admin/tokens/:id/revoke", s.tokenRevokeAsk, false},
		{post, "/admin/tokens/:id/revoke", s.tokenRevoke, false},

		{get, "/controls", s.controlsIndex, false},
		{post, "/controls", s.controlCreate, false},
		{get, "/controls/new", s.controlNew, false},
		{get, "/controls/:slug", s.controlShow, false},
		{get, "/controls/:slug/answers/:field", s.answerShow, false},
		{post, "/controls/:slug/answers/:field", s.answerSave, false},
		{post, "/controls/:slug/answers/:field/confirm", s.answerConfirm, false},
		{post, "/controls/:slug/answers/:field/keep", s.findingKeep, false},
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
		{get, "/controls/new/import", s.controlImport, false},
		{post, "/controls/new/import", s.controlPreview, false},
		{get, "/controls/:slug/copy", s.controlCopy, false},
		{post, "/controls/:slug/answers/:field/suggestion", s.suggestionTake, false},
		{get, "/controls/:slug/handoff", s.handoffShow, false},
		{get, "/controls/:slug/record.md", s.recordMarkdown, false},
		{get, "/controls/:slug/record.json", s.recordJSON, false},
		{get, "/controls/:slug/record.csv", s.recordCSV, false},
		{get, "/controls/:slug/print", s.recordPrint, false},
		{get, bundlePath, s.recordBundle, false},
		{get, "/controls/:slug/revisions/:n", s.revisionShow, false},

		{get, "/matrix", s.matrixIndex, false},
		{get, "/controls/:slug/matrix", s.matrixShow, false},
		{post, "/controls/:slug/matrix", s.caseAdd, false},
		{post, "/controls/:slug/matrix/:case/expectations", s.casePropose, false},
		{post, "/controls/:slug/matrix/:case/decision", s.caseDecide, false},
		{post, "/controls/:slug/matrix/:case/questions", s.caseAsk, false},
		{post, "/controls/:slug/matrix/:case/questions/:id/close", s.caseClose, false},
		{post, "/controls/:slug/matrix/:case/comments", s.caseComment, false},
		{post, "/controls/:slug/matrix/:case/comments/:id/replies", s.caseReply, false},
		{post, "/controls/:slug/matrix/:case/waiver", s.waiverAsk, false},
		{post, "/controls/:slug/matrix/:case/waiver/signature", s.waiverSign, false},
		{get, "/controls/:slug/matrix/:case/waiver/end", s.waiverEndAsk, false},
		{post, "/controls/:slug/matrix/:case/waiver/end", s.waiverEnd, false},
		{get, "/controls/:slug/matrix/:case/start", s.runNew, false},
		{post, "/controls/:slug/matrix/:case/start", s.runStart, false},
		{get, "/runs/:id", s.runShow, false},
		{post, "/runs/:id/result", s.runRecord, false},
		{post, "/runs/:id/review", s.runReview, false},
		{get, "/runs/:id/abandon", s.runAbandonAsk, false},
		{post, "/runs/:id/abandon", s.runAbandon, false},

		{get, "/identity-rules", s.rulesIndex, false},
		{get, "/identity-rules/lab", s.labShow, false},
		{post, "/identity-rules/lab", s.labCompare, false},
		{post, "/identity-rules/lab/pairs", s.pairSave, false},
		{post, "/identity-rules/lab/pairs/:id/archive", s.pairArchive, false},
		{post, "/identity-rules/lab/pairs/:id/restore", s.pairArchive, false},

		{get, "/evidence", s.evidenceIndex, false},
		{post, uploadPath, s.evidenceAttach, false},
		{get, "/evidence/new", s.evidenceNew, false},
		{get, "/evidence/:id", s.evidenceShow, false},
		{get, downloadPath, s.evidenceFile, false},
		{get, "/evidence/uploads/:id", s.uploadShow, false},
		{post, "/evidence/uploads/:id", s.uploadDecide, false},

		{get, "/ledger", s.ledgerIndex, false},
		{get, "/ledger/requests", s.requestShow, false},
		{get, "/ledger/claims/:id", s.refusedShow, false},
		{post, "/ledger/claims/:id", s.refusedAppeal, false},
		{get, "/ledger/actions/:id", s.actionShow, false},
		{post, "/ledger/actions/:id/lookups", s.actionLookUp, false},
		{post, "/ledger/actions/:id/replay-requests", s.actionAskReplay, false},
		{post, "/ledger/actions/:id/appeals", s.actionAppeal, false},
		{post, "/ledger/actions/:id/duplicates", s.actionReportDuplicate, false},
		{post, "/ledger/actions/:id/duplicates/:duplicate", s.actionSettleDuplicate, false},
		{get, "/ledger/reviews", s.reviewsIndex, false},
		{get, "/ledger/reviews/:ref", s.reviewShow, false},
		{post, "/ledger/reviews/:ref/decision", s.reviewDecide, false},

		{get, "/workflows", s.workflowsIndex, false},
		{post, "/workflows", s.workflowCreate, false},
		{get, "/workflows/new", s.workflowNew, false},
		{get, "/workflows/:slug", s.workflowShow, false},
		{get, "/workflows/:slug/edit", s.workflowEdit, false},
		{post, "/workflows/:slug/edit", s.workflowSave, false},
		{get, "/workflows/:slug/stop", s.workflowStopAsk, false},
		{post, "/workflows/:slug/stop", s.workflowStop, false},
		{get, "/workflows/:slug/lift", s.workflowLiftAsk, false},
		{post, "/workflows/:slug/lift", s.workflowLift, false},
		{get, "/workflows/:slug/archive", s.workflowArchiveAsk, false},
		{post, "/workflows/:slug/archive", s.workflowArchive, false},
		{post, "/workflows/:slug/restore", s.workflowRestore, false},
		{post, "/workflows/:slug/senders", s.senderCreate, false},
		{get, "/workflows/:slug/senders/new", s.senderNew, false},
		{get, "/workflows/:slug/senders/:sender", s.senderShow, false},
		{get, "/workflows/:slug/senders/:sender/edit", s.senderEdit, false},
		{post, "/workflows/:slug/senders/:sender/edit", s.senderSave, false},
		{get, "/workflows/:slug/senders/:sender/archive", s.senderArchiveAsk, false},
		{post, "/workflows/:slug/senders/:sender/archive", s.senderArchive, false},
		{post, "/workflows/:slug/senders/:sender/restore", s.senderRestore, false},

		{get, "/destinations", s.destinationsIndex, false},
		{post, "/destinations", s.destinationCreate, false},
		{get, "/destinations/new", s.destinationNew, false},
		{get, "/destinations/catalogue", s.catalogueIndex, false},
		{get, "/destinations/catalogue/:id", s.catalogueShow, false},
		{get, "/destinations/catalogue/:id/start", s.catalogueStart, false},
		{get, "/destinations/:slug", s.destinationShow, false},
		{get, "/destinations/:slug/edit", s.destinationEdit, false},
		{post, "/destinations/:slug/edit", s.destinationSave, false},
		{get, "/destinations/:slug/archive", s.destinationArchiveAsk, false},
		{post, "/destinations/:slug/archive", s.destinationArchive, false},
		{post, "/destinations/:slug/restore", s.destinationRestore, false},
		{post, "/destinations/:slug/operations", s.operationCreate, false},
		{get, "/destinations/:slug/operations/new", s.operationNew, false},
		{get, "/destinations/:slug/operations/:op", s.operationShow, false},
		{get, "/destinations/:slug/operations/:op/edit", s.operationEdit, false},
		{post, "/destinations/:slug/operations/:op/edit", s.operationSave, false},
		{get, "/destinations/:slug/operations/:op/archive", s.operationArchiveAsk, false},
		{post, "/destinations/:slug/operations/:op/archive", s.operationArchive, false},
		{post, "/destinations/:slug/operations/:op/restore", s.operationRestore, false},

		{get, "/admin/environments", s.environmentsIndex, false},
		{post, "/admin/environments", s.environmentCreate, false},
		{get, "/admin/environments/new", s.environmentNew, false},
		{get, "/admin/environments/:slug", s.environmentShow, false},
		{get, "/admin/environments/:slug/edit", s.environmentEdit, false},
		{post, "/admin/environments/:slug/edit", s.environmentSave, false},
		{post, "/admin/environments/:slug/confirmation", s.environmentConfirm, false},
		{get, "/admin/environments/:slug/archive", s.environmentArchiveAsk, false},
		{post, "/admin/environments/:slug/archive", s.environmentArchive, false},
		{post, "/admin/environments/:slug/restore", s.environmentRestore, false},

		{get, "/admin/policies", s.policiesIndex, false},
		{post, "/admin/policies", s.policyCreate, false},
		{get, "/admin/policies/new", s.policyNew, false},
		{get, "/admin/policies/:slug", s.policyShow, false},
		{get, "/admin/policies/:slug/edit", s.policyEdit, false},
		{post, "/admin/policies/:slug/edit", s.policySave, false},
		{get, "/admin/policies/:slug/archive", s.policyArchiveAsk, false},
		{post, "/admin/policies/:slug/archive", s.policyArchive, false},
		{post, "/admin/policies/:slug/restore", s.policyRestore, false},

		{get, "/inbox", s.inboxIndex, false},
		{post, "/inbox/read", s.inboxReadAll, false},
		{post, "/inbox/:id/open", s.inboxOpen, false},
		{post, "/inbox/:id/read", s.inboxRead, false},
		{post, "/account/mail", s.setMailChoices, false},

		{get, "/admin/mail", s.mailIndex, false},
		{post, "/admin/mail/test", s.mailTest, false},
		{post, "/admin/mail/:id/resend", s.mailResend, false},
		{get, "/admin/webhooks", s.webhooksIndex, false},
		{post, "/admin/webhooks", s.webhookCreate, false},
		{get, "/admin/webhooks/new", s.webhookNew, false},
		{get, "/admin/webhooks/:id", s.webhookShow, false},
		{get, "/admin/webhooks/:id/edit", s.webhookEdit, false},
		{post, "/admin/webhooks/:id/edit", s.webhookSave, false},
		{post, "/admin/webhooks/:id/secret", s.webhookRotate, false},
		{post, "/admin/webhooks/:id/disabled", s.webhookDisable, false},
		{post, "/admin/webhooks/:id/enabled", s.webhookEnable, false},
		{post, "/admin/webhooks/:id/test", s.webhookTest, false},
		{post, "/admin/webhooks/:id/deliveries/:delivery/resend", s.webhookResend, false},

		{get, "/queue", s.queueIndex, false},
		{get, eventsPath, s.queueEvents, false},
		{get, freshPath, s.queueLive, false},
		{get, "/queue/:ref", s.queueShow, false},
		{post, "/queue/:ref/decision", s.queueDecide, false},
		{post, "/queue/:ref/start", s.queueStart, false},

		{get, "/", s.home, false},
		{get, "/search", s.search, false},
		{get, "/help", s.helpIndex, false},
		{get, "/help/:topic", s.helpShow, false},
		{get, "/admin", s.adminIndex, false},
		{get, "/audit", s.auditIndex, false},
		{get, auditCSVPath, s.auditCSV, false},
		{get, ledgerCSVPath, s.ledgerCSV, false},
		{get, matrixCSVPath, s.matrixCSV, false},
	}
}
