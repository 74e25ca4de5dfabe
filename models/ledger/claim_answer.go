package ledger

import (
	"fmt"

	"countersign/models"
	"countersign/models/identity"
)

// answer reads the statement's answer.
func (c prepared) answer(r claimResult) (Attempted, error) {
	switch r.R {
	case "owner":
		return c.owner(r), nil
	case "running":
		return Attempted{}, models.ErrIdempotencyRunning()
	case "mismatch":
		return Attempted{}, models.ErrIdempotencyMismatch()
	case "no_delivery":
		return Attempted{}, models.Invalid("delivery_id", "There is no such delivery of this workflow in this environment.")
	case "no_rule":
		return Attempted{}, models.Invalid("control", "%s", c.place.blockedWords(r.R))
	case "no_repeat":
		return Attempted{}, models.Invalid("repeat", "This approval is not about the action that the input stands for.")
	}
	return Attempted{}, c.refusal(r)
}

func (c prepared) owner(r claimResult) Attempted {
	a := Attempted{Standing: Standing{r.Action, r.State, r.Result}, Attempt: r.Attempt, Number: r.Number, IdentityKey: r.Key, DestinationKey: identity.DestinationKey(r.Key),
		ClaimToken: claimToken(c.secret, r.Nonce), LeaseUntil: r.LeaseUntil.UTC(), Nonce: r.Nonce, Warnings: append([]Warning{}, c.warnings...)}
	if r.OtherRecord != "" {
		a.Warnings = append(a.Warnings, Warning{"delivery_of_another_record", fmt.Sprintf("The delivery is of business record %s, and the input says another one. The delivery's record counts.", r.OtherRecord)})
	}
	a.Warnings = append(a.Warnings, c.place.warnings(r.gateRow)...)
	if r.Would != nil {
		a.Observed = true
		a.WouldHave = &WouldHave{Code: r.Would.Code, Action: r.Would.Action, Review: reviewRef(r.Would.Review, ReviewIdentity),
			Detail: c.words(claimResult{R: string(r.Would.Code), Action: r.Would.Action, State: r.State, Detail: r.Would.Detail, Version: r.Would.Version, Review: r.Would.Review})}
	}
	return a
}

func (c prepared) refusal(r claimResult) error {
	var standing *Standing
	if r.Action != 0 {
		standing = &Standing{r.Action, r.State, r.Result}
	}
	kind, code := models.KindConflict, Code(r.R)
	review := reviewRef(r.Review, ReviewIdentity)
	switch r.R {
	case "identity_missing":
		kind = models.KindInvalid
	case "stopped", "blocked":
		kind = models.KindLocked
	case "over":
		code = CodeLeaseEnded
	case "not_approved":
		review = reviewRef(r.Review, ReviewRepeat)
	}
	refusal := refuse(kind, code, standing, "%s", c.words(r))
	refusal.Review, refusal.Suppressed, refusal.Reasons = review, r.Suppressed, c.missing
	return refusal
}

func reviewRef(id int64, kind ReviewKind) string {
	if id == 0 {
		return ""
	}
	return ref(kind, id)
}

// words says a refusal in a sentence.
func (c prepared) words(r claimResult) string {
	switch Code(r.R) {
	case CodeAlready:
		return fmt.Sprintf("This is action %d already, which is %s. Do nothing; read its state, or appeal if this was a real second request.", r.Action, r.State.Words())
	case CodeEarlierRule:
		if r.Detail != "" {
			return fmt.Sprintf("Only an earlier version of the rule, or an earlier decision, finds an action: %d. A person dismissed this: %s", r.Action, r.Detail)
		}
		return fmt.Sprintf("Only an earlier version of the rule, or an earlier decision, finds an action: %d. A person decides whether this is the same.", r.Action)
	case CodeStaleVersion:
		return fmt.Sprintf("Version %s is older than %s, the newest of this record.", r.Version, r.Detail)
	case CodeInReview:
		if r.Detail != "" {
			return "The delivery was dismissed: " + r.Detail
		}
		return "The delivery waits for a person's decision."
	case CodeIdentityMissing:
		switch {
		case c.row.Missing == nil:
			return "A person dismissed this input when nothing identified it: " + r.Detail
		case r.Detail != "":
			return *c.row.Missing + " Nothing identifies the action in this input, and a person dismissed it: " + r.Detail
		}
		return *c.row.Missing + " Nothing identifies the action in this input. A person decides; nothing is guessed."
	case CodeNotApproved:
		return fmt.Sprintf("LR-%d is %s. Only an approved repeat can be carried by a claim.", r.Review, ReviewState(r.Detail).Words())
	case CodeStopped:
		return "The workflow is stopped: " + r.Detail
	case CodeBlocked:
		return c.place.blockedWords(r.Detail)
	case "over":
		return fmt.Sprintf("This call was answered before, and its lease is over. Action %d is %s.", r.Action, r.State.Words())
	}
	return "The claim was refused."
}
