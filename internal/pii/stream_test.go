package pii

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// all runs a stream over text in pieces of at most n bytes.
func all(text string, n int) (found []Found) {
	s := NewStream(func(f Found) { found = append(found, f) })
	for rest := text; rest != ""; {
		size := min(n, len(rest))
		_, _ = s.Write([]byte(rest[:size]))
		rest = rest[size:]
	}
	_ = s.Close()
	return found
}

func TestStreamFindsByName(t *testing.T) {
	for text, want := range map[string]string{
		`{"customer": {"name": "Ada Example"}, "title": "New Task"}`:            "person Ada Example",
		"{\n \"first_name\" : \"Ada\",\n \"event_name\": \"order created\"}":    "person Ada",
		`{"customer_name": "customer-demo-01", "company": null}`:                "",
		`{"companies": [{"id": 1}], "company_name":"Example Ltd."}`:             "company Example Ltd.",
		`{"phone": "555-0147", "postcode":"AB1 2CD", "zip": 90210}`:             "phone 555-0147|address AB1 2CD|address 90210",
		`level=info customer_name="Ada Example" user=demo last_name=Exampleton`: "person Ada Example|person Exampleton",
		`{"email": "[removed: e-mail address]", "email_verified": true}`:        "",
		`{"msg": "said \"first_name\"", "last_name": "O'Neil-Example"}`:         "person O'Neil-Example",
		"id,first_name,city\n1,Ada,Paris\n2,\"Ada, Example\",Rome\n3,,\n4,Bo":   "person Ada|person Ada, Example|person Bo",
		"id;mobile\r\n1;12 34 56 78\r\n":                                        "phone 12 34 56 78",
		"id,title\n1,Ada\n":                                                     "",
		"name: Ada Example":                                                     "",
		`{"date_of_birth":"1990-02-03","pan":"1234567890123456"}`:               "birth 1990-02-03|card 1234567890123456",
		"to person@example.test, then 4111 1111 1111 1111":                      "email person@example.test|card 4111 1111 1111 1111",
	} {
		for _, n := range []int{1, 7, 1 << 20} {
			var got []string
			for _, f := range all(text, n) {
				got = append(got, string(f.Kind)+" "+text[f.Offset:f.Offset+int64(f.Length)])
			}
			if s := strings.Join(got, "|"); s != want {
				t.Errorf("%s\n got %q\nwant %q", text, s, want)
			}
		}
	}
}

func TestStreamSaysWhere(t *testing.T) {
	text := "é\n\nümlaut person@example.test\n{\"é\":1, \"first_name\": \"Ada\"}"
	found := all(text, 5)
	if len(found) != 2 || found[0].Line != 3 || found[0].Column != 8 || found[1].Line != 4 || found[1].Column != 24 {
		t.Errorf("%+v", found)
	}
}

// A stream finds at every cut what it finds elsewhere.
func TestStreamAcrossWindows(t *testing.T) {
	for _, filler := range []string{"x ", "é ", "word\n", "long-word-", `{"a":"b"},`} {
		for _, secret := range []string{"person@example.test", `person\u0040example.test`, "person＠example.test", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "221B Old Baker St", `{"first_name":"Ada"}`} {
			for _, around := range []int{window, 2 * window, window - overlap, window - overlap/2} {
				lead := strings.Repeat(filler, (around-10)/len(filler))
				for shift := range 2 {
					text := lead + strings.Repeat(" ", 3*shift) + " " + secret + " " + strings.Repeat(filler, 1000)
					found := all(text, 10000)
					if len(found) != 1 {
						t.Fatalf("%q %q around %d by %d: %d found %+v", filler, secret, around, shift, len(found), found)
					}
					f := found[0]
					before := text[:f.Offset]
					line, column := strings.Count(before, "\n")+1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])+1
					if got := text[f.Offset : f.Offset+int64(f.Length)]; got != secret && got != "Ada" || f.Line != line || f.Column != column {
						t.Fatalf("%q at %d:%d, want %d:%d", got, f.Line, f.Column, line, column)
					}
				}
			}
		}
	}
}

func TestStreamDoesNotDependOnTheCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a@b.cd", " ", "\n", "4111 1111 1111 1111", "\"first_name\": \"Ada\"", "{", "}", ",", "\"", "\\", "é", "+1 202 555 0147", "1", "x", "name=", strings.Repeat("y", 900)}
	for range 20 {
		var b strings.Builder
		for b.Len() < 3*window {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		whole := all(b.String(), 1<<20)
		if len(whole) < 100 {
			t.Fatalf("only %d found", len(whole))
		}
		if cut := all(b.String(), 1+random.IntN(5000)); !slices.Equal(whole, cut) {
			t.Fatal("another cut finds something else")
		}
	}
}

func TestStreamIsFast(t *testing.T) {
	for _, line := range []string{
		"2026-05-08T14:02:11Z level=info event=event-demo-01 request=request-demo-01 status=201 took=12ms\n",
		`{"event_id":"event-demo-01","request_id":"request-demo-01","approved_version":3,"note":"nothing else"},`,
		"1", "1 ", "a@b.cd ", "\"", "Via ", "12 Baker ",
	} {
		text := strings.Repeat(line, (1<<20)/len(line))
		begun := time.Now()
		found := 0
		s := NewStream(func(Found) { found++ })
		_, _ = s.Write([]byte(text))
		_ = s.Close()
		took := time.Since(begun)
		t.Logf("%.20q: %.1f MB/s, %d found", line, float64(len(text))/1e6/took.Seconds(), found)
		if took > 5*time.Second {
			t.Errorf("%q: %s", line, took)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add("a@b.cd\n{\"first_name\":\"Ada\"}", 3)
	f.Add("a,email\n1,\"x\"\"\n", 1)
	f.Fuzz(func(t *testing.T, text string, n int) {
		last := int64(0)
		found := all(text, 1+max(n, 0)%100)
		for _, h := range found {
			if h.Offset < last || h.Length <= 0 || h.Offset+int64(h.Length) > int64(len(text)) {
				t.Fatalf("%q: %+v", text, h)
			}
			last = h.Offset + int64(h.Length)
		}
	})
}
