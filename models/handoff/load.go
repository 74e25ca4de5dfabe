package handoff

import (
	"context"
	"encoding/json"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/models/signoff"
	"countersign/models/workflow"

	"gorm.io/gorm"
)

// Load reads one revision of a control to hand over; number 0 is the latest.
// A draft is read as it stands. NotFound.
func Load(ctx context.Context, db *models.DB, slug string, number int) (Record, error) {
	q := db.Query(ctx)
	if number == 0 {
		if err := q.Raw("select r.number from revisions r join controls c on c.latest_revision_id = r.id where c.slug = ?", control.Plain(slug)).Scan(&number).Error; err != nil {
			return Record{}, models.Classify(err)
		}
		number = max(number, 1) // of an unknown control: LoadRevision says so
	}
	f, err := control.LoadRevision(ctx, db, slug, number)
	if err != nil {
		return Record{}, err
	}
	rev := f.Revision
	r := Record{Schema: Schema, ExportedAt: stamp(f.Now), content: f.Content, Signatures: []Signature{}, Revision: Revision{Number: rev.Number, State: string(rev.Shown(f.Now)),
		Frozen: rev.State != control.Draft, StartedBy: rev.StartedBy.Name, StartedAt: stamp(rev.StartedAt), SubmittedBy: rev.SubmittedBy.Name,
		SubmittedAt: stampOf(rev.SubmittedAt), DecidedAt: stampOf(rev.DecidedAt), DesignFingerprint: rev.DesignHash, FullFingerprint: rev.FullHash}}
	if err := r.loadContent(q, f); err != nil {
		return Record{}, models.Classify(err)
	}
	signatures, err := signoff.Signatures(ctx, db, rev.ID)
	if err != nil {
		return Record{}, err
	}
	for _, s := range signatures {
		r.Signatures = append(r.Signatures, signature(s))
	}
	standings, err := matrix.Standings(q, f.ControlID, r.Revision.DesignFingerprint)
	if err != nil {
		return Record{}, models.Classify(err)
	}
	chains, err := matrix.ChainsOf(q, f.ControlID)
	if err != nil {
		return Record{}, models.Classify(err)
	}
	r.Tests = newTests(r.expected, standings, chains, f.Now)
	if err := q.Raw("select open_questions from controls where id = ?", f.ControlID).Scan(&r.Revision.OpenQuestions).Error; err != nil {
		return Record{}, models.Classify(err)
	}
	policy, err := loadPolicy(q, r.content)
	r.NextAction = approvers(r, policy)
	return r, models.Classify(err)
}

// loadContent takes the text that was frozen as it is; of a draft, what a
// submission would freeze now.
func (r *Record) loadContent(q *gorm.DB, f control.Frozen) error {
	var canonical string
	if r.Revision.Frozen {
		if err := q.Raw("select content from revisions where id = ?", f.Revision.ID).Scan(&canonical).Error; err != nil {
			return err
		}
	} else {
		agreed, err := matrix.Freeze(q, f.ControlID)
		if err != nil {
			return err
		}
		if r.content, err = control.Snapshot(q, f.ControlID, agreed); err != nil {
			return err
		}
		prints, err := r.content.Fingerprints()
		if err != nil {
			return err
		}
		canonical, r.Revision.DesignFingerprint, r.Revision.FullFingerprint = prints.Canonical, prints.Design, prints.Full
	}
	r.Content = json.RawMessage(canonical)
	cases := matrix.ParseFrozen(r.content.Expectations)
	r.expected = map[string]matrix.Frozen{}
	for _, c := range cases {
		r.expected[c.Case] = c
	}
	r.Unresolved = unresolved(r.content, cases)
	return nil
}

// loadPolicy is the escalation policy that the record names; nil when it names
// none, or one that is not here.
func loadPolicy(q *gorm.DB, c control.Content) (*workflow.PolicyVersion, error) {
	a, _ := c.Answer("manual_approver")
	ref, ok := control.PolicyVersion(a.Data)
	if !ok || a.State != control.Answered {
		return nil, nil
	}
	_, v, ok, err := workflow.VersionChosen(q, ref)
	if err != nil || !ok {
		return nil, err
	}
	return &v, nil
}
