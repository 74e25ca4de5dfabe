package api

import (
	"context"
	"net/http"

	"countersign/models/ledger"
	"countersign/models/people"
)

type deliveryIn struct {
	Repeatable
	Body DeliveryRequest
}

// DeliveryRequest says what arrived.
type DeliveryRequest struct {
	Workflow    string     `json:"workflow" maxLength:"80" doc:"Short name of the workflow." example:"service-request"`
	Environment string     `json:"environment" maxLength:"80" doc:"Short name of the environment." example:"sandbox"`
	Sender      string     `json:"sender" maxLength:"80" doc:"Short name of the sender." example:"web-form"`
	EventID     identifier `json:"event_id,omitempty" doc:"What the sender calls this event: text or a number. Absent, null or empty: the delivery goes to review."`
	RecordID    identifier `json:"business_record_id,omitempty" doc:"The record that it is about: text or a number. Absent, null or empty: the delivery goes to review."`
	Version     version    `json:"source_version,omitempty" doc:"The record's version, in the workflow's version order: a whole number or a time as in RFC 3339. One that cannot be read goes to review."`
	Payload     document   `json:"payload,omitempty" doc:"What was delivered, any JSON. Its digest is kept; the payload itself only if the workflow says so, and for as long as it says."`
}

// Delivery is what came of a delivery.
type Delivery struct {
	DeliveryID      string  `json:"delivery_id" doc:"Names this receipt; a claim can refer to it."`
	Disposition     string  `json:"disposition" enum:"accepted,duplicate,stale,needs_review" doc:"What it counts as."`
	FirstDeliveryID *string `json:"first_delivery_id,omitempty" doc:"duplicate: the first delivery of this event."`
	Reason          string  `json:"reason,omitempty" doc:"stale, needs_review: why, in words."`
	Review          string  `json:"review,omitempty" doc:"needs_review, or a duplicate of such a delivery: the review item that a person settles."`
}

func (a *API) deliveries() {
	register(a, operation{id: "report-delivery", method: http.MethodPost, path: Prefix + "deliveries", scope: people.ScopeDeliveries, tag: "Deliveries",
		summary: "Report a notification that arrived",
		text:    "Say what arrived before anything is done about it. Only an accepted delivery raises the newest version that is known of its record. A receipt is never proof of an action: claim the action separately.",
		ok: []success{{http.StatusCreated, "Accepted: the first of its event, and not older than what is known."}, {http.StatusOK, "A duplicate of first_delivery_id."},
			{http.StatusAccepted, "Kept, and stale or needs_review, with the reason."}},
		curl: curlDelivery}, func(ctx context.Context, in *deliveryIn) (int, Delivery, error) {
		b := in.Body
		once, err := in.once(ctx, []identifier{b.EventID, b.RecordID}, b.Payload)
		if err != nil {
			return 0, Delivery{}, err
		}
		d, err := ledger.Deliver(ctx, a.DB, caller(ctx), ledger.DeliverCmd{Once: once, Workflow: b.Workflow, Environment: b.Environment, Sender: b.Sender,
			Event: string(b.EventID), Record: string(b.RecordID), Version: b.Version.text, Unreadable: b.Version.unreadable, Payload: b.Payload.orNil()})
		out := Delivery{DeliveryID: idText(d.Delivery), Disposition: string(d.Disposition), Reason: d.Reason, Review: d.Review}
		if d.First != 0 {
			first := idText(d.First)
			out.FirstDeliveryID = &first
		}
		return deliveryStatus[d.Disposition], out, err
	})
}

var deliveryStatus = map[ledger.Disposition]int{ledger.Accepted: http.StatusCreated, ledger.Duplicate: http.StatusOK,
	ledger.Stale: http.StatusAccepted, ledger.NeedsReview: http.StatusAccepted}
