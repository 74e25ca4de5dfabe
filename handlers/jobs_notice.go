package handlers

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/notice"
	"countersign/models/signoff"

	"github.com/riverqueue/river"
)

type sendSummaries struct{}

func (sendSummaries) Kind() string { return "send_summaries" }

type tellDates struct{}

func (tellDates) Kind() string { return "tell_dates" }

type tellTrouble struct{}

func (tellTrouble) Kind() string { return "tell_trouble" }

// addNoticeWorkers adds what sends e-mail and calls webhooks.
func addNoticeWorkers(workers *river.Workers, db *models.DB, cfg Config) {
	mailer := notice.Mailer{SMTP: cfg.SMTP, BaseURL: cfg.BaseURL}
	caller := notice.Caller{BaseURL: cfg.BaseURL, Private: cfg.WebhookPrivate}
	river.AddWorker(workers, &patient[notice.MailJob]{delays: notice.MailDelays, work: func(ctx context.Context, job notice.MailJob, last bool) error {
		return notice.SendMail(ctx, db, mailer, job.ID, last)
	}})
	river.AddWorker(workers, &patient[notice.WebhookJob]{delays: notice.WebhookDelays, work: func(ctx context.Context, job notice.WebhookJob, last bool) error {
		return notice.Deliver(ctx, db, caller, job, last)
	}})
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[sendSummaries]) error {
		_, err := notice.SendSummaries(ctx, db)
		return err
	}))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[tellDates]) error {
		return signoff.TellDates(ctx, db)
	}))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[tellTrouble]) error {
		return ledger.TellTrouble(ctx, db)
	}))
}

// patient is a worker that waits longer after each attempt that failed.
type patient[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	delays []time.Duration
	work   func(ctx context.Context, args T, last bool) error
}

func (p *patient[T]) Work(ctx context.Context, job *river.Job[T]) error {
	return p.work(ctx, job.Args, job.Attempt >= job.MaxAttempts)
}

// NextRetry is when the next attempt is made after one that failed.
func (p *patient[T]) NextRetry(job *river.Job[T]) time.Time {
	return time.Now().Add(p.delays[min(max(job.Attempt, 1), len(p.delays))-1])
}
