package ledger

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/identity"

	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"
)

// deliveryRow is what the statement is told of a delivery.
type deliveryRow struct {
	Workflow    int64   `json:"workflow"`
	Environment int64   `json:"environment"`
	Sender      int64   `json:"sender"`
	Event       string  `json:"event"`
	Record      string  `json:"record"`
	Version     string  `json:"version"`
	Rank        *rank   `json:"rank,omitempty"`
	Ordering    string  `json:"ordering"`
	Reason      *string `json:"reason,omitempty"` // why it needs review, whatever came before
	Digest      string  `json:"digest,omitempty"`
	Payload     *string `json:"payload,omitempty"` // to keep
	Until       *string `json:"until,omitempty"`
	Token       int64   `json:"token,omitempty"`
	Asker       int64   `json:"asker,omitempty"`
}

// Deliver records a notification, decided in one statement in the order: needs
// review, duplicate, stale, accepted. NotFound for an unknown workflow,
// environment or sender; Forbidden outside the token's; Invalid for what is too
// long or no text.
func Deliver(ctx context.Context, db *models.DB, by Caller, cmd DeliverCmd) (Delivered, error) {
	return models.Do(ctx, db, by.actor(), cmd, func(tx *models.Tx) (Delivered, error) {
		from, err := findSource(tx.DB, cmd)
		if err != nil {
			return Delivered{}, err
		}
		if err := by.within(from.Workflow, from.Environment); err != nil {
			return Delivered{}, err
		}
		row, err := from.row(cmd)
		if err != nil {
			return Delivered{}, err
		}
		row.Token, row.Asker = by.Token, by.Person.ID
		if row.Payload != nil {
			until := tx.Now.AddDate(0, 0, from.PayloadDays).Format("2006-01-02")
			row.Until = &until
		}
		return deliver(tx.DB, row)
	})
}

// source is where a delivery comes from.
type source struct {
	Workflow, Environment, Sender int64
	VersionOrder, ChangingFields  string
	StorePayloads                 bool
	PayloadDays                   int
}

func findSource(q *gorm.DB, cmd DeliverCmd) (source, error) {
	var s source
	done := q.Raw(`select w.id as workflow, e.id as environment, s.id as sender, w.version_order, s.changing_fields, w.store_payloads, coalesce(w.payload_days, 0) as payload_days
		from workflows w join senders s on s.workflow_id = w.id and s.slug = ? cross join environments e where w.slug = ? and e.slug = ?`,
		control.Plain(cmd.Sender), control.Plain(cmd.Workflow), control.Plain(cmd.Environment)).Scan(&s)
	if done.Error != nil || done.RowsAffected > 0 {
		return s, done.Error
	}
	for _, part := range []struct{ what, slug, sql string }{
		{"workflow", cmd.Workflow, "select exists (select 1 from workflows where slug = ?)"},
		{"environment", cmd.Environment, "select exists (select 1 from environments where slug = ?)"},
	} {
		var there bool
		if err := q.Raw(part.sql, control.Plain(part.slug)).Row().Scan(&there); err != nil {
			return s, err
		}
		if !there {
			return s, models.NotFoundf("There is no %s named “%s”.", part.what, control.Plain(part.slug))
		}
	}
	return s, models.NotFoundf("This workflow has no sender named “%s”.", control.Plain(cmd.Sender))
}

// row checks a delivery and says whether it needs review by itself.
func (s source) row(cmd DeliverCmd) (deliveryRow, error) {
	event, record, version := identifier(cmd.Event), identifier(cmd.Record), strings.TrimSpace(cmd.Version)
	var c models.Check
	c.Line("event_id", event, MaxID)
	c.Line("business_record_id", record, MaxID)
	c.Line("source_version", version, MaxVersion)
	if err := c.Err(); err != nil {
		return deliveryRow{}, err
	}
	r := deliveryRow{Workflow: s.Workflow, Environment: s.Environment, Sender: s.Sender, Event: event, Record: record, Version: version, Ordering: s.VersionOrder}
	rankText, readable := versionRank(s.VersionOrder, version)
	if readable = readable && !cmd.Unreadable; readable {
		r.Rank = rankOf(rankText)
	}
	var why []string
	if event == "" {
		why = append(why, "The event identifier is missing.")
	}
	if record == "" {
		why = append(why, "The business record identifier is missing.")
	}
	if cmd.Unreadable {
		why = append(why, fmt.Sprintf("Version %s is neither text nor a number.", version))
	} else if !readable {
		why = append(why, fmt.Sprintf("Version %s is not %s.", version, versionWords(s.VersionOrder)))
	}
	if len(why) > 0 {
		text := strings.Join(why, " ")
		r.Reason = &text
	}
	if len(cmd.Payload) > 0 {
		digest := identity.BodyDigest(cmd.Payload, identity.ParseChanging(s.ChangingFields))
		r.Digest = hex.EncodeToString(digest[:])
		if s.StorePayloads {
			text := strings.ReplaceAll(string(cmd.Payload), "\x00", "\uFFFD")
			r.Payload = &text
		}
	}
	return r, nil
}

// identifier gives an identifier of a sender one form: nothing but spaces is
// none, and text is in Unicode NFC, as in keys.
func identifier(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return norm.NFC.String(text)
}

func deliver(q *gorm.DB, row deliveryRow) (Delivered, error) {
	list, err := json.Marshal(row)
	if err != nil {
		return Delivered{}, err
	}
	var answer string
	if err := q.Raw("select cast(ledger_deliver(cast(? as jsonb)) as text)", string(list)).Row().Scan(&answer); err != nil {
		return Delivered{}, err
	}
	var r struct {
		ID          int64
		Disposition Disposition
		First       int64
		Reason      string
		Review      int64
	}
	if err := json.Unmarshal([]byte(answer), &r); err != nil {
		return Delivered{}, err
	}
	return Delivered{Delivery: r.ID, Disposition: r.Disposition, First: r.First, Reason: r.Reason, Review: reviewRef(r.Review, ReviewDelivery)}, nil
}
