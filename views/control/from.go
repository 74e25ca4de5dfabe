package control

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/signoff"
	signing "countersign/views/signoff"
)

// Reader is who looks at a control, and what they have open on its page.
type Reader struct {
	Actor   models.Actor
	Zone    *time.Location
	Options control.Options // only needed while an answer is edited
	Open    Open
}

// Open is the form that stands open in the page, with what was typed into it.
type Open struct {
	Edit, Talk string         // field
	Reply      int64          // entry
	Input      *control.Input // what was typed; nil shows what is saved
	Version    int            // the version Input was based on
	Body       string         // typed question, comment or reply
	Submission string
	Problems   []models.FieldError
	From       *control.Answer // an earlier version that the form starts with
	Said       *Said           // what the last form did
	Keep       *Keeping        // a reason that was not taken
}

// Keeping is the reason for one finding of a rule as it was typed.
type Keeping struct {
	Field, Finding string
	Talk
}

// Said is a message about one field, shown at it.
type Said struct{ Field, Tone, Strong, Text string }

// NewShow is the page of a control for its reader. p is its latest revision's
// state of sign-off.
func NewShow(r Reader, d control.Detail, p signoff.Page) Show {
	state := d.Latest.Shown(d.Now)
	show := Show{Slug: d.Slug, Name: d.Name, Number: d.Latest.Number, State: string(state), Zone: r.Zone,
		WorkflowSlug: d.Workflow.Slug, WorkflowName: d.Workflow.Name, Accounts: accountLines(d.Accounts),
		Actions: actions(r, d, p), ReadOnly: answersNote(r, d), Slots: signing.NewSlots(p),
		Facts: factsOf(d.Latest, d.Approved), Revisions: revisionLines(d), Requested: requested(r, d, p)}
	if d.Latest.State == control.Draft {
		show.Warnings = signing.Warnings(p.Content)
	}
	if show.Requested != nil && show.Requested.Next > 0 {
		show.Actions.StartDraft = 0 // the button stands with the request
	}
	show.Facts.ChangedAt = d.ChangedAt
	show.Facts.DesignHash, show.Facts.FullHash = p.Fingerprints.Design, p.Fingerprints.Full
	for _, c := range p.Conditions {
		if !c.OK {
			show.Blocking = append(show.Blocking, c)
		}
	}
	for _, s := range d.Sections {
		section := Section{Number: s.Number, Title: s.Title, Unresolved: s.Unresolved, Questions: s.Open}
		for _, f := range s.Answers {
			section.Answers = append(section.Answers, NewAnswer(r, d, f))
		}
		show.Sections = append(show.Sections, section)
	}
	for i := range show.Sections {
		for _, a := range show.Sections[i].Answers {
			if a.Edit != nil {
				show.Problems = append(show.Problems, a.Edit.summary(a.Field)...)
			}
			if a.Rule != nil {
				show.Problems = append(show.Problems, a.Rule.refused(a.Field)...)
			}
		}
	}
	return show
}

// requested is the signature that ended the review of the latest revision.
func requested(r Reader, d control.Detail, p signoff.Page) *Requested {
	if d.Latest.State != control.ChangesRequested {
		return nil
	}
	for _, s := range p.Slots {
		if g := s.Signature; g != nil && g.Decision == "changes" {
			q := Requested{By: byName(g.By, g.For), Note: g.Note, At: g.At, Implementer: d.Parties.Implementer.Name}
			if control.MayOpenDraft(r.Actor, d.Parties) == nil {
				q.Next = d.Latest.Number + 1
			}
			return &q
		}
	}
	return nil
}

func actions(r Reader, d control.Detail, p signoff.Page) Actions {
	a := Actions{Version: d.Latest.Version, Ready: p.Ready()}
	switch d.Latest.State {
	case control.Draft:
		a.Submit = p.SubmitRefusal == nil
		a.Refusal = words(p.SubmitRefusal)
	case control.InReview:
		a.SignOff, a.Yours, a.Withdraw = true, p.SignRefusal == nil, p.WithdrawRefusal == nil
	default:
		a.SignOff = true
		if control.MayOpenDraft(r.Actor, d.Parties) == nil {
			a.StartDraft = d.Latest.Number + 1
		}
	}
	return a
}

// answersNote says why answers cannot be changed, or what changing one starts.
func answersNote(r Reader, d control.Detail) string {
	switch err := control.MayAnswer(r.Actor, d.Parties); {
	case err != nil:
		return words(err)
	case d.Latest.State == control.InReview:
		return fmt.Sprintf("Revision %d is in review, so its answers stand still. Withdraw it to change one.", d.Latest.Number)
	case d.Latest.State != control.Draft:
		return fmt.Sprintf("Saving an answer starts revision %d. Revision %d stays as it is.", d.Latest.Number+1, d.Latest.Number)
	}
	return ""
}

func words(err error) string {
	if e := models.AsError(err); e != nil {
		return e.Message
	}
	return ""
}

func accountLines(accounts []control.Account) []AccountLine {
	var lines []AccountLine
	for _, a := range accounts {
		lines = append(lines, AccountLine{Environment: a.Environment.Name, System: a.Destination.Name, Account: a.Account})
	}
	return slices.CompactFunc(lines, func(a, b AccountLine) bool { return a.System == b.System && a.Account == b.Account })
}

func factsOf(r control.Revision, approved *control.Revision) RevisionFacts {
	f := RevisionFacts{Number: r.Number, StartedBy: r.StartedBy.Name, StartedAt: r.StartedAt, SubmittedBy: r.SubmittedBy.Name, SubmittedAt: r.SubmittedAt,
		DecidedAt: r.DecidedAt, DesignHash: r.DesignHash, FullHash: r.FullHash, ReviewDate: r.ReviewDate, Frozen: r.State != control.Draft}
	if approved != nil {
		f.ApprovedNumber = approved.Number
	}
	return f
}

func revisionLines(d control.Detail) []RevisionLine {
	var lines []RevisionLine
	for _, r := range d.Revisions {
		l := RevisionLine{Number: r.Number, State: string(r.Shown(d.Now)), At: r.StartedAt, Frozen: r.State != control.Draft}
		if r.SubmittedAt != nil && l.Frozen {
			l.At = *r.SubmittedAt
		}
		if r.DecidedAt != nil {
			l.At = *r.DecidedAt
		}
		lines = append(lines, l)
	}
	return lines
}

// byName is who did something, and for whom.
func byName(by, standsFor control.Ref) string {
	if standsFor.Name != "" {
		return by.Name + " for " + standsFor.Name
	}
	return by.Name
}

func idText(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}
