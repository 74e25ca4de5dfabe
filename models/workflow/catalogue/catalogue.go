// Package catalogue holds what providers document about repeating a call and
// about the notifications they send, to start from. Each fact has its source;
// none counts as checked until a person says so about their own operation or
// sender, and nothing is carried from one entry to another.
//
// It is a package of its own because it is made from files and knows no
// database: the files, the words for them and what a form starts with.
package catalogue

import (
	"bytes"
	"embed"
	"fmt"
	"sync"

	"countersign/models"

	"go.yaml.in/yaml/v4"
)

// Source is where the facts of an entry were read, and how far to trust them.
type Source struct {
	Title      string `yaml:"source_title"`
	Address    string `yaml:"source_url"` // of a page, or the name of a package
	Confidence string
	Caveats    string
}

// Operation is one call on one provider's API. Texts that start with
// "not_documented" or "not read" say that the source is silent.
type Operation struct {
	ID                string `yaml:"-"` // from provider and operation; unique in the catalogue
	Provider          string
	Operation         string
	Mechanism         string
	Field             string
	KeyLifetime       string `yaml:"key_lifetime"`
	RepeatReturns     string `yaml:"repeat_returns"`
	ConflictBehaviour string `yaml:"conflict_behaviour"`
	Lookup            string
	Source            `yaml:",inline"`
}

// Sender is one source of notifications. Its texts are silent like an Operation's.
type Sender struct {
	ID           string `yaml:"-"` // from the sender's name; unique in the catalogue
	Sender       string
	EventID      string `yaml:"event_id"`
	Duplicates   string
	Ordering     string
	Retries      string
	Signature    string
	VersionField string `yaml:"version_field"`
	Source       `yaml:",inline"`
}

// Mechanisms by which a call recognises a repeat.
const (
	IdempotencyKey     = "idempotency_key"
	ClientSuppliedID   = "client_supplied_id"
	UpsertByExternalID = "upsert_by_external_id"
	DedupWindow        = "dedup_window"
	ConditionalWrite   = "conditional_write"
	NoneDocumented     = "none_documented"
)

// Mechanisms in the order a filter offers them.
var Mechanisms = []string{IdempotencyKey, ClientSuppliedID, UpsertByExternalID, DedupWindow, ConditionalWrite, NoneDocumented}

// How far the facts of an entry were read in the provider's own words.
const (
	Verified = "verified"
	Partly   = "partly"
)

//go:embed destinations.yaml senders.yaml
var files embed.FS

type shelf struct {
	operations []Operation
	senders    []Sender
}

var all = sync.OnceValue(func() (s shelf) {
	for name, into := range map[string]any{"destinations.yaml": &s.operations, "senders.yaml": &s.senders} {
		if err := read(name, into); err != nil {
			panic(err) // the files are part of the program, and a test reads them
		}
	}
	for i, o := range s.operations {
		s.operations[i].ID = models.Slugify(o.Provider + " " + o.Operation)
	}
	for i, o := range s.senders {
		s.senders[i].ID = models.Slugify(o.Sender)
	}
	return s
})

func read(name string, into any) error {
	b, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	if err := decode(b, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// decode refuses a field that no entry has, so that a misspelt one is not lost.
func decode(b []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	return d.Decode(into)
}

// FindOperation returns the operation with id; NotFound when there is none.
func FindOperation(id string) (Operation, error) {
	for _, o := range all().operations {
		if o.ID == id {
			return o, nil
		}
	}
	return Operation{}, models.NotFoundf("The catalogue has no such operation.")
}

// FindSender returns the sender with id; NotFound when there is none.
func FindSender(id string) (Sender, error) {
	for _, s := range all().senders {
		if s.ID == id {
			return s, nil
		}
	}
	return Sender{}, models.NotFoundf("The catalogue has no such sender.")
}
