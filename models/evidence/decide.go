package evidence

import (
	"context"

	"countersign/models"
)

// Decision is what becomes of a flagged file.
type Decision string

const (
	Redact  Decision = "redact"  // the chosen places are taken out
	Keep    Decision = "keep"    // it stays as it is, with a reviewer's reason
	Discard Decision = "discard" // it is removed
)

// DecideCmd decides about a flagged file.
type DecideCmd struct {
	models.Once
	Upload   int64
	Place    Place
	Decision Decision
	Places   []int  // of Redact: numbers of the findings to take out, from 0
	All      bool   // of Redact: every place, also those that are not listed
	Reason   string // why the rest stays
}

// Object names the place when the command is refused.
func (c DecideCmd) Object() models.Object { return c.Place.object() }

// MayDecide says whether by may decide about an upload at place: who sent it,
// and who may let personal data stay there. Forbidden otherwise.
func MayDecide(by models.Actor, u Upload, p Place) error {
	if by.ID == u.PersonID || p.WhyNotKeep == nil {
		return nil
	}
	return models.Forbiddenf("This file is decided about by the person who sent it, or by the reviewer.")
}

// Decide makes evidence of a flagged file, or removes it. Conflict when somebody
// else decided first or its hour is over; Invalid at places when a place is
// neither taken out nor kept with a reason, at reason when that is missing;
// Forbidden for a reason from somebody who may not give one.
func Decide(ctx context.Context, db *models.DB, by models.Actor, cmd DecideCmd) (Attached, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Attached, error) {
		u, err := lockUpload(tx, cmd.Upload)
		if err != nil {
			return Attached{}, err
		}
		if u.Path != cmd.Place.Path {
			return Attached{}, models.NotFoundf("There is no such file.")
		}
		if err := MayDecide(by, u, cmd.Place); err != nil {
			return Attached{}, err
		}
		if err := u.waits(tx.Now); err != nil {
			return Attached{}, err
		}
		if cmd.Decision == Discard {
			return u.discard(tx)
		}
		plan, err := u.plan(cmd)
		if err != nil {
			return Attached{}, err
		}
		blob := u.BlobID
		var taken, left Array[Count]
		if plan.any() || u.Found > len(u.Findings) {
			if blob, taken, left, err = u.redact(tx, plan); err != nil {
				return Attached{}, err
			}
		} else {
			left = counts(u.Findings)
		}
		done, err := u.attach(tx, cmd.Place, blob, func(r *row) error {
			r.Name, r.Redactions = plan.name(u), taken
			if len(left) > 0 {
				return r.keep(tx.By, cmd.Place, cmd.Reason, left)
			}
			return nil
		})
		if err != nil || blob == u.BlobID {
			return done, err
		}
		_, err = removeUnused(tx, u.BlobID)
		return done, err
	})
}

func (u Upload) discard(tx *models.Tx) (Attached, error) {
	if err := u.decided(tx, 0); err != nil {
		return Attached{}, err
	}
	tx.Audit("upload.discarded", u.object(), nil, map[string]any{"bytes": u.Size})
	_, err := removeUnused(tx, u.BlobID)
	return Attached{Name: u.SafeName()}, err
}

// plan says which findings are taken out.
type plan struct {
	chosen map[int]bool
	all    bool
}

func (p plan) takes(i int) bool { return p.all || p.chosen[i] }
func (p plan) any() bool        { return p.all || len(p.chosen) > 0 }

// name is the file's name with the chosen places taken out.
func (p plan) name(u Upload) string {
	var out []Finding
	for i, f := range u.Findings {
		if f.InName && p.takes(i) {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return u.Name
	}
	return SafeName(redactText(u.Name, out))
}

// plan reads the decision. Only as many places as are listed can be chosen one
// by one; the others are taken out together with all, or stay with a reason.
func (u Upload) plan(cmd DecideCmd) (plan, error) {
	p := plan{chosen: map[int]bool{}}
	switch cmd.Decision {
	case Keep:
		return p, nil
	case Redact:
	default:
		return p, models.BadRequestf("Choose what becomes of this file.")
	}
	p.all = cmd.All
	for _, i := range cmd.Places {
		if i >= 0 && i < len(u.Findings) {
			p.chosen[i] = true
		}
	}
	if !p.any() {
		return p, models.Invalid("places", "Choose the places to take out.")
	}
	if !p.all && len(p.chosen) < u.Found && cmd.Place.WhyNotKeep != nil {
		return p, models.Invalid("places", "Choose every place. What stays needs the reviewer's reason.")
	}
	return p, nil
}

// redact stores the bytes again without the places that the plan takes out, and
// says what was taken and what is left, the name included.
func (u Upload) redact(tx *models.Tx, p plan) (blob int64, taken, left Array[Count], err error) {
	i := 0
	sort := func(f Finding) bool {
		take := p.takes(i)
		if i++; take {
			taken = count(taken, f.Kind)
		} else {
			left = count(left, f.Kind)
		}
		return take
	}
	for _, f := range u.Findings {
		if f.InName {
			sort(f)
		}
	}
	if !u.Scanned {
		return u.BlobID, taken, left, nil
	}
	out, err := newBlob(tx)
	if err != nil {
		return 0, nil, nil, err
	}
	before := i
	r := newRedactor(out, sort)
	content := Content{read: func(n int) ([]byte, error) { return chunk(tx.DB, u.BlobID, n) }}
	for {
		b, err := content.Next()
		if err != nil {
			return 0, nil, nil, err
		}
		if b == nil {
			break
		}
		if _, err := r.Write(b); err != nil {
			return 0, nil, nil, err
		}
	}
	if err := r.Close(); err != nil {
		return 0, nil, nil, err
	}
	if i == before { // only the name held something
		return u.BlobID, taken, left, out.abandon()
	}
	blob, err = out.finish()
	return blob, taken, left, err
}
