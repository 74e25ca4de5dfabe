package notice

import "github.com/riverqueue/river"

// Queue is where jobs wait that talk to other machines, so that a slow one
// keeps none of ours waiting.
const Queue = "outgoing"

// MailJob sends one e-mail.
type MailJob struct {
	ID int64 `json:"id"`
}

func (MailJob) Kind() string { return "mail" }

// InsertOpts gives up after about twelve hours.
func (MailJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: Queue, MaxAttempts: 12}
}

// WebhookJob makes one delivery; Round tells a manual resend from what it replaced.
type WebhookJob struct {
	ID    int64 `json:"id"`
	Round int   `json:"round"`
}

func (WebhookJob) Kind() string { return "webhook" }

// InsertOpts gives up after about three days.
func (WebhookJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: Queue, MaxAttempts: 10}
}
