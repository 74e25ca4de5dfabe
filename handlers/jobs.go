package handlers

import (
	"context"
	"log/slog"
	"time"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/home"
	"countersign/models/ledger"
	"countersign/models/notice"
	"countersign/models/people"
	"countersign/models/replay"
	"countersign/models/signoff"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// Jobs are one more way in: each worker calls one model command. Every server
// runs them; River picks one leader to schedule the periodic ones.

type expireRevisions struct{}

func (expireRevisions) Kind() string { return "expire_revisions" }

type prune struct{}

func (prune) Kind() string { return "prune" }

// sweepLeases notes leases that ended; whether one has is read from the clock.
type sweepLeases struct{}

func (sweepLeases) Kind() string { return "sweep_leases" }

type removePayloads struct{}

func (removePayloads) Kind() string { return "remove_payloads" }

type escalateReplays struct{}

func (escalateReplays) Kind() string { return "escalate_replays" }

// rescueAfter is when a job whose server was killed is worked by another; no
// attempt takes longer than River's limit of a minute.
const rescueAfter = 2 * time.Minute

// refreshFigures keeps the charts of the home page.
type refreshFigures struct{}

func (refreshFigures) Kind() string { return "refresh_figures" }

type removeExpired struct{}

func (removeExpired) Kind() string { return "remove_expired_evidence" }

// StartJobs works until Stop is called on what it returns.
func StartJobs(ctx context.Context, db *models.DB, log *slog.Logger, cfg Config) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[expireRevisions]) error {
		_, err := signoff.NoteExpired(ctx, db)
		return err
	}))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[prune]) error {
		if err := people.PruneSignIns(ctx, db); err != nil {
			return err
		}
		if err := models.PruneIdempotency(ctx, db); err != nil {
			return err
		}
		if err := notice.Prune(ctx, db); err != nil {
			return err
		}
		return models.PruneSubmissions(ctx, db)
	}))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[escalateReplays]) error {
		_, err := replay.Escalate(ctx, db)
		return err
	}))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[sweepLeases]) error {
		_, err := ledger.Sweep(ctx, db)
		return err
	}))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[removePayloads]) error {
		_, err := ledger.RemovePayloads(ctx, db)
		return err
	}))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[refreshFigures]) error {
		return home.RefreshFigures(ctx, db, 1)
	}))
	addNoticeWorkers(workers, db, cfg)
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[removeExpired]) error {
		_, err := evidence.RemoveExpired(ctx, db)
		return err
	}))
	client, err := river.NewClient(riverpgxv5.New(db.Pool), &river.Config{
		Queues:               map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 4}, notice.Queue: {MaxWorkers: 4}},
		Workers:              workers,
		Logger:               slog.New(quiet{log.Handler()}),
		RescueStuckJobsAfter: rescueAfter,
		PeriodicJobs: []*river.PeriodicJob{
			every(10*time.Minute, expireRevisions{}),
			every(time.Hour, prune{}),
			every(time.Hour, removeExpired{}),
			every(time.Hour, removePayloads{}),
			every(10*time.Second, sweepLeases{}),
			every(30*time.Second, escalateReplays{}),
			every(5*time.Minute, sendSummaries{}),
			every(24*time.Hour, tellDates{}),
			every(time.Minute, tellTrouble{}),
			every(time.Minute, refreshFigures{}),
		},
	})
	if err != nil {
		return nil, err
	}
	// The workers outlive ctx: Stop lets them finish what they are doing.
	return client, client.Start(context.WithoutCancel(ctx))
}

func every(d time.Duration, args river.JobArgs) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(d), func() (river.JobArgs, *river.InsertOpts) {
		return args, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: d}}
	}, &river.PeriodicJobOpts{RunOnStart: true})
}

// quiet passes on warnings and errors only.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}
