package evidence

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"countersign/models"
)

// Upload is a file that was received and is not evidence yet.
type Upload struct {
	ID          int64
	BlobID      int64
	PersonID    int64
	Person      string // name
	Path        string // what it is to be attached to
	Name        string
	MediaType   string
	SHA256      string `gorm:"column:sha256"`
	Size        int64
	Scanned     bool
	DetailsJSON string
	Findings    Array[Finding] // the first ones
	Found       int            // how many there are
	At          time.Time
	ExpiresAt   time.Time
	DecidedAt   *time.Time

	fresh  bool         // just received, and not joined to one that waits
	counts Array[Count] // of what was just received
}

// Details are what was said about the file when it was sent.
func (u Upload) Details() (d Details) {
	_ = json.Unmarshal([]byte(u.DetailsJSON), &d)
	return d
}

// SafeName is the file's name without the personal data in it.
func (u Upload) SafeName() string {
	var inName []Finding
	for _, f := range u.Findings {
		if f.InName {
			inName = append(inName, f)
		}
	}
	return SafeName(redactText(u.Name, inName))
}

// PathOfUpload is the page where somebody decides about an upload.
func PathOfUpload(id int64) string { return fmt.Sprintf("/evidence/uploads/%d", id) }

func (u Upload) object() models.Object {
	return models.Object{Type: "upload", ID: u.ID, Label: u.SafeName(), Path: PathOfUpload(u.ID)}
}

const uploadColumns = `u.id, u.blob_id, u.person_id, p.name person, u.path, u.name, u.media_type, b.sha256, b.size, u.scanned, u.details::text details_json,
	u.findings, u.found, u.at, u.expires_at, u.decided_at`

const uploadTables = " from uploads u join people p on p.id = u.person_id join blobs b on b.id = u.blob_id "

// FindUpload is an upload, decided or not. NotFound when there is none.
func FindUpload(ctx context.Context, db *models.DB, id int64) (Upload, error) {
	var found []Upload
	err := db.Query(ctx).Raw("select "+uploadColumns+uploadTables+"where u.id = ?", id).Scan(&found).Error
	if err == nil && len(found) == 0 {
		err = models.NotFoundf("There is no such file. Its hour is over and it was removed.")
	}
	if err != nil {
		return Upload{}, models.Classify(err)
	}
	return found[0], nil
}

// LoadUpload is an upload that somebody may still decide about. NotFound once it
// was decided or its hour is over.
func LoadUpload(ctx context.Context, db *models.DB, id int64) (Upload, error) {
	u, err := FindUpload(ctx, db, id)
	if err != nil {
		return Upload{}, err
	}
	now, err := db.Now(ctx)
	if err == nil && u.waits(now) != nil {
		err = models.NotFoundf("This file is not waiting any more. Somebody decided about it, or its hour is over and it was removed.")
	}
	return u, err
}

// Waiting are the flagged files that wait at the places with the paths, or that
// the person sent (0: anybody), oldest first.
func Waiting(ctx context.Context, db *models.DB, person int64, paths ...string) ([]Upload, error) {
	q := db.Query(ctx).Table("uploads u").Select(uploadColumns).Joins("join people p on p.id = u.person_id").Joins("join blobs b on b.id = u.blob_id").
		Where("u.decided_at is null and u.expires_at > now() and u.found > 0")
	if person != 0 {
		q = q.Where("u.person_id = ?", person)
	}
	if len(paths) > 0 {
		q = q.Where("u.path in ?", paths)
	}
	var all []Upload
	err := q.Order("u.id").Limit(models.PageSize).Scan(&all).Error
	return all, models.Classify(err)
}

// lockUpload is an upload that no other transaction decides about meanwhile.
func lockUpload(tx *models.Tx, id int64) (Upload, error) {
	var found []Upload
	if err := tx.Raw("select "+uploadColumns+uploadTables+"where u.id = ? for update of u", id).Scan(&found).Error; err != nil {
		return Upload{}, err
	}
	if len(found) == 0 {
		return Upload{}, models.NotFoundf("There is no such file. Its hour is over and it was removed.")
	}
	return found[0], nil
}

// waits is nil while somebody may decide about the upload, and a Conflict once
// it was decided or its hour is over.
func (u Upload) waits(now time.Time) error {
	switch {
	case u.DecidedAt != nil:
		return models.Conflictf("Somebody already decided about this file. Open the page it was attached to.")
	case !u.ExpiresAt.After(now):
		return models.Conflictf("The hour for this file is over, so it was removed. Attach it again.")
	}
	return nil
}

// attach makes evidence of the upload with the bytes of blob.
func (u Upload) attach(tx *models.Tx, p Place, blob int64, change func(*row) error) (Attached, error) {
	if p.WhyNot != nil {
		return Attached{}, p.WhyNot
	}
	if err := u.waits(tx.Now); err != nil {
		return Attached{}, err
	}
	d := u.Details()
	r := newRow(tx, p, d, File)
	r.BlobID, r.Name, r.MediaType, r.Scanned, r.by = &blob, u.Name, u.MediaType, u.Scanned, u.PersonID
	if change != nil {
		if err := change(r); err != nil {
			return Attached{}, err
		}
	}
	if err := r.check(tx, p, d).Err(); err != nil {
		return Attached{}, err
	}
	done, err := r.save(tx, p)
	if err != nil {
		return Attached{}, err
	}
	return done, u.decided(tx, done.ID)
}

// decided closes the upload and forgets its name and places. Evidence 0: none
// was made of it.
func (u Upload) decided(tx *models.Tx, evidence int64) error {
	return tx.Exec("update uploads set decided_at = ?, name = ?, findings = '[]', evidence_id = nullif(?, 0) where id = ?", tx.Now, u.SafeName(), evidence, u.ID).Error
}

// dropUpload removes an upload that nobody will decide about, and its bytes when
// nothing else has them. Nothing happens when it was decided.
func dropUpload(ctx context.Context, db *models.DB, id int64) error {
	_, err := models.Do(ctx, db, models.Actor{}, nil, func(tx *models.Tx) (struct{}, error) {
		var blobs []int64
		err := tx.Raw("delete from uploads where id = ? and decided_at is null returning blob_id", id).Scan(&blobs).Error
		for _, b := range blobs {
			if err == nil {
				_, err = removeUnused(tx, b)
			}
		}
		return struct{}{}, err
	})
	return err
}

// Excerpt is a finding with the text around it.
type Excerpt struct {
	Finding
	Before, Text, After string
}

const around = 60 // bytes of text before and after a finding

// Excerpts reads the text around the findings of an upload.
func Excerpts(ctx context.Context, db *models.DB, u Upload) ([]Excerpt, error) {
	var all []Excerpt
	for _, f := range u.Findings {
		if f.InName {
			all = append(all, excerpt(f, []byte(u.Name), 0))
			continue
		}
		all = append(all, Excerpt{Finding: f})
	}
	var parts []struct {
		I     int
		Lo    int64
		Bytes []byte
	}
	// One row for each finding, from the one or two chunks it stands in.
	err := db.Query(ctx).Raw(`with f as (select i - 1 as i, greatest((x ->> 'offset')::bigint - @around, 0) lo, (x ->> 'offset')::bigint + (x ->> 'length')::bigint + @around hi
			from uploads u, jsonb_array_elements(u.findings) with ordinality as e(x, i) where u.id = @id and not coalesce((x ->> 'in_name')::boolean, false))
		select f.i, f.lo, string_agg(substr(c.bytes, (greatest(f.lo - c.number::bigint * @chunk, 0) + 1)::int,
			(least(f.hi, (c.number + 1)::bigint * @chunk) - greatest(f.lo, c.number::bigint * @chunk))::int), ''::bytea order by c.number) bytes
		from f join blob_chunks c on c.blob_id = @blob and c.number between f.lo / @chunk and f.hi / @chunk group by f.i, f.lo`,
		map[string]any{"around": around, "chunk": int64(chunkSize), "id": u.ID, "blob": u.BlobID}).Scan(&parts).Error
	for _, p := range parts {
		if p.I < len(all) {
			all[p.I] = excerpt(all[p.I].Finding, p.Bytes, p.Lo)
		}
	}
	return all, models.Classify(err)
}

// ExcerptsOf are the findings of a text that was pasted, with the text around them.
func ExcerptsOf(text string, found []Finding) []Excerpt {
	var all []Excerpt
	text = models.Clean(text)
	for _, f := range found {
		from, to := max(f.Offset-around, 0), min(f.Offset+int64(f.Length)+around, int64(len(text)))
		if from <= to {
			all = append(all, excerpt(f, []byte(text[from:to]), from))
		}
	}
	return all
}

// excerpt cuts text, which starts at byte lo, into the finding and the rest of
// its line.
func excerpt(f Finding, text []byte, lo int64) Excerpt {
	begin := int(f.Offset - lo)
	end := begin + f.Length
	if begin < 0 || end > len(text) {
		return Excerpt{Finding: f}
	}
	plain := func(b []byte) string { return strings.ToValidUTF8(string(b), "") }
	before, after := plain(text[:begin]), plain(text[end:])
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	} else if lo > 0 {
		before = "…" + before
	}
	if line, _, ends := strings.Cut(after, "\n"); ends {
		after = strings.TrimSuffix(line, "\r")
	} else if len(text)-end == around {
		after += "…"
	}
	return Excerpt{f, before, plain(text[begin:end]), after}
}
