package catalogue

import "countersign/models/workflow"

// Hints are what the form of a new operation says under its fields: what the
// source leaves open, and how far to trust it.
func (o Operation) Hints() map[string]string {
	f := o.Start()
	h := hints{"documented_at": o.trust()}
	if f.DocURL == "" {
		h["doc_url"] = "The catalogue’s source has no web address: " + o.Address + "."
	}
	if f.Mechanism == workflow.Documented {
		h.open("key_field", f.KeyField, o.Field)
		h.open("key_lifetime_hours", f.KeyLifetimeHours, o.KeyLifetime)
		h.open("same_key_other_data", f.SameKeyOtherData, o.ConflictBehaviour)
	}
	if f.Mechanism == workflow.Documented && f.RepeatReturns == "" {
		h["repeat_returns"] = "The source does not say. Look it up, or choose Not yet checked above until somebody has."
	}
	h.open("lookup_method", f.LookupMethod, o.Lookup)
	return h
}

// Hints are what the form of a new sender says under its fields.
func (s Sender) Hints() map[string]string {
	f := s.Start()
	h := hints{"documented_at": s.trust(), "resend_horizon_hours": "The catalogue does not hold this."}
	h.open("event_id_field", f.EventIDField, s.EventID)
	h.open("duplicates", "", s.Duplicates)
	h.open("ordering", "", s.Ordering)
	h.open("retry_schedule", f.RetrySchedule, s.Retries)
	h.open("retry_horizon_hours", f.RetryHorizonHours, s.Retries)
	h.open("signature", f.Signature, s.Signature)
	h.open("version_field", f.VersionField, s.VersionField)
	return h
}

func (s Source) trust() string { return s.ConfidenceWords() + ". " + s.Caveats }

type hints map[string]string

// open says what the source says about a field that holds nothing.
func (h hints) open(field, held, text string) {
	switch {
	case held != "":
	case remark(text) != "":
		h[field] = "The source says: “" + remark(text) + "”."
	default:
		h[field] = "The source does not say."
	}
}
