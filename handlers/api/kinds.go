package api

import "net/http"

// Kind is a kind of problem: what the `type` of an answer leads to.
type Kind struct {
	Slug    string // also the `code` of the answer
	Status  int
	Title   string
	Meaning string // with its code between backticks
	Do      string // what the automation does next
}

// Step is what to do in one state of the action.
type Step struct{ State, Do string }

// ByState says what to do where the state of the action decides it.
func (k Kind) ByState() []Step {
	if k.Slug != "already" && k.Slug != "lease_ended" {
		return nil
	}
	return []Step{
		{"pending", "Stop. Whoever holds it reports, and when its lease ends without a report it is unknown. An earlier run of your own is no exception: the claim is not taken over."},
		{"failed", "There is certainly no effect. Try it again with `POST /api/v1/actions/{id}/retry`; when that is refused, ask with `POST /api/v1/actions/{id}/replay-requests`."},
		{"unknown", "Look it up at the destination and report what is there with `POST /api/v1/actions/{id}/lookups`. When nothing is there, ask for a replay."},
		{"succeeded", "It was done. Use `destination_result_id`, and go on with the next effect."},
	}
}

// Path is the address of the kind, relative to this server.
func (k Kind) Path() string { return "/api/problems/" + k.Slug }

// Kinds of problems, by status. Slugs are part of the outside contract.
var Kinds = []Kind{
	{"malformed", http.StatusBadRequest, "The request cannot be read", "The body is no JSON, is not UTF-8, was cut off, or the address holds characters that are not text.", "Correct the request. Sending the same again gives the same answer."},
	{"unauthorized", http.StatusUnauthorized, "No token that lets you in", "The token is missing, unknown, revoked or expired, or counts as somebody whose account was deactivated. The detail says which.", "Send a token: an administrator makes one under Tokens. Do not act meanwhile: nothing was claimed."},
	{"forbidden", http.StatusForbidden, "This token does not allow this", "The token is bound to another workflow or environment, or lacks the scope of this call.", "Use the token that was made for this workflow and environment."},
	{"not_found", http.StatusNotFound, "Nothing here", "There is no such action, control, environment, sender, request or review item, or no such address.", "Check the identifier. An action id comes from the answer to a claim."},
	{"method_not_allowed", http.StatusMethodNotAllowed, "This address takes another method", "The address exists, but not with this method.", "See the reference for the method."},
	{"body_timeout", http.StatusRequestTimeout, "The body did not arrive in time", "The request was opened, and its body did not come.", "Send the request again, with the same `Idempotency-Key`. Nothing was done."},

	{"already", http.StatusConflict, "This action was claimed before", "A claim with the same identity came first: another worker's, or that of an earlier run of your own. The answer carries the action's `action_id`, `state` and `destination_result_id`.", "Do not act. The state says how to go on. When it was a real second request, a person says so on the page that `appeal` names."},
	{"matches_earlier_rule", http.StatusConflict, "An earlier version of the rule knows this action", "The identity rule changed, and only its earlier version, or what a person decided under it, finds an action for this input. A person reviews it.", "Do not act. Follow the review item at `GET /api/v1/reviews/{ref}`, then claim again."},
	{"stale_version", http.StatusConflict, "A newer version is known", "The record has a newer version, delivered or claimed. Acting on the older one could overwrite it.", "Do not act. Read the record's current state. A person can appeal on the page that `appeal` in the answer names."},
	{"in_review", http.StatusConflict, "The delivery waits for a person", "The delivery has no clear identity, or contradicts an earlier one, and a person has not accepted it.", "Do not act. Follow the review item, then claim again."},
	{"pending", http.StatusConflict, "A worker holds this action", "An attempt is in flight and its lease has not ended.", "Wait for its outcome. When the lease ends without one, the action becomes unknown."},
	{"succeeded", http.StatusConflict, "The action succeeded", "It is never tried again, and a failure reported afterwards is kept as evidence only.", "Use `destination_result_id`. A second effect needs a claim of its own, as a legitimate repeat: `repeat` with an approved LR-n."},
	{"lookup_required", http.StatusConflict, "Look at the destination first", "The outcome is unknown, or a lookup that does not count found a result, and no lookup begun after the last attempt ended says what the destination holds.", "Look the action up at the destination and report it with `POST /api/v1/actions/{id}/lookups`."},
	{"replay_required", http.StatusConflict, "Only an approved replay may try this again", "The gate allows no automatic retry, the last attempt was a replay itself, lookups contradict each other, or a duplicate of the action is open. The detail says which.", "Ask with `POST /api/v1/actions/{id}/replay-requests` and wait for the decision."},
	{"retries_used_up", http.StatusConflict, "The automatic retries are used up", "As many automatic retries ran as were signed for.", "Ask for a replay with `POST /api/v1/actions/{id}/replay-requests`."},
	{"ended", http.StatusConflict, "The attempt has ended", "Its lease ended, or its outcome was reported.", "Stop the work if it has not reached the destination. Report the outcome in any case: it is kept, and a success counts."},
	{"already_succeeded", http.StatusConflict, "An earlier attempt succeeded", "While this attempt was in flight, an earlier one turned out to have succeeded.", "Stop at once if the destination was not called yet. Report the outcome in any case."},
	{"wrong_claim_token", http.StatusConflict, "This claim token is not the attempt's", "The token belongs to no attempt of this action.", "Use the `claim_token` from the 201 answer of this attempt's claim, retry or start."},
	{"used", http.StatusConflict, "It was used already", "The authorization works once and has been used.", "Do not act. Read the action's state."},
	{"lapsed", http.StatusConflict, "The authorization's time is over", "It was approved, and not started in time.", "Ask for a replay again."},
	{"overtaken", http.StatusConflict, "The action succeeded meanwhile", "A late report or a lookup settled it, so the permission ended.", "Do not act. Use `destination_result_id`."},
	{"stale", http.StatusConflict, "Something is newer than what was approved", "An attempt, report, lookup, duplicate or rule is newer than what the approver saw.", "Do not act. The approval has lapsed. Read the action, and ask again if it is still right: `POST /api/v1/actions/{id}/replay-requests`."},
	{"not_approved", http.StatusConflict, "The legitimate repeat is not approved", "The item is still open, was dismissed, or is about another action.", "Follow it at `GET /api/v1/reviews/{ref}`."},
	{"lease_ended", http.StatusConflict, "The first answer has run out", "This `Idempotency-Key` belongs to a call whose lease is over, so its answer is not given again.", "Read the action. If it is unknown, look it up at the destination."},
	{"no_policy", http.StatusConflict, "Nobody is named who could decide", "The control names no escalation policy with people who can decide a replay.", "Tell the workflow's implementer: the control's record must name who approves replays."},
	{"idempotency_running", http.StatusConflict, "The first call still runs", "A call with this `Idempotency-Key` is running at this moment.", "Send it again after the seconds in `Retry-After`."},
	{"conflict", http.StatusConflict, "The state does not allow this", "Something changed, or somebody was first. The detail says what.", "Read the current state, then decide again."},

	{"body_too_large", http.StatusRequestEntityTooLarge, "The body is larger than 1 MB", "Request bodies are limited to 1,048,576 bytes.", "Send less. A digest of a large payload identifies it as well."},
	{"unsupported_media_type", http.StatusUnsupportedMediaType, "Only JSON is read", "The `Content-Type` is not `application/json`.", "Send `Content-Type: application/json`. With curl that takes `-H`, because `-d` sends a form."},

	{"invalid", http.StatusUnprocessableEntity, "Something in the request must change", "A member is missing, unknown, too long or of another type. `errors` says where.", "Correct the request. Sending the same again gives the same answer."},
	{"identity_missing", http.StatusUnprocessableEntity, "The input has no identity", "A component of the identity rule is missing, null, empty or no single value. Nothing is guessed; a person reviews it.", "Do not act. Follow the review item, or claim again with a complete input."},
	{"idempotency_mismatch", http.StatusUnprocessableEntity, "The key belongs to another body", "This `Idempotency-Key` was used with another body on this address within 24 hours.", "Use a new random key for each call."},
	{"idempotency_key", http.StatusUnprocessableEntity, "The Idempotency-Key is no random key", "It equals an event, record or identity value in the body, or is longer than 255 characters. A key like that would make two different calls look like one.", "Use a new random key for each call, such as a UUID."},

	{"stopped", http.StatusLocked, "The workflow is stopped", "A person used the stop switch. Claims, retries and starts are refused; outcomes, heartbeats and lookups are still taken.", "Do not act. Claim again once the stop is lifted."},
	{"blocked", http.StatusLocked, "The gate is blocked", "No revision of the control was ever approved, or no rule gives a key.", "Do not act. The control's owner, implementer and reviewer agree and sign it first."},

	{"rate_limited", http.StatusTooManyRequests, "Too many calls", "The token's limit of calls in a minute is used up.", "Wait for the seconds in `Retry-After`, then send the call again with the same `Idempotency-Key`."},
	{"internal", http.StatusInternalServerError, "Something went wrong here", "The server failed. Nothing was recorded.", "Send the call again with the same `Idempotency-Key`. Give the `request_id` to whoever runs the server when it keeps happening."},
	{"unavailable", http.StatusServiceUnavailable, "The database is away", "The server cannot reach its database, or it did not answer in time. A call that was under way may have been recorded.", "Do not act. Wait for the seconds in `Retry-After`, then send the call again with the same `Idempotency-Key`."},
}

// byStatus is the kind of an answer that has no code of its own.
var byStatus = map[int]string{
	http.StatusBadRequest: "malformed", http.StatusUnauthorized: "unauthorized", http.StatusForbidden: "forbidden", http.StatusNotFound: "not_found",
	http.StatusMethodNotAllowed: "method_not_allowed", http.StatusRequestTimeout: "body_timeout", http.StatusConflict: "conflict",
	http.StatusRequestEntityTooLarge: "body_too_large", http.StatusUnsupportedMediaType: "unsupported_media_type", http.StatusUnprocessableEntity: "invalid",
	http.StatusLocked: "blocked", http.StatusTooManyRequests: "rate_limited", http.StatusInternalServerError: "internal", http.StatusServiceUnavailable: "unavailable",
}

// FindKind returns the kind with slug.
func FindKind(slug string) (Kind, bool) {
	for _, k := range Kinds {
		if k.Slug == slug {
			return k, true
		}
	}
	return Kind{}, false
}
