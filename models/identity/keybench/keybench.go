// Package keybench measures key derivation against a bare JSON parse of the same
// input, as a ratio. internal/bench calls it.
package keybench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"countersign/models/identity"
)

// Row is one input: medians of both ways.
type Row struct {
	Name                     string
	Bytes                    int
	Derive, Parse, Bare      time.Duration // a key from the text, the reading part of it, encoding/json alone
	DeriveAllocs, BareAllocs float64
}

// PerSecond is how many keys one core makes.
func (r Row) PerSecond() float64 { return float64(time.Second) / float64(r.Derive) }

// Ratio is how much longer a key takes than a bare parse of its input.
func (r Row) Ratio() float64 { return float64(r.Derive) / float64(r.Bare) }

// AllocRatio is the same for allocations.
func (r Row) AllocRatio() float64 { return r.DeriveAllocs / r.BareAllocs }

// inputs are payloads of three sizes, each with the path of its record.
var inputs = []struct{ file, event, record string }{
	{"14-cloudevent.json", "$.body.id", "$.body.subject"},
	{"01-form-first-delivery.json", "$.headers['webhook-id']", "$.body.data.submission_id"},
	{"17-code-host-issue_comment.json", "$.headers['x-delivery-id']", "$.body.comment.id"},
}

var scope = identity.Scope{Environment: "sandbox", Account: "crm-test", Effect: "create-crm-task"}

// Measure reads the payloads in dir (models/identity/testdata/payloads) and
// measures each for about the given time, in turns, so that a slow moment of the
// machine meets all ways.
func Measure(dir string, each time.Duration) ([]Row, error) {
	var rows []Row
	for _, in := range inputs {
		text, err := os.ReadFile(filepath.Join(dir, in.file))
		if err != nil {
			return nil, err
		}
		one := "1"
		rule, err := identity.Compile(identity.Rule{Kind: identity.IntendedEffect, Components: append(identity.ScopeComponents(),
			identity.Component{Name: "event_id", Path: in.event}, identity.Component{Name: "record_id", Path: in.record},
			identity.Component{Name: "version", Path: "$.body.version", Default: &one})})
		if err != nil {
			return nil, err
		}
		row, err := measure(text, rule, each)
		if err != nil {
			return nil, err
		}
		row.Name = in.file
		rows = append(rows, row)
	}
	return rows, nil
}

func measure(text []byte, rule *identity.Compiled, each time.Duration) (Row, error) {
	var failed error
	derive := func() {
		in, err := identity.ParseInput(text)
		if err == nil && !identity.Derive(rule, scope, in).OK() {
			err = errors.New("no key")
		}
		failed = errors.Join(failed, err)
	}
	parse := func() {
		_, err := identity.ParseInput(text)
		failed = errors.Join(failed, err)
	}
	bare := func() {
		var v any
		failed = errors.Join(failed, json.Unmarshal(text, &v))
	}
	var times [3][]time.Duration
	for began := time.Now(); len(times[0]) < 5 || time.Since(began) < each; {
		for i, f := range []func(){derive, parse, bare} {
			const batch = 20
			start := time.Now()
			for range batch {
				f()
			}
			times[i] = append(times[i], time.Since(start)/batch)
		}
		if failed != nil {
			return Row{}, failed
		}
	}
	return Row{Bytes: len(text), Derive: median(times[0]), Parse: median(times[1]), Bare: median(times[2]),
		DeriveAllocs: testing.AllocsPerRun(50, derive), BareAllocs: testing.AllocsPerRun(50, bare)}, failed
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// Print writes the rows as a table.
func Print(w io.Writer, rows []Row) error {
	t := tabwriter.NewWriter(w, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "identity key from\tbytes\tkeys/s\tkey\treading\tbare JSON\tratio\tallocations\tbare\tratio\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%d\t%.0f\t%v\t%v\t%v\t%.2f\t%.0f\t%.0f\t%.2f\t\n", r.Name, r.Bytes, r.PerSecond(),
			r.Derive.Round(100), r.Parse.Round(100), r.Bare.Round(100), r.Ratio(), r.DeriveAllocs, r.BareAllocs, r.AllocRatio())
	}
	return t.Flush()
}
