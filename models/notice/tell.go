package notice

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/models"
)

// Words are what is said: a title on one line that names the decision or the
// fact ("Sign revision 3 of Create CRM task"), and up to a few sentences more.
type Words struct{ Title, Text string }

// Tell says once to each of the people that something happened or waits for
// them, in the transaction of the command that made it so: in the inbox always,
// by e-mail as each of them chose, and to the webhooks that want the event.
//
// key names this occurrence of the event, e.g. "revision 17 owner": told again
// under the same event and key, a person who was told hears nothing, and one
// who was not is told. path is the page of the decision. Zero ids and repeated
// ones are fine. Inactive people are left out, and so is whoever does the
// command: nobody is told of their own act. The delegate of a person who is
// away is told too, and for whom. Webhooks are told even when no person is.
func Tell(tx *models.Tx, event Event, people []int64, words Words, path, key string) error {
	if event.group() == nil {
		return fmt.Errorf("tell: there is no event %q", event)
	}
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || key == "" || len(key) > 200 || line(words.Title) == "" {
		return fmt.Errorf("tell %s: path %q, key %q, title %q", event, path, key, words.Title)
	}
	words = Words{clip(line(words.Title), 300), clip(models.Clean(words.Text), 2000)}
	listeners, err := whoHears(tx, event, people)
	if err != nil {
		return err
	}
	for _, l := range listeners {
		if err := l.tell(tx, event, words, path, key); err != nil {
			return err
		}
	}
	return announce(tx, event, words, path, key)
}

// listener is one person to be told.
type listener struct {
	PersonID      int64
	StandingInFor string // names, "" when told in person
	Mail          Choice
}

// whoHears returns active people and the delegates of those away, without the
// actor, in the order of their ids, so that two commands that tell the same
// people do not block each other.
func whoHears(tx *models.Tx, event Event, ids []int64) ([]listener, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	g := event.group()
	var found []listener
	err := tx.Raw(`
select h.person_id, coalesce(c.choices->>?::text, ?) as mail,
       case when bool_or(h.standing_in_for = '') then '' else left(string_agg(h.standing_in_for, ', ' order by h.standing_in_for), 1000) end as standing_in_for
from (select id as person_id, '' as standing_in_for from people where id in ? and active
      union
      select d.delegate_id, away.name from delegations d
      join people away on away.id = d.person_id and away.active
      join people s on s.id = d.delegate_id and s.active
      where d.person_id in ? and d.ended_at is null and d.until >= ?::date
        and exists (select from role_grants g where g.person_id = s.id and g.role <> 'viewer')) h
left join mail_choices c on c.person_id = h.person_id
where h.person_id <> ?
group by h.person_id, c.choices order by h.person_id`, g.Key, g.Default, ids, ids, tx.Now.Format("2006-01-02"), tx.By.ID).Scan(&found).Error
	return found, err
}

// tell writes the notice, and the e-mail when the person wants it at once.
func (l listener) tell(tx *models.Tx, event Event, words Words, path, key string) error {
	var id int64
	q := tx.Raw(`insert into notices (person_id, event, key, standing_in_for, title, text, path, at, mail) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (event, key, person_id) do nothing returning id`,
		l.PersonID, event, key, l.StandingInFor, words.Title, words.Text, path, tx.Now, l.Mail).Scan(&id)
	if q.Error != nil || q.RowsAffected == 0 || l.Mail != Now {
		return q.Error
	}
	mail, err := newMail(tx, l.PersonID, "one")
	if err != nil {
		return err
	}
	return tx.Exec("update notices set mail_id = ? where id = ?", mail, id).Error
}

// newMail makes an e-mail, with the job that sends it. What it says hangs on it
// by notices.mail_id.
func newMail(tx *models.Tx, personID int64, kind string) (id int64, err error) {
	if err := tx.Raw("insert into mails (person_id, message_id, kind, created_at) values (?, ?, ?, ?) returning id",
		personID, randomHex(16), kind, tx.Now).Row().Scan(&id); err != nil {
		return 0, err
	}
	return id, tx.Enqueue(MailJob{id})
}

// announce makes one delivery for each webhook that wants the event, with the
// job that sends it. An event told again under the same key is not sent again.
func announce(tx *models.Tx, event Event, words Words, path, key string) error {
	var webhooks []int64
	err := tx.Raw("select id from webhooks where disabled_at is null and (events = '{}' or ? = any(events)) order by id", event).Scan(&webhooks).Error
	if err != nil || len(webhooks) == 0 {
		return err
	}
	message, err := newMessage(tx, event, words, path, key)
	if err != nil || message == 0 {
		return err
	}
	for _, w := range webhooks {
		if _, err := newDelivery(tx, w, message); err != nil {
			return err
		}
	}
	return nil
}

// newMessage writes what receivers are told; 0 when it was told before.
func newMessage(tx *models.Tx, event Event, words Words, path, key string) (id int64, err error) {
	err = tx.Raw(`insert into webhook_messages (webhook_id, event, key, title, text, path, at) values (?, ?, ?, ?, ?, ?, ?)
		on conflict (event, key) do nothing returning id`, "msg_"+randomHex(16), event, key, words.Title, words.Text, path, tx.Now).Scan(&id).Error
	return id, err
}

// newDelivery makes a delivery, with the job that sends it.
func newDelivery(tx *models.Tx, webhook, message int64) (id int64, err error) {
	if err := tx.Raw("insert into webhook_deliveries (webhook_id, message_id, created_at) values (?, ?, ?) returning id", webhook, message, tx.Now).Row().Scan(&id); err != nil {
		return 0, err
	}
	return id, tx.Enqueue(WebhookJob{id, 1})
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// line makes any text one line without control characters: titles become the
// subject of an e-mail.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// clip keeps at most n characters of valid text.
func clip(s string, n int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-3]) + "..."
}

// sentence makes what a program said one short sentence.
func sentence(s string) string {
	s = clip(line(s), 490)
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	s = string(unicode.ToUpper(first)) + s[size:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
