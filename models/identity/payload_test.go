package identity

import (
	"os"
	"path/filepath"
	"testing"
)

func payload(t testing.TB, name string) Input {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/payloads", name))
	if err != nil {
		t.Fatal(err)
	}
	return mustInput(t, string(b))
}

// family is the rules that fit the payloads of one kind of sender.
func family(t testing.TB, event, record string, more ...Component) Set {
	t.Helper()
	s, err := NewSet(rule(TransportEvent, field("event_id", event)), rule(BusinessRecord, field("record_id", record)),
		effect(append([]Component{field("record_id", record)}, more...)...), rule(LegitimateRepeat, append([]Component{field("record_id", record)}, more...)...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func formRules(t testing.TB) Set {
	return family(t, "$.headers['webhook-id']", "$.body.data.submission_id", Component{Name: "version", Path: "$.body.data.approved_version", Default: ptr("1")})
}

func TestPayloadPairs(t *testing.T) {
	const first = "01-form-first-delivery.json"
	for _, c := range []struct {
		a, b string
		code VerdictCode
	}{
		{first, first, SameDelivery},
		{first, "02-form-same-event-again.json", SameDelivery},
		{first, "03-form-same-person-new-request.json", RepeatVerdict},
		{first, "04-form-approved-revision.json", RepeatVerdict},
		{first, "05-form-missing-request-id.json", ToReview},
		{first, "06-form-event-id-reused-for-other-request.json", ToReview},
		{"07-form-big-integer-id.json", "08-form-same-id-as-text.json", RepeatVerdict},
		{first, "09-form-decomposed-unicode-id.json", RepeatVerdict},
		{first, "15-hostile-nesting.json", ToReview},
		{first, "10-payment-invoice-paid.json", ToReview},
	} {
		v := Compare(formRules(t), Side{sandbox, payload(t, c.a)}, Side{sandbox, payload(t, c.b)})
		if v.Code != c.code {
			t.Errorf("%s and %s: %s %q, want %s", c.a, c.b, v.Code, v.Words, c.code)
		}
	}
}

func TestEveryPayloadHasItsRules(t *testing.T) {
	form := formRules(t)
	host := func(record string) Set { return family(t, "$.headers['x-delivery-id']", record) }
	rules := map[string]Set{
		"01-form-first-delivery.json": form, "02-form-same-event-again.json": form, "03-form-same-person-new-request.json": form, "04-form-approved-revision.json": form,
		"05-form-missing-request-id.json": form, "06-form-event-id-reused-for-other-request.json": form, "07-form-big-integer-id.json": form, "08-form-same-id-as-text.json": form,
		"09-form-decomposed-unicode-id.json": form, "15-hostile-nesting.json": form,
		"10-payment-invoice-paid.json": family(t, "$.body.id", "$.body.data.object.id"), "11-shop-order-updated.json": family(t, "$.headers['x-shop-event-id']", "$.body.id", field("updated_at", "$.body.updated_at")),
		"12-calendar-booking-rescheduled.json": family(t, "$.body.payload.uri", "$.body.payload.scheduled_event.uri"), "13-crm-batch-of-events.json": family(t, "$.body[1].eventId", "$.body[-1].objectId"),
		"14-cloudevent.json":       family(t, "$.body.id", "$.body.subject", field("version", "$.body.data.approved_version")),
		"16-code-host-issues.json": host("$.body.issue.id"), "17-code-host-issue_comment.json": host("$.body.comment.id"),
		"18-code-host-push.json": host("$.body.after"), "19-code-host-deployment.json": host("$.body.deployment.id"),
	}
	want := map[string]string{
		"07-form-big-integer-id.json":        `record_id=9007199254740993|version=1`,
		"08-form-same-id-as-text.json":       `record_id="9007199254740993"|version=1`,
		"09-form-decomposed-unicode-id.json": `record_id="démo-été-01"|version=1`,
		"10-payment-invoice-paid.json":       `record_id="in_demo_0001"`,
		"11-shop-order-updated.json":         `record_id=820982911946154508|updated_at="2026-11-29T10:00:00-05:00"`,
		"13-crm-batch-of-events.json":        `record_id=123`,
		"14-cloudevent.json":                 `record_id="request-demo-01"|version=3`,
		"16-code-host-issues.json":           `record_id=444500041`,
	}
	files, err := filepath.Glob("testdata/payloads/*.json")
	if err != nil || len(files) != len(rules) {
		t.Fatal(files, err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		side := Side{sandbox, payload(t, name)}
		v := Compare(rules[name], side, side)
		made := v.Of(IntendedEffect).A
		switch name {
		case "05-form-missing-request-id.json", "15-hostile-nesting.json":
			if v.Code != ToReview || made.OK() {
				t.Errorf("%s: %s", name, v.Code)
			}
			continue
		}
		if v.Code != SameDelivery || !made.OK() {
			t.Errorf("%s: %s %s", name, v.Code, v.Words)
		}
		const start = `cs1:intended_effect:environment="sandbox"|account="crm-test"|effect="create-crm-task"|`
		if w := want[name]; w != "" && made.Key != start+w {
			t.Errorf("%s: %s", name, made.Key)
		}
	}
}
