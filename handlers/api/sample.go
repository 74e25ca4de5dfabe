package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// sampled is what a sample answer of a kind says besides its title.
var sampled = map[string]func(*Problem){
	"already": func(p *Problem) {
		p.Detail = "This is action 17 already, which is succeeded. Do nothing; read its state, or appeal if this was a real second request."
		p.standing("17", "succeeded", "task-901")
		p.SuppressedClaim, p.Appeal = "5", "/ledger/actions/17?do=appeal&claim=5#appeal"
	},
	"matches_earlier_rule": func(p *Problem) {
		p.Detail = "Only an earlier version of the rule finds an action: 17. A person decides whether this is the same."
		p.standing("17", "succeeded", "task-901")
		p.SuppressedClaim, p.Review = "6", "RV-4"
	},
	"stale_version": func(p *Problem) {
		p.Detail = "Version 1 is older than 2, the newest of this record."
		p.SuppressedClaim, p.Appeal = "7", "/ledger/claims/7"
	},
	"in_review": func(p *Problem) {
		p.Detail, p.SuppressedClaim, p.Review = "The delivery waits for a person's decision.", "8", "RV-4"
	},
	"pending":           func(p *Problem) { p.standing("17", "pending", "") },
	"succeeded":         func(p *Problem) { p.standing("17", "succeeded", "task-901") },
	"lookup_required":   func(p *Problem) { p.standing("17", "unknown", "") },
	"replay_required":   func(p *Problem) { p.standing("17", "failed", "") },
	"retries_used_up":   func(p *Problem) { p.standing("17", "failed", "") },
	"ended":             func(p *Problem) { p.standing("17", "unknown", "") },
	"already_succeeded": func(p *Problem) { p.standing("17", "succeeded", "task-901") },
	"wrong_claim_token": func(p *Problem) { p.standing("17", "pending", "") },
	"used":              func(p *Problem) { p.standing("17", "pending", "") },
	"lapsed":            func(p *Problem) { p.standing("17", "unknown", "") },
	"overtaken":         func(p *Problem) { p.standing("17", "succeeded", "task-901") },
	"stale":             func(p *Problem) { p.standing("17", "unknown", "") },
	"lease_ended":       func(p *Problem) { p.standing("17", "unknown", "") },
	"not_approved": func(p *Problem) {
		p.Detail, p.Review = "LR-3 is not decided yet. Only an approved repeat can be carried by a claim.", "LR-3"
	},
	"invalid": func(p *Problem) {
		p.Errors = []ProblemField{{"body.worker", "Enter worker, a name that is unique for each execution."}}
		p.Detail = p.Errors[0].Message
	},
	"identity_missing": func(p *Problem) {
		p.Detail = "$.request_id is not in this input. Nothing identifies the action in this input. A person decides; nothing is guessed."
		p.Errors = []ProblemField{{"body.input", "$.request_id is not in this input."}}
		p.SuppressedClaim, p.Review = "9", "RV-5"
	},
	"stopped": func(p *Problem) { p.Detail = "The workflow is stopped: Two tasks for one request since nine." },
	"blocked": func(p *Problem) {
		p.Gate = []GateReason{{"never_approved", "No revision was ever approved.", "/controls/create-crm-task/sign-off"}}
	},
}

// standing is where the action of a sample stands; result may be "".
func (p *Problem) standing(action, state, result string) {
	p.ProblemStanding = &ProblemStanding{ActionID: &action, State: &state}
	if result != "" {
		p.DestinationResultID = &result
	}
}

// Sample is an answer of this kind, with the head that matters.
func (k Kind) Sample() string {
	p := problem(k.Slug, "")
	p.RequestID = "0f9c2b7e-4a51-4d0e-9a3c-1f2d3e4b5a69"
	if k.Status == http.StatusConflict || k.Status == http.StatusLocked {
		p.ProblemStanding = &ProblemStanding{}
	}
	if fill := sampled[k.Slug]; fill != nil {
		fill(p)
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\nContent-Type: application/problem+json\n", k.Status, http.StatusText(k.Status))
	switch k.Slug {
	case "rate_limited":
		p.header("Retry-After", "12")
	case "idempotency_running":
		p.header("Retry-After", "1")
	}
	for _, name := range []string{"Retry-After", "WWW-Authenticate"} {
		if v := p.headers.Get(name); v != "" {
			head += name + ": " + v + "\n"
		}
	}
	var body bytes.Buffer
	out := json.NewEncoder(&body)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	_ = out.Encode(p)
	return head + "\n" + body.String()
}
