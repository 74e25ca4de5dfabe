package ledger

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// Start uses an authorization. NotFound when no authorization of that request
// has that code; Forbidden, Invalid; a Refusal with CodeUsed, CodeLapsed,
// CodeOvertaken, CodeStale, CodeStaleVersion (409), CodeStopped or CodeBlocked
// (423). Mode observe lifts none of these: an authorization is used once.
func Start(ctx context.Context, db *models.DB, by Caller, cmd StartCmd) (Attempted, error) {
	out, err := models.Do(ctx, db, by.actor(), cmd, func(tx *models.Tx) (Attempted, error) {
		var c models.Check
		worker, lease := checkWorker(&c, cmd.Worker, cmd.LeaseSeconds)
		if !models.Visible(cmd.Authorization) {
			c.Add("authorization", "Enter authorization, from the approved request.")
		}
		if err := c.Err(); err != nil {
			return Attempted{}, err
		}
		var action int64
		done := tx.Raw("select action_id from authorizations where code = ? and request = ?", control.Plain(cmd.Authorization), control.Plain(cmd.Request)).Scan(&action)
		if done.Error != nil {
			return Attempted{}, done.Error
		}
		if done.RowsAffected == 0 {
			return Attempted{}, models.NotFoundf("%s has no such authorization.", control.Plain(cmd.Request))
		}
		l, err := lockAction(tx, by, action, "")
		if err != nil {
			return Attempted{}, err
		}
		f, s, err := l.facts(tx.DB)
		if err != nil {
			return Attempted{}, err
		}
		a, err := lockAuthorization(tx, cmd.Authorization)
		if err != nil {
			return Attempted{}, err
		}
		if err := f.mayStart(a); err != nil {
			return Attempted{}, err
		}
		out, err := l.begin(tx, by, cmd.Once, newAttempt{kind: "replay", worker: worker, lease: lease, authorization: a.ID}, s)
		if err != nil {
			return out, err
		}
		return out, tx.Exec("update authorizations set used_at = ?, attempt_id = ? where id = ? and used_at is null", l.Now, out.Attempt, a.ID).Error
	})
	return out, keepStale(ctx, db, by, cmd.Worker, err)
}

// mayStart is nil, or why the authorization allows nothing any more.
func (f Facts) mayStart(a Authorization) error {
	switch a.State(f.Now) {
	case Used:
		return conflict(CodeUsed, &f.Standing, "This authorization was used on %s. One authorization is one attempt.", a.UsedAt.UTC().Format("2 January 2006 at 15:04 UTC"))
	case Overtaken:
		return conflict(CodeOvertaken, &f.Standing, "The action succeeded without it.")
	case Withdrawn:
		return conflict(CodeStale, &f.Standing, "This authorization was withdrawn.")
	case Lapsed:
		return conflict(CodeLapsed, &f.Standing, "This authorization lapsed on %s. Ask for another replay.", a.Expires.UTC().Format("2 January 2006 at 15:04 UTC"))
	}
	if err := f.locked(); err != nil {
		return err
	}
	switch {
	case f.State == Succeeded:
		return conflict(CodeOvertaken, &f.Standing, "The action succeeded without it.")
	case f.StaleVersion:
		return f.refuse(CodeStaleVersion, f.staleWords())
	case f.Seen != a.Seen:
		return conflict(CodeStale, &f.Standing, "%s", f.Seen.newer(a.Seen)+" The approval covered what was shown. Ask for another replay.")
	}
	if d := f.doubt(); d.Key != "" && !d.Known {
		return conflict(CodeStale, &f.Standing, "%s %s The approval covered what was shown. Ask for another replay then.", d.Words, d.Instead)
	}
	if _, ok := f.State.Next(Started); !ok {
		return conflict(CodeStale, &f.Standing, "The action is %s, and an approval covers something else.", f.State.Words())
	}
	return nil
}

// newer says what is new since somebody saw old.
func (s Seen) newer(old Seen) string {
	var news []string
	if s.Attempt != old.Attempt {
		news = append(news, "another attempt")
	}
	if s.Outcome != old.Outcome {
		news = append(news, "another state: "+s.Outcome.Words())
	}
	if s.Report != old.Report {
		news = append(news, "another report")
	}
	if s.Lookup != old.Lookup {
		news = append(news, "another lookup")
	}
	if s.Rule != old.Rule {
		news = append(news, "another identity rule")
	}
	if s.Duplicate != old.Duplicate {
		news = append(news, "a duplicate")
	}
	return "Since then there is " + strings.Join(news, ", ") + "."
}

// IssueAuthorization issues the single-use permission of an approval. The caller
// holds LockFacts and has decided. Conflict with CodeStale when what stands is
// not what was seen.
func IssueAuthorization(tx *models.Tx, cmd IssueCmd) (Authorization, error) {
	f, err := LockFacts(tx, cmd.Action)
	if err != nil {
		return Authorization{}, err
	}
	if f.Seen != cmd.Seen {
		return Authorization{}, conflict(CodeStale, &f.Standing, "%s", f.Seen.newer(cmd.Seen))
	}
	if _, ok := f.State.Next(Started); !ok {
		return Authorization{}, conflict(CodeStale, &f.Standing, "The action is %s and cannot be tried again.", f.State.Words())
	}
	seen, err := json.Marshal(cmd.Seen)
	if err != nil {
		return Authorization{}, err
	}
	a := Authorization{Code: "au_" + strings.ToLower(rand.Text()), Action: cmd.Action, Request: cmd.Request, Seen: cmd.Seen, IssuedBy: tx.By.ID, IssuedAt: f.Now, Expires: f.Now.Add(cmd.Valid)}
	return a, tx.Raw("insert into authorizations (code, action_id, request, seen, issued_by, issued_at, expires_at) values (?, ?, ?, cast(? as jsonb), ?, ?, ?) returning id",
		a.Code, a.Action, a.Request, string(seen), a.IssuedBy, a.IssuedAt, a.Expires).Row().Scan(&a.ID)
}

// WithdrawAuthorization ends an open authorization of a request; nothing when
// there is none.
func WithdrawAuthorization(tx *models.Tx, request string) error {
	return tx.Exec("update authorizations set ended_at = clock_timestamp(), ended_as = 'withdrawn' where request = ? and used_at is null and ended_at is null", request).Error
}

const authorizationColumns = "select id, code, action_id, request, seen::text as seen, issued_by, issued_at, expires_at, used_at, coalesce(attempt_id, 0) as attempt_id, ended_at, ended_as from authorizations "

type authorizationRow struct {
	ID, ActionID, IssuedBy, AttemptID int64
	Code, Request, Seen, EndedAs      string
	IssuedAt, ExpiresAt               time.Time
	UsedAt, EndedAt                   *time.Time
}

func (r authorizationRow) authorization() (Authorization, error) {
	a := Authorization{ID: r.ID, Code: r.Code, Action: r.ActionID, Request: r.Request, IssuedBy: r.IssuedBy, IssuedAt: r.IssuedAt.UTC(), Expires: r.ExpiresAt.UTC(),
		UsedAt: r.UsedAt, Attempt: r.AttemptID, EndedAt: r.EndedAt, EndedAs: r.EndedAs}
	return a, json.Unmarshal([]byte(r.Seen), &a.Seen)
}

func lockAuthorization(tx *models.Tx, code string) (Authorization, error) {
	var r authorizationRow
	if err := tx.Raw(authorizationColumns+"where code = ? for update", code).Scan(&r).Error; err != nil {
		return Authorization{}, err
	}
	return r.authorization()
}

// AuthorizationOf finds the newest authorization of a request; ok is false when
// there is none.
func AuthorizationOf(q *gorm.DB, request string) (a Authorization, ok bool, err error) {
	var r authorizationRow
	done := q.Raw(authorizationColumns+"where request = ? order by id desc limit 1", request).Scan(&r)
	if done.Error != nil || done.RowsAffected == 0 {
		return a, false, done.Error
	}
	a, err = r.authorization()
	return a, true, err
}
