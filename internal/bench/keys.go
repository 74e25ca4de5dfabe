package main

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"text/tabwriter"

	"countersign/models/identity"
)

// printKeys measures reading an input and deriving its key against a bare parse
// of the same JSON by encoding/json.
func printKeys() error {
	version := "1"
	rule, err := identity.Compile(identity.Rule{Kind: identity.IntendedEffect, Components: append(identity.ScopeComponents(),
		identity.Component{Name: "request_id", Path: "$.request_id"},
		identity.Component{Name: "approved_version", Path: "$.approved_version", Default: &version})})
	if err != nil {
		return err
	}
	scope := identity.Scope{Environment: "production", Account: "crm-demo-02", Effect: "create-crm-task"}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nkey of an input\tKB\tkeys/s\tallocations\tallocations of a bare parse\ttime against a bare parse\t")
	for _, padding := range []int{0, 20, 200} {
		input := payload(padding)
		bare := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var v any
				if err := json.Unmarshal(input, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
		keyed := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				in, err := identity.ParseInput(input)
				if err != nil || !identity.Derive(rule, scope, in).OK() {
					b.Fatal("no key", err)
				}
			}
		})
		if keyed.N == 0 || bare.N == 0 {
			return fmt.Errorf("the key of a payload of %d bytes was not measured", len(input))
		}
		fmt.Fprintf(w, "%d members\t%.1f\t%s\t%d\t%d\t%.2f\t\n", padding*4+3, float64(len(input))/1024, thousands(int(1e9/keyed.NsPerOp())),
			keyed.AllocsPerOp(), bare.AllocsPerOp(), float64(keyed.NsPerOp())/float64(bare.NsPerOp()))
	}
	return w.Flush()
}

// payload is a made-up notification with lines of an order in it.
func payload(lines int) []byte {
	type line struct {
		Number   int     `json:"number"`
		Service  string  `json:"service"`
		Quantity float64 `json:"quantity"`
		Remark   string  `json:"remark"`
	}
	doc := struct {
		Event   string `json:"event_id"`
		Request string `json:"request_id"`
		Version int    `json:"approved_version"`
		Lines   []line `json:"lines"`
	}{Event: "event-demo-01", Request: "request-demo-01", Version: 2}
	for i := range lines {
		doc.Lines = append(doc.Lines, line{i, "inspection", 1.5, "made up, without personal data"})
	}
	text, _ := json.Marshal(doc) // plain fields only
	return text
}
