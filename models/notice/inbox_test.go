package notice_test

import (
	"fmt"
	"maps"
	"testing"

	"countersign/models"
	"countersign/models/notice"
	"countersign/models/notice/noticetest"
)

func TestTheInbox(t *testing.T) {
	w := newWorld(t)
	owner, other := w.person("Owner", models.BusinessOwner), w.person("Other", models.Reviewer)
	for i := range 120 {
		w.mustTell(models.Actor{}, notice.SignatureWanted, fmt.Sprint(i), owner.ID)
	}
	w.mustTell(models.Actor{}, notice.RunToReview, "other", other.ID)
	unread := func() int {
		t.Helper()
		n, err := notice.Unread(t.Context(), w.db, owner.ID)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := unread(); n != notice.MostCounted {
		t.Errorf("%d unread", n)
	}
	first, err := notice.Inbox(t.Context(), w.db, owner, false, "")
	if err != nil || len(first.Items) != models.PageSize || first.Items[0].ID != 120 {
		t.Fatalf("%v %d", err, len(first.Items))
	}
	mark := func(by models.Actor, id int64) (notice.Opened, error) {
		return notice.MarkRead(t.Context(), w.db, by, notice.MarkReadCmd{ID: id})
	}
	for range 2 {
		if to, err := mark(owner, 120); err != nil || to.Path != "/controls/a/sign-off" {
			t.Fatal(to, err)
		}
	}
	if _, err := mark(other, 1); !models.IsKind(err, models.KindForbidden) {
		t.Error(err)
	}
	if _, err := mark(owner, 9999); !models.IsKind(err, models.KindNotFound) {
		t.Error(err)
	}
	if p, err := notice.Inbox(t.Context(), w.db, owner, true, ""); err != nil || p.Items[0].ID != 119 {
		t.Error("what was read is among the unread", err)
	}
	n, err := notice.MarkAllRead(t.Context(), w.db, owner, notice.MarkAllReadCmd{Newest: 110})
	if err != nil || n != 110 || unread() != 9 {
		t.Errorf("%d marked, %d left, %v", n, unread(), err)
	}
	w.wants(w.text("select count(*) from notices where person_id = ? and read_at is null", other.ID), "1")
}

func TestChoosingEmail(t *testing.T) {
	w := newWorld(t)
	owner, other := w.person("Owner", models.BusinessOwner), w.person("Other", models.Reviewer)
	defaults, err := notice.MailChoices(t.Context(), w.db, owner.ID)
	if err != nil || len(defaults.ByGroup) != len(notice.Groups) || defaults.ByGroup["agree"] != notice.Now || defaults.ByGroup["dates"] != notice.Daily {
		t.Fatalf("%+v %v", defaults, err)
	}
	choose := func(by models.Actor, version int64, change map[string]notice.Choice) error {
		all := maps.Clone(defaults.ByGroup)
		maps.Copy(all, change)
		_, err := notice.ChooseMail(t.Context(), w.db, by, notice.ChooseMailCmd{PersonID: owner.ID, Version: version, ByGroup: all})
		return err
	}
	if err := choose(other, 0, nil); !models.IsKind(err, models.KindForbidden) {
		t.Error(err)
	}
	if err := choose(owner, 0, map[string]notice.Choice{"agree": "weekly"}); models.AsError(err).Field("mail_agree") == "" {
		t.Error(err)
	}
	if err := choose(owner, 0, map[string]notice.Choice{"other": notice.Now}); !models.IsKind(err, models.KindBadRequest) {
		t.Error(err)
	}
	w.wants(w.text("select count(*) from mail_choices"), "0")
	if err := choose(owner, 0, map[string]notice.Choice{"agree": notice.Off}); err != nil {
		t.Fatal(err)
	}
	if err := choose(owner, 0, nil); !models.IsKind(err, models.KindConflict) {
		t.Errorf("an older form overwrote a newer one: %v", err)
	}
	if err := choose(owner, 1, map[string]notice.Choice{"agree": notice.Hourly}); err != nil {
		t.Fatal(err)
	}
	w.wants(w.text("select choices->>'agree' || ' ' || version from mail_choices"), "hourly 2")
	w.wants(w.text("select string_agg(after->>'agree', ' ' order by id) from audit_events where action = 'person.mail_chosen'"), "off hourly")
}

func TestMailForAdministrators(t *testing.T) {
	w := newWorld(t)
	box := noticetest.New(t, nil)
	admin, owner := w.person("Admin", models.Admin), w.person("Owner", models.BusinessOwner)
	id, err := notice.SendTest(t.Context(), w.db, admin, notice.SendTestCmd{})
	if err != nil {
		t.Fatal(err)
	}
	again := func() error {
		_, err := notice.SendAgain(t.Context(), w.db, admin, notice.SendAgainCmd{ID: id})
		return err
	}
	if err := again(); !models.IsKind(err, models.KindConflict) {
		t.Error("sent again while it waits", err)
	}
	if err := w.send(notice.Mailer{}, false); err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
	if err := w.send(box.Mailer(), false); err != nil {
		t.Fatal(err)
	}
	w.wants(box.List()[0], "Test message from Countersign for admin@example.test")
	if err := again(); !models.IsKind(err, models.KindConflict) {
		t.Error("sent again after it was sent", err)
	}
	w.mustTell(models.Actor{}, notice.SignatureWanted, "1", owner.ID)
	page, err := notice.Mails(t.Context(), w.db, admin, "waiting", "")
	if err != nil || len(page.Items) != 1 || page.Items[0].About != "Sign revision 3" || page.Items[0].Person != "Owner" {
		t.Errorf("%+v %v", page, err)
	}
	w.wants(w.text("select count(*) from audit_events where object_type = 'mail'"), "2")
}
