package retention_test

import (
	"fmt"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/retention"
)

var admin = models.Actor{Name: "Admin", Roles: []models.Role{models.Admin}}

func typed() retention.Typed {
	return retention.Typed{EvidenceDays: "30", EvidenceBasis: "Longer than a resend by hand.", PayloadDays: "14", NoticeDays: "60"}
}

func count(t *testing.T, db *models.DB, sql string) (n int) {
	t.Helper()
	if err := db.Query(t.Context()).Raw(sql).Row().Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func person(t *testing.T, db *models.DB) models.Actor {
	by := admin
	by.ID = int64(count(t, db, "insert into people (email, name) values ('admin@example.test', 'Admin') returning id"))
	return by
}

func TestOnlyAnAdministratorChangesRetention(t *testing.T) {
	db := testdb.New(t)
	by := person(t, db)
	for _, role := range []models.Role{models.BusinessOwner, models.Implementer, models.Reviewer, models.Approver, models.Viewer} {
		other := by
		other.Roles = []models.Role{role}
		if _, err := retention.Change(t.Context(), db, other, retention.ChangeCmd{Typed: typed()}); !models.IsKind(err, models.KindForbidden) {
			t.Errorf("%s: %v", role, err)
		}
	}
	r, err := retention.Of(db.Query(t.Context()))
	if err != nil || r != (retention.Rules{PayloadDays: retention.MostDays, NoticeDays: 90}) {
		t.Errorf("%+v, %v", r, err)
	}
	if n := count(t, db, "select count(*) from audit_events where action = 'retention.changed' and not refused"); n != 0 {
		t.Errorf("%d changes in the audit log", n)
	}
}

func TestRetentionIsCheckedAndGuarded(t *testing.T) {
	db := testdb.New(t)
	by := person(t, db)
	for field, bad := range map[string]retention.Typed{
		"evidence_days":  {EvidenceDays: "0", EvidenceBasis: "x", PayloadDays: "1", NoticeDays: "7"},
		"evidence_basis": {EvidenceDays: "5", PayloadDays: "1", NoticeDays: "7"},
		"payload_days":   {PayloadDays: "3651", NoticeDays: "7"},
		"notice_days":    {PayloadDays: "1", NoticeDays: "6"},
	} {
		_, err := retention.Change(t.Context(), db, by, retention.ChangeCmd{Typed: bad})
		if e := models.AsError(err); e == nil || e.Kind != models.KindInvalid || len(e.Fields) != 1 || e.Fields[0].Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for version := range int64(3) { // the first makes the row
		errs := controltest.AtOnce(4, func(i int) error {
			cmd := retention.ChangeCmd{Typed: typed(), Version: version}
			cmd.NoticeDays = fmt.Sprint(60 + i)
			_, err := retention.Change(t.Context(), db, by, cmd)
			return err
		})
		saved := 0
		for _, err := range errs {
			if err == nil {
				saved++
			} else if !models.IsKind(err, models.KindConflict) {
				t.Error(err)
			}
		}
		r, err := retention.Of(db.Query(t.Context()))
		if err != nil || saved != 1 || r.Version != version+1 || r.EvidenceDays != 30 || r.PayloadDays != 14 || r.NoticeDays < 60 {
			t.Errorf("%d saved: %+v, %v", saved, r, err)
		}
	}
	if n := count(t, db, "select count(*) from audit_events where action = 'retention.changed'"); n != 3 {
		t.Errorf("%d changes in the audit log", n)
	}
}
