package notice_test

import (
	"testing"

	"countersign/models"
	"countersign/models/notice"
)

func TestPruneKeepsWhatIsUnreadOrNotDelivered(t *testing.T) {
	w := newWorld(t)
	who := w.person("Reviewer", models.Reviewer)
	for _, key := range []string{"old and read", "old and unread", "read yesterday", "old, read, its mail waits"} {
		w.mustTell(models.Actor{}, notice.SignatureWanted, key, who.ID)
	}
	w.exec("update mails set state = 'sent', sent_at = now(), created_at = now() - interval '100 days'")
	w.exec("update notices set at = now() - interval '100 days', read_at = now() - interval '91 days' where key like 'old%' and key <> 'old and unread'")
	w.exec("update notices set at = now() - interval '100 days', read_at = now() - interval '89 days' where key = 'read yesterday'")
	w.exec("update mails set state = 'waiting', sent_at = null where id = (select mail_id from notices where key = 'old, read, its mail waits')")
	for range 2 {
		if err := notice.Prune(t.Context(), w.db); err != nil {
			t.Fatal(err)
		}
	}
	var left, mails string
	if err := w.db.Query(t.Context()).Raw("select (select string_agg(key, ' | ' order by key) from notices), (select string_agg(state, ' ' order by state) from mails)").Row().Scan(&left, &mails); err != nil {
		t.Fatal(err)
	}
	if left != "old and unread | old, read, its mail waits | read yesterday" || mails != "sent sent waiting" {
		t.Errorf("left: %s; %s", left, mails)
	}
}
