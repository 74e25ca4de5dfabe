package ui

import "strings"

// State is how a state is shown everywhere: a word, an icon that says the same,
// a tone that only repeats it, and whether it is still open (dashed).
type State struct {
	Word, Icon, Tone string
	Open             bool
}

// states has one entry for every state that is printed. Keys are the values of
// the schema. Where one value means different things, the kind comes first:
// run_failed, request_approved, question_open.
var states = map[string]State{
	// action
	"pending":   {"Pending", "hourglass", "ink", false},
	"succeeded": {"Succeeded", "circle-check", "ok", false},
	"failed":    {"Failed", "circle-x", "bad", false},
	"unknown":   {"Unknown", "circle-question-mark", "warn", true},

	// answer
	"unresolved":        {"Unresolved", "circle-dashed", "warn", true},
	"answered":          {"Answered", "check", "ok", false},
	"same_delivery":     {"Same delivery", "copy", "ink", false},
	"same_action":       {"Same action", "equal", "ink", false},
	"legitimate_repeat": {"Legitimate repeat", "repeat", "ok", false},
	"different_action":  {"Different action", "circle-plus", "ok", false},
	"goes_to_review":    {"Goes to review", "scan-search", "warn", true},
	"keys_never_cross":  {"Keys never cross", "globe", "idle", false},
	"outcome_same":      {"Same", "equal", "ok", false},
	"outcome_different": {"Different", "x", "idle", false},
	"outcome_review":    {"Goes to review", "scan-search", "warn", true},
	"outcome_undefined": {"No rule yet", "circle-dashed", "idle", true},
	"pair_holds":        {"Holds", "check", "ok", false},
	"pair_broken":       {"Broken", "octagon-x", "bad", false},
	"finding_block":     {"Blocks", "octagon-x", "bad", false},
	"finding_reason":    {"Needs a reason", "circle-alert", "warn", true},
	"finding_warn":      {"Warning", "triangle-alert", "warn", false},
	"finding_kept":      {"Kept with a reason", "check", "idle", false},
	"flagged":           {"Findings to settle", "circle-alert", "warn", true},
	"not_applicable":    {"Not applicable", "circle-slash", "idle", false},
	"unconfirmed":       {"Not confirmed", "circle-dashed", "warn", true},

	// revision
	"draft":             {"Draft", "pencil-line", "idle", true},
	"in_review":         {"In review", "eye", "ink", false},
	"approved":          {"Approved", "badge-check", "ok", false},
	"changes_requested": {"Changes requested", "undo-2", "warn", false},
	"superseded":        {"Superseded", "layers", "idle", false},
	"expired":           {"Expired", "calendar-x", "bad", false},

	// gate, workflow and mode
	"blocked":   {"Blocked", "octagon-x", "bad", false},
	"manual":    {"Manual replay only", "hand", "ink", false},
	"automatic": {"Automatic", "repeat", "ok", false},
	"observing": {"Observing, refuses nothing", "eye", "warn", true},
	"running":   {"Running", "play", "ok", false},
	"stopped":   {"Stopped", "octagon-pause", "bad", false},
	"lifted":    {"Lifted", "play", "ok", false},
	"archived":  {"Archived", "archive", "idle", false},
	"observe":   {"Observe", "eye", "warn", true},
	"enforce":   {"Enforce", "shield-check", "ok", false},

	// run and test case
	"passed":           {"Passed", "circle-check", "ok", false},
	"run_failed":       {"Failed", "circle-x", "bad", false},
	"inconclusive":     {"Inconclusive", "circle-question-mark", "warn", true},
	"run_to_review":    {"To review", "eye", "ink", true},
	"run_started":      {"Started", "timer", "ink", true},
	"run_returned":     {"Returned", "undo-2", "warn", false},
	"run_abandoned":    {"Abandoned", "circle-minus", "idle", false},
	"passed_on_retest": {"Passed on retest", "corner-down-right", "ok", false},
	"not_run":          {"Not run", "circle", "idle", true},
	"proposed":         {"Not agreed", "message-circle-question-mark", "warn", true},
	"no_expectation":   {"No expectation", "circle-dashed", "warn", true},
	"earlier_design":   {"Earlier design", "history", "idle", false},
	"waived":           {"Waived", "signature", "idle", false},
	"waiver_wanted":    {"Waiver wanted", "signature", "warn", true},

	// replay request
	"request_pending":         {"Waiting for decision", "hourglass", "ink", true},
	"request_evidence_wanted": {"Returned for evidence", "undo-2", "warn", false},
	"request_approved":        {"Approved", "circle-check", "ok", false},
	"request_rejected":        {"Rejected", "ban", "bad", false},
	"request_withdrawn":       {"Withdrawn", "circle-minus", "idle", false},
	"request_started":         {"Started", "timer", "ink", true},
	"request_finished":        {"Finished", "check-check", "ok", false},
	"request_lapsed":          {"Lapsed", "timer-off", "idle", false},
	"request_overtaken":       {"Overtaken", "check-check", "idle", false},
	"request_expired":         {"Expired, unanswered", "calendar-x", "bad", false},

	// delivery
	"accepted":     {"Accepted", "check", "ok", false},
	"duplicate":    {"Duplicate", "copy", "idle", false},
	"stale":        {"Stale", "history", "idle", false},
	"needs_review": {"Needs review", "scan-search", "warn", true},

	// review item
	"review_open":      {"Waits for a decision", "hourglass", "ink", true},
	"review_accepted":  {"Accepted", "circle-check", "ok", false},
	"review_linked":    {"Linked to an action", "link", "ok", false},
	"review_dismissed": {"Dismissed", "ban", "idle", false},

	// signature and slot
	"signed":   {"Signed", "signature", "ok", false},
	"unsigned": {"Not signed", "circle-dashed", "warn", true},
	"void":     {"Void", "ban", "idle", false},
	"approve":  {"Approved and signed", "signature", "ok", false},
	"changes":  {"Asked for changes", "undo-2", "warn", false},

	// evidence, discrepancy, question
	"evidence_in_force": {"In force", "check", "ok", false},
	"evidence_expiring": {"Expires soon", "calendar-clock", "warn", true},
	"evidence_expired":  {"Expired", "calendar-x", "bad", false},
	"evidence_held":     {"Expired, kept while it is needed", "calendar-x", "bad", false},
	"evidence_removed":  {"Expired, bytes removed", "archive", "idle", false},
	"missing":           {"Missing", "circle-dashed", "warn", true},
	"attached":          {"Attached", "paperclip", "ok", false},
	"open":              {"Open", "triangle-alert", "bad", false},
	"closed":            {"Closed by retest", "circle-check", "ok", false},
	"question_open":     {"Open question", "message-circle-question-mark", "warn", true},
	"question_closed":   {"Question closed", "check", "ok", false},

	// people
	"active":      {"Active", "check", "ok", false},
	"invited":     {"Invited, no password yet", "mail", "warn", true},
	"deactivated": {"Deactivated", "user-x", "idle", false},
	"in_force":    {"In force", "check", "ok", false},
	"ended":       {"Ended", "circle-minus", "idle", false},

	// token
	"token_active":   {"Active", "check", "ok", false},
	"token_expired":  {"Expired", "calendar-x", "idle", false},
	"token_revoked":  {"Revoked", "ban", "idle", false},
	"token_orphaned": {"Account deactivated", "user-x", "bad", false},
	"level_gone":     {"Skipped", "user-x", "warn", true},

	// environment
	"test":              {"Test", "flask-conical", "idle", false},
	"production":        {"Production", "globe", "ink", false},
	"reaches":           {"Can reach real customers", "users", "ink", false},
	"cannot_reach":      {"Cannot reach customers", "lock", "idle", false},
	"reach_unconfirmed": {"Not confirmed by the business owner", "circle-dashed", "warn", true},

	// what a documentation says
	"documented":     {"Documented", "file-text", "ok", false},
	"none":           {"None", "circle-slash", "idle", false},
	"not_checked":    {"Not yet checked", "circle-dashed", "warn", true},
	"possible":       {"Possible", "copy", "ink", false},
	"not_possible":   {"Not possible", "circle-slash", "idle", false},
	"guaranteed":     {"Guaranteed", "list-checks", "ok", false},
	"not_guaranteed": {"Not guaranteed", "circle-slash", "ink", false},
	"not_set":        {"Not set", "circle-dashed", "warn", true},

	// inbox, e-mail and webhooks
	"unread":             {"Unread", "mail", "ink", true},
	"mail_waiting":       {"Waiting", "hourglass", "ink", true},
	"mail_sent":          {"Sent", "check", "ok", false},
	"mail_failed":        {"Failed", "circle-x", "bad", false},
	"mail_skipped":       {"Skipped", "circle-minus", "idle", false},
	"enabled":            {"Enabled", "check", "ok", false},
	"disabled":           {"Disabled", "circle-minus", "idle", false},
	"delivery_waiting":   {"Waiting", "hourglass", "ink", true},
	"delivery_delivered": {"Delivered", "check", "ok", false},
	"delivery_failed":    {"Failed", "circle-x", "bad", false},
	"delivery_held":      {"Held", "circle-minus", "idle", true},

	// audit
	"refused": {"Refused", "ban", "bad", false},
}

// StateFor returns how a state is shown. A state that nobody described yet is
// its own value in words, so that a page never fails on it.
func StateFor(state string) State {
	if s, ok := states[state]; ok {
		return s
	}
	word := strings.ReplaceAll(state, "_", " ")
	if word != "" {
		word = strings.ToUpper(word[:1]) + word[1:]
	}
	return State{word, "circle", "idle", false}
}

// Called returns the state with another word, such as "Automatic up to 2".
func (s State) Called(word string) State {
	s.Word = word
	return s
}
