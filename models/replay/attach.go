package replay

import (
	"context"
	"fmt"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/ledger"
	"countersign/models/matrix"
)

// MayAttach: who may supply evidence, and reviewers.
func MayAttach(by models.Actor, p Parties) error {
	if by.Has(models.Reviewer) || MaySupply(by, p) == nil {
		return nil
	}
	return models.Forbiddenf("Only who asked for this, an implementer or a reviewer attaches evidence.")
}

// EvidencePlace is a request as a place to attach evidence to. What is attached
// while it is open is held until it ends. NotFound.
func EvidencePlace(ctx context.Context, db *models.DB, by models.Actor, ref string) (evidence.Place, error) {
	q := db.Query(ctx)
	r, err := find(q, ref)
	if err != nil {
		return evidence.Place{}, err
	}
	facts, err := ledger.LoadFacts(q, r.ActionID)
	if err != nil {
		return evidence.Place{}, err
	}
	f, err := open(q, r, facts)
	if err != nil {
		return evidence.Place{}, err
	}
	place := evidence.Place{Path: Path(ref), About: fmt.Sprintf("%s, %s", ref, facts.ControlName), WorkflowID: r.WorkflowID, WhyNot: f.mayAttach(by), WhyNotKeep: mayKeep(by)}
	place.KeepDays, place.KeepBasis, err = matrix.KeptFor(q, r.ControlID)
	place.Link = func(tx *models.Tx, l evidence.Linked) error {
		f, err := lock(tx, ref)
		if err != nil {
			return err
		}
		if err := f.mayAttach(tx.By); err != nil {
			return err
		}
		if l.Kept {
			if err := mayKeep(tx.By); err != nil {
				return err
			}
		}
		return evidence.Hold(tx, Path(ref), ref+" is open", l.ID)
	}
	return place, err
}

func (f *file) mayAttach(by models.Actor) error {
	if !f.State.Open() {
		return models.Conflictf("This request is %s. Nothing is attached to it any more.", f.State.Words())
	}
	return MayAttach(by, f.Parties)
}

func mayKeep(by models.Actor) error {
	if by.Has(models.Reviewer) {
		return nil
	}
	return models.Forbiddenf("Only a reviewer lets personal data stay, with a reason.")
}
