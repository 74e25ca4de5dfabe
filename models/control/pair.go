package control

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/identity"

	"gorm.io/gorm"
)

const (
	maxPairs     = 100      // of one control, archived ones not counted
	maxPairInput = 64 << 10 // bytes
)

// Pair is two inputs with what they must be to each other under the control's
// rules.
type Pair struct {
	ID                     int64
	Name                   string
	InputA, InputB         string
	EnvironmentA, AccountA string // slugs; an environment or account may be made up
	EnvironmentB, AccountB string
	Expected, Verdict      identity.VerdictCode // Verdict: under the rules as they stand
	Note                   string
	CreatedBy              Ref `gorm:"-"`
	CreatedAt              time.Time
	ArchivedBy             Ref `gorm:"-"`
	ArchivedAt             *time.Time
}

// Broken reports whether the rules no longer do what the pair expects.
func (p Pair) Broken() bool { return p.ArchivedAt == nil && p.Verdict != p.Expected }

// Compare says what the pair comes to. Invalid: input_a or input_b cannot be read.
func (p Pair) Compare(rules identity.Set, effect string) (identity.Verdict, error) {
	var c models.Check
	a, b := readSide(&c, "input_a", p.InputA, p.EnvironmentA, p.AccountA, effect), readSide(&c, "input_b", p.InputB, p.EnvironmentB, p.AccountB, effect)
	if err := c.Err(); err != nil {
		return identity.Verdict{}, err
	}
	return identity.Compare(rules, a, b), nil
}

func readSide(c *models.Check, field, text, environment, account, effect string) identity.Side {
	in, err := identity.ParseInput([]byte(text))
	if err != nil {
		c.Add(field, "%s", err)
	}
	return identity.Side{Scope: identity.Scope{Environment: environment, Account: account, Effect: effect}, Input: in}
}

// SavePairCmd keeps a pair of the lab with its expected verdict.
type SavePairCmd struct {
	models.Once
	Control                string
	Name, Note             string
	InputA, InputB         string
	EnvironmentA, AccountA string
	EnvironmentB, AccountB string
	Expected               string
}

// ArchivePairCmd puts a saved pair aside: it is no longer checked. Restore takes
// it back.
type ArchivePairCmd struct {
	models.Once
	Control string
	Pair    int64
	Restore bool
}

// Object names the control when the command is refused.
func (c SavePairCmd) Object() models.Object    { return refused(c.Control) }
func (c ArchivePairCmd) Object() models.Object { return refused(c.Control) }

// SavedPair is what came of saving, archiving or restoring a pair.
type SavedPair struct {
	ID     int64
	Name   string
	Broken bool
}

// SavePair keeps a pair. One that the rules do not satisfy is kept too, and
// blocks submission until they do.
//
// NotFound, Forbidden, and Invalid: name, note, input_a, input_b, expected,
// environment_a, account_a, environment_b, account_b.
func SavePair(ctx context.Context, db *models.DB, by models.Actor, cmd SavePairCmd) (SavedPair, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (SavedPair, error) {
		c, err := Lock(tx, cmd.Control)
		if err != nil {
			return SavedPair{}, err
		}
		if err := MaySavePair(by, c.Parties()); err != nil {
			return SavedPair{}, err
		}
		p, err := cmd.check()
		if err != nil {
			return SavedPair{}, err
		}
		places := Lab{ID: c.ID}
		if err := places.loadPlaces(tx.DB); err != nil {
			return SavedPair{}, err
		}
		if err := places.CheckPlaces(p); err != nil {
			return SavedPair{}, err
		}
		rules, err := RulesOf(tx.DB, c.ID)
		if err != nil {
			return SavedPair{}, err
		}
		verdict, err := p.Compare(rules.Set, c.Effect)
		if err != nil {
			return SavedPair{}, err
		}
		p.Verdict = verdict.Code
		if err := insertPair(tx, c, &p); err != nil {
			return SavedPair{}, err
		}
		tx.AuditFor(standsFor(by, c.Parties()), "pair.saved", pairObject(c, p), nil, map[string]any{"name": p.Name, "expected": p.Expected, "verdict": p.Verdict, "note": p.Note})
		return SavedPair{ID: p.ID, Name: p.Name, Broken: p.Broken()}, countBroken(tx, c.ID)
	})
}

func pairObject(c Locked, p Pair) models.Object {
	return models.Object{Type: "pair", ID: p.ID, Label: p.Name, Path: fmt.Sprintf("/identity-rules/lab?control=%s&pair=%d", c.Slug, p.ID)}
}

func (cmd SavePairCmd) check() (Pair, error) {
	p := Pair{Name: models.Clean(cmd.Name), Note: models.Clean(cmd.Note), InputA: models.Clean(cmd.InputA), InputB: models.Clean(cmd.InputB),
		EnvironmentA: models.Clean(cmd.EnvironmentA), AccountA: models.Clean(cmd.AccountA), EnvironmentB: models.Clean(cmd.EnvironmentB), AccountB: models.Clean(cmd.AccountB),
		Expected: identity.VerdictCode(cmd.Expected)}
	var c models.Check
	for _, in := range []struct{ field, text string }{{"input_a", p.InputA}, {"input_b", p.InputB}} {
		switch problem := ""; {
		case len(in.text) > maxPairInput:
			c.Add(in.field, "Shorten this input to %d KiB.", maxPairInput>>10)
		default:
			if problem = unkeepable(in.text, true); problem != "" {
				c.Add(in.field, "%s", problem)
			} else {
				c.Text(in.field, in.text, maxPairInput)
			}
		}
	}
	c.Slug("environment_a", p.EnvironmentA)
	c.Slug("account_a", p.AccountA)
	c.Slug("environment_b", p.EnvironmentB)
	c.Slug("account_b", p.AccountB)
	c.Required("name", p.Name, 200, "Enter a name that says what the pair shows, such as Sent again by hand.")
	c.Line("name", p.Name, 200)
	known := false
	for _, v := range identity.Verdicts {
		known = known || v == p.Expected
	}
	if !known {
		c.Add("expected", "Choose what the two must be to each other.")
	}
	c.Text("note", p.Note, maxReason)
	return p, c.Err()
}

func insertPair(tx *models.Tx, c Locked, p *Pair) error {
	var live int
	if err := tx.Raw("select count(*) from lab_pairs where control_id = ? and archived_at is null", c.ID).Row().Scan(&live); err != nil {
		return err
	}
	if live >= maxPairs {
		return models.Invalid("name", "This control has %d pairs, which is the most it can have. Archive one first.", live)
	}
	r := tx.Raw(`insert into lab_pairs (control_id, name, input_a, input_b, environment_a, account_a, environment_b, account_b, expected, verdict, note, created_by, created_for, created_at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing returning id`, c.ID, p.Name, p.InputA, p.InputB, p.EnvironmentA, p.AccountA, p.EnvironmentB, p.AccountB,
		p.Expected, p.Verdict, p.Note, tx.By.ID, orNull(standsFor(tx.By, c.Parties())), tx.Now).Scan(&p.ID)
	if r.Error == nil && r.RowsAffected == 0 {
		return models.Invalid("name", "Another pair of this control has this name. Choose another one.")
	}
	return r.Error
}

// ArchivePair puts a pair aside or takes it back. NotFound, Forbidden, and
// Conflict when that was done already or a pair of that name exists again.
func ArchivePair(ctx context.Context, db *models.DB, by models.Actor, cmd ArchivePairCmd) (SavedPair, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (SavedPair, error) {
		c, err := Lock(tx, cmd.Control)
		if err != nil {
			return SavedPair{}, err
		}
		if err := MaySavePair(by, c.Parties()); err != nil {
			return SavedPair{}, err
		}
		p, err := pairOf(tx.DB, c.ID, cmd.Pair)
		if err != nil {
			return SavedPair{}, err
		}
		action := "pair.archived"
		if cmd.Restore {
			action, err = "pair.restored", restorePair(tx, c, &p)
		} else if r := tx.Exec("update lab_pairs set archived_by = ?, archived_at = ? where id = ? and archived_at is null", by.ID, tx.Now, p.ID); r.Error != nil || r.RowsAffected == 0 {
			err = orConflict(r.Error, "This pair is archived already.")
		} else {
			p.ArchivedAt = &tx.Now
		}
		if err != nil {
			return SavedPair{}, err
		}
		tx.AuditFor(standsFor(by, c.Parties()), action, pairObject(c, p), map[string]any{"archived": cmd.Restore}, map[string]any{"archived": !cmd.Restore})
		return SavedPair{ID: p.ID, Name: p.Name, Broken: p.Broken()}, countBroken(tx, c.ID)
	})
}

func orConflict(err error, words string) error {
	if err != nil {
		return err
	}
	return models.Conflictf("%s", words)
}

// restorePair takes a pair back, compared anew.
func restorePair(tx *models.Tx, c Locked, p *Pair) error {
	if p.ArchivedAt == nil {
		return models.Conflictf("This pair is not archived.")
	}
	var taken bool
	var live int
	if err := tx.Raw("select coalesce(bool_or(lower(name) = lower(?)), false), count(*) from lab_pairs where control_id = ? and archived_at is null", p.Name, c.ID).Row().Scan(&taken, &live); err != nil {
		return err
	}
	if taken {
		return models.Conflictf("Another pair is called “%s” now. Archive that one first.", p.Name)
	}
	if live >= maxPairs {
		return models.Conflictf("This control has %d pairs, which is the most it can have. Archive one first.", live)
	}
	rules, err := RulesOf(tx.DB, c.ID)
	if err != nil {
		return err
	}
	verdict, err := p.Compare(rules.Set, c.Effect)
	if err != nil {
		return err
	}
	p.Verdict, p.ArchivedAt = verdict.Code, nil
	return tx.Exec("update lab_pairs set archived_by = null, archived_at = null, verdict = ? where id = ?", p.Verdict, p.ID).Error
}

// recheckPairs compares every live pair under the rules as they stand now and
// returns how many are broken. The caller holds the lock.
func recheckPairs(tx *models.Tx, c Locked, rules identity.Set) (broken int, err error) {
	pairs, err := pairsOf(tx.DB, c.ID, false)
	if err != nil {
		return 0, err
	}
	for _, p := range pairs {
		verdict, err := p.Compare(rules, c.Effect)
		if err != nil {
			return 0, err
		}
		if verdict.Code != p.Verdict {
			p.Verdict = verdict.Code
			if err := tx.Exec("update lab_pairs set verdict = ? where id = ?", p.Verdict, p.ID).Error; err != nil {
				return 0, err
			}
		}
		if p.Broken() {
			broken++
		}
	}
	return broken, nil
}

func countBroken(tx *models.Tx, controlID int64) error {
	return tx.Exec(`update controls set broken_pairs = (select count(*) from lab_pairs where control_id = controls.id and archived_at is null and verdict <> expected) where id = ?`, controlID).Error
}

const selectPair = `select p.id, p.name, p.input_a, p.input_b, p.environment_a, p.account_a, p.environment_b, p.account_b, p.expected, p.verdict, p.note,
	p.created_by, c.name as created_name, p.created_at, p.archived_by, a.name as archived_name, p.archived_at
	from lab_pairs p join people c on c.id = p.created_by left join people a on a.id = p.archived_by where p.control_id = ? `

type pairRow struct {
	Pair         `gorm:"embedded"`
	CreatorID    int64 `gorm:"column:created_by"`
	CreatedName  string
	ArchiverID   int64 `gorm:"column:archived_by"`
	ArchivedName string
}

func (r pairRow) pair() Pair {
	r.Pair.CreatedBy, r.Pair.ArchivedBy = Ref{ID: r.CreatorID, Name: r.CreatedName}, Ref{ID: r.ArchiverID, Name: r.ArchivedName}
	r.Pair.CreatedAt = r.Pair.CreatedAt.UTC()
	return r.Pair
}

// BrokenPairs lists the pairs that the rules do not satisfy.
func BrokenPairs(q *gorm.DB, controlID int64) ([]Pair, error) {
	return scanPairs(q.Raw(selectPair+"and p.archived_at is null and p.verdict <> p.expected order by p.id", controlID))
}

func pairsOf(q *gorm.DB, controlID int64, archived bool) ([]Pair, error) {
	return scanPairs(q.Raw(selectPair+"and (p.archived_at is null or ?) order by p.archived_at is not null, p.id", controlID, archived))
}

func pairOf(q *gorm.DB, controlID, id int64) (Pair, error) {
	found, err := scanPairs(q.Raw(selectPair+"and p.id = ?", controlID, id))
	if err == nil && len(found) == 0 {
		return Pair{}, models.NotFoundf("There is no such pair.")
	}
	if err != nil {
		return Pair{}, err
	}
	return found[0], nil
}

func scanPairs(q *gorm.DB) ([]Pair, error) {
	var rows []pairRow
	err := q.Scan(&rows).Error
	var all []Pair
	for _, r := range rows {
		all = append(all, r.pair())
	}
	return all, err
}
