package ledger

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/identity"

	"github.com/jackc/pgx/v5/pgconn"
)

// claimRow is what the statement is told: everything that can be made ready
// without the database, under the stamp that it confirms.
type claimRow struct {
	Control     int64    `json:"control"`
	Environment int64    `json:"environment"`
	Workflow    int64    `json:"workflow"`
	Destination int64    `json:"destination"`
	Revision    int64    `json:"revision"`
	Rule        *int64   `json:"rule,omitempty"` // nil: no revision has one
	Stamp       string   `json:"stamp"`
	Reaches     bool     `json:"reaches"`
	Approved    bool     `json:"approved"`
	Observe     bool     `json:"observe"`
	Keys        []keyRow `json:"keys,omitempty"` // to insert, the serving rule's first
	Base        []keyRow `json:"base,omitempty"` // a repeat: what it must repeat
	Key         string   `json:"key,omitempty"`
	Missing     *string  `json:"missing,omitempty"` // why there is no key
	Record      string   `json:"record"`
	Version     string   `json:"version"`
	Rank        *rank    `json:"rank,omitempty"`
	Ordering    string   `json:"ordering"`
	Delivery    int64    `json:"delivery,omitempty"`
	Worker      string   `json:"worker"`
	TokenHash   string   `json:"token_hash"`
	Lease       int      `json:"lease"`
	Repeat      int64    `json:"repeat,omitempty"`
	Token       int64    `json:"token,omitempty"`
	Asker       int64    `json:"asker,omitempty"`
	Input       string   `json:"input"` // its digest
	Nonce       string   `json:"nonce"`
	Lock        int64    `json:"lock,omitempty"`
	Idem        string   `json:"idem,omitempty"`
	Body        string   `json:"body,omitempty"`
}

type keyRow struct {
	Rule   int64  `json:"r"`
	Digest string `json:"d"`
}

// rank is a whole number of any size.
type rank string

// MarshalJSON writes the number bare.
func (r rank) MarshalJSON() ([]byte, error) { return json.Marshal(json.Number(r)) }

func rankOf(text string) *rank {
	if text == "" {
		return nil
	}
	if start := strings.TrimLeft(strings.TrimPrefix(text, "-"), "0"); start == "" {
		text = "0"
	} else if text[0] == '-' {
		text = "-" + start
	} else {
		text = start
	}
	r := rank(text)
	return &r
}

// claimResult is the statement's answer.
type claimResult struct {
	R          string    `json:"r"` // owner, a code, or reload, running, mismatch, over, no_delivery, no_repeat
	Action     int64     `json:"action"`
	State      State     `json:"state"`
	Result     string    `json:"result"`
	Review     int64     `json:"review"`
	Suppressed int64     `json:"suppressed"`
	Detail     string    `json:"detail"`
	Version    string    `json:"version"`
	Attempt    int64     `json:"attempt"`
	Number     int       `json:"number"`
	Key        string    `json:"key"`
	LeaseUntil time.Time `json:"lease_until"`
	Nonce      string    `json:"nonce"`
	Would      *wouldRow `json:"would"`
	Repeated   bool      `json:"repeated"`
	gateRow
}

// gateRow is what the gate reads that can change at any moment.
type gateRow struct {
	Now               time.Time `json:"now"`
	OpenDiscrepancies int       `json:"open_discrepancies"`
	WaivedUntil       *day      `json:"waived_until"`
	ProvenUntil       *day      `json:"proven_until"`
	Stopped           bool      `json:"-"`
	StopReason        string    `json:"-"`
}

type wouldRow struct {
	Code   Code   `json:"code"`
	Action int64  `json:"action"`
	Review int64  `json:"review"`
	Detail string `json:"detail"`

	Version string `json:"version"`
}

// day is a calendar date as the database writes it in JSON.
type day time.Time

// UnmarshalJSON reads 2026-05-31.
func (d *day) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	t, err := time.Parse(time.DateOnly, text)
	*d = day(t)
	return err
}

func (d *day) time() *time.Time { return (*time.Time)(d) }

// prepared is a claim ready for the statement.
type prepared struct {
	row      claimRow
	place    *place
	secret   string // the claim token is made from it and the nonce
	warnings []Warning
	missing  []identity.Reason
}

// prepare checks cmd and derives its keys under what p says.
func (p *place) prepare(by Caller, cmd ClaimCmd) (prepared, error) {
	var c models.Check
	worker, lease := checkWorker(&c, cmd.Worker, cmd.LeaseSeconds)
	c.Line("approved_version", cmd.Version, MaxVersion)
	if cmd.Delivery < 0 {
		c.Add("delivery_id", "Enter the delivery_id that a delivery was answered with.")
	}
	repeat := int64(0)
	if cmd.Repeat != "" {
		isRepeat, id, ok := parseRef(cmd.Repeat)
		if repeat = id; !ok || !isRepeat {
			c.Add("repeat", "Enter the reference of an approved legitimate repeat, such as LR-7.")
		}
	}
	in, err := identity.ParseInput(cmd.Input)
	var unreadable *identity.InputError
	switch {
	case len(bytes.TrimSpace(cmd.Input)) == 0:
		c.Add("input", "Enter the input, one JSON document.")
	case errors.As(err, &unreadable):
		c.Add("input", "%s", unreadable.Words)
	case err != nil:
		return prepared{}, err
	}
	version, order, ok := cmd.Version, p.VersionOrder, true
	if _, ok = versionRank(order, version); !ok {
		c.Add("approved_version", "Enter the version as %s.", versionWords(order))
	}
	if err := c.Err(); err != nil {
		return prepared{}, err
	}

	out := prepared{place: p}
	version, warning := p.statedVersion(cmd, in)
	if warning != nil {
		out.warnings = append(out.warnings, *warning)
	}
	rankText, _ := versionRank(order, version)
	digest := identity.InputDigest(cmd.Input)
	out.row = claimRow{Control: p.Control, Environment: p.Environment, Workflow: p.Workflow, Destination: p.Destination, Revision: p.Revision.ID, Stamp: p.Stamp,
		Reaches: p.Reaches, Approved: p.Approved > 0, Observe: p.observe, Version: version, Rank: rankOf(rankText), Ordering: order, Record: p.recordOf(in),
		Delivery: cmd.Delivery, Worker: worker, Lease: lease, Repeat: repeat, Token: by.Token, Asker: by.Person.ID, Input: hex.EncodeToString(digest[:])}
	if p.HasRule {
		out.row.Rule = &p.rules[0].id
		out.keys(p, in, cmd.Repeat)
	}
	out.token(cmd.Once)
	return out, nil
}

// statedVersion is the version that a claim states: in so many words, or in its
// input at the place that the sender documents. A delivery's is added later.
func (p *place) statedVersion(cmd ClaimCmd, in identity.Input) (string, *Warning) {
	if cmd.Version != "" || p.versionPath == "" {
		return cmd.Version, nil
	}
	text, ok := identity.TextAt(in, p.versionPath)
	if !ok || len(text) > MaxVersion {
		return "", nil
	}
	if _, ok := versionRank(p.VersionOrder, text); !ok {
		return "", &Warning{"version_unread", fmt.Sprintf("The version at %s is not %s, so it was not compared with the newest of this record.", p.versionPath, versionWords(p.VersionOrder))}
	}
	return text, nil
}

// recordOf is the business record of an input, in the words of a delivery's
// business_record_id where the rule reads one value; "" when there is none.
func (p *place) recordOf(in identity.Input) string {
	if p.record == nil {
		return ""
	}
	made := identity.Derive(p.record, p.scope(), in)
	text, ok := identity.Bare(p.record, made)
	if !ok {
		text = made.Key
	}
	if len([]rune(text)) > MaxID {
		return ""
	}
	return text
}

// keys derives the key under the serving rule and under every other rule that
// may have actions.
func (c *prepared) keys(p *place, in identity.Input, repeat string) {
	for i, rule := range p.rules {
		made := identity.Derive(rule.compiled, p.scope(), in)
		if !made.OK() {
			if i == 0 {
				c.missing = made.Reviews
				var words []string
				for _, r := range made.Reviews {
					words = append(words, r.Words)
				}
				text := strings.Join(words, " ")
				c.row.Missing = &text
				return
			}
			continue // an earlier rule that says nothing about this input
		}
		key := made.Key
		if repeat != "" {
			c.row.Base = append(c.row.Base, keyOf(rule.id, key))
			key = identity.RepeatKey(key, repeat)
		}
		c.row.Keys = append(c.row.Keys, keyOf(rule.id, key))
		if i == 0 {
			c.row.Key = key
		}
	}
}

func keyOf(rule int64, key string) keyRow {
	digest := identity.KeyDigest(key)
	return keyRow{rule, hex.EncodeToString(digest[:])}
}

// token makes the claim token from what only the caller knows, so that a
// repeated call gets the same one and the database gives none away.
func (c *prepared) token(once models.Once) {
	c.row.Nonce, c.secret = rand.Text(), secretOf(once)
	c.row.TokenHash = tokenHash(claimToken(c.secret, c.row.Nonce))
	if i := c.idempotency(once); i != nil {
		digest := i.Digest()
		c.row.Lock, c.row.Idem, c.row.Body = i.Lock(), hex.EncodeToString(digest[:]), hex.EncodeToString(i.Body[:])
	}
}

// idempotency is the caller's key; that of a form stands for one.
func (c *prepared) idempotency(once models.Once) *models.Idempotency {
	if once.Idempotency != nil || once.Submission == "" {
		return once.Idempotency
	}
	what := fmt.Sprintf("%d %d %s %s %d %s %d", c.row.Control, c.row.Environment, c.row.Input, c.row.Version, c.row.Delivery, c.row.Worker, c.row.Repeat)
	return &models.Idempotency{Token: -c.row.Asker, Route: "claim", Key: once.Submission, Body: sha256.Sum256([]byte(what))}
}

// secretOf is what makes a claim token that can be made again: the caller's own
// key, or the form's. Without one nobody can ask again, and chance does.
func secretOf(once models.Once) string {
	switch {
	case once.Idempotency != nil:
		return once.Idempotency.Key
	case once.Submission != "":
		return once.Submission
	}
	return rand.Text()
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func claimToken(secret, nonce string) string {
	sum := sha256.Sum256([]byte("countersign claim token 1\x00" + nonce + "\x00" + secret))
	return "ct_" + base32Lower.EncodeToString(sum[:])
}

// tokenHash is what the database keeps of a claim token.
func tokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func checkWorker(c *models.Check, worker string, lease int) (string, int) {
	worker = models.Clean(worker)
	c.Required("worker", worker, MaxID, "Enter worker, a name that is unique for each execution.")
	c.Line("worker", worker, MaxID)
	if lease == 0 {
		lease = DefaultLease
	}
	if lease < MinLease || lease > MaxLease {
		c.Add("lease_seconds", "Enter lease_seconds between %d and %d.", MinLease, MaxLease)
	}
	return worker, lease
}

// Claim asks for an action. Everything is decided in one statement.
//
// NotFound for an unknown control or environment; Forbidden outside the token's
// workflow or environment; Invalid for the input, worker, lease_seconds,
// delivery_id, approved_version, repeat or environment; a Refusal with
// CodeAlready, CodeEarlierRule, CodeStaleVersion, CodeInReview or
// CodeNotApproved (409), CodeIdentityMissing (422), CodeStopped or CodeBlocked
// (423). In mode observe only those with 423 are refused.
func (d *Desk) Claim(ctx context.Context, by Caller, cmd ClaimCmd) (Attempted, error) {
	for try := range claimTries {
		if err := pause(ctx, try); err != nil {
			return Attempted{}, models.Classify(err)
		}
		p, err := d.place(ctx, cmd.Control, cmd.Environment)
		if err != nil {
			return Attempted{}, models.Classify(err)
		}
		if err := by.within(p.Workflow, p.Environment); err != nil {
			return Attempted{}, err
		}
		claim, err := p.prepare(by, cmd)
		if err != nil {
			return Attempted{}, err
		}
		r, err := d.run(ctx, claim.row)
		var pg *pgconn.PgError
		switch {
		case errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01"):
			continue // another claim was first: look again
		case err != nil:
			return Attempted{}, models.Classify(err)
		case r.R == "reload":
			d.forget(p)
			continue
		}
		if r.Repeated {
			models.NoteRepeat(ctx)
		}
		return claim.answer(r)
	}
	return Attempted{}, &models.Error{Kind: models.KindUnavailable, Message: "This control is being changed right now. Send the claim again.", RetryAfter: 1}
}

// claimTries is how often a claim looks again when another one was first or the
// control changed under it.
const claimTries = 20

// pause waits a random time before a further try, up to 64 ms, so that many
// claims of one key don't meet again and again.
func pause(ctx context.Context, try int) error {
	if try == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(1+mathrand.Int64N(1<<min(try, 6))) * time.Millisecond):
		return nil
	}
}

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
			return fmt.Sprintf("Only an earlier version of the rule finds an action: %d. A person dismissed this: %s", r.Action, r.Detail)
		}
		return fmt.Sprintf("Only an earlier version of the rule finds an action: %d. A person decides whether this is the same.", r.Action)
	case CodeStaleVersion:
		return fmt.Sprintf("Version %s is older than %s, the newest of this record.", r.Version, r.Detail)
	case CodeInReview:
		if r.Detail != "" {
			return "The delivery was dismissed: " + r.Detail
		}
		return "The delivery waits for a person's decision."
	case CodeIdentityMissing:
		words := "Nothing identifies the action in this input. A person decides; nothing is guessed."
		if r.Detail != "" {
			words = "Nothing identifies the action in this input, and a person dismissed it: " + r.Detail
		}
		if c.row.Missing != nil {
			words = *c.row.Missing + " " + words
		}
		return words
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
