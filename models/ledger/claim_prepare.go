package ledger

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"countersign/models"
	"countersign/models/identity"
)

// prepared is a claim ready for the statement.
type prepared struct {
	row      claimRow
	place    *place
	secret   string // the claim token is made from it and the nonce
	warnings []Warning
	missing  []identity.Reason
}

// prepare checks cmd and derives its keys under what p says.
func (p *place) prepare(by Caller, cmd ClaimCmd) (prepared, error) {
	var c models.Check
	worker, lease := checkWorker(&c, cmd.Worker, cmd.LeaseSeconds)
	c.Line("approved_version", cmd.Version, MaxVersion)
	if cmd.Delivery < 0 {
		c.Add("delivery_id", "Enter the delivery_id that a delivery was answered with.")
	}
	repeat := int64(0)
	if cmd.Repeat != "" {
		isRepeat, id, ok := parseRef(cmd.Repeat)
		if repeat = id; !ok || !isRepeat {
			c.Add("repeat", "Enter the reference of an approved legitimate repeat, such as LR-7.")
		}
	}
	in, err := identity.ParseInput(cmd.Input)
	var unreadable *identity.InputError
	switch {
	case len(bytes.TrimSpace(cmd.Input)) == 0:
		c.Add("input", "Enter the input, one JSON document.")
	case errors.As(err, &unreadable):
		c.Add("input", "%s", unreadable.Words)
	case err != nil:
		return prepared{}, err
	}
	version, order, ok := cmd.Version, p.VersionOrder, true
	if _, ok = versionRank(order, version); !ok {
		c.Add("approved_version", "Enter the version as %s.", versionWords(order))
	}
	if err := c.Err(); err != nil {
		return prepared{}, err
	}

	out := prepared{place: p}
	version, warning := p.statedVersion(cmd, in)
	if warning != nil {
		out.warnings = append(out.warnings, *warning)
	}
	rankText, _ := versionRank(order, version)
	record, bare := p.recordOf(in)
	digest := identity.InputDigest(cmd.Input)
	out.row = claimRow{Control: p.Control, Environment: p.Environment, Workflow: p.Workflow, Destination: p.Destination, Revision: p.Revision.ID, Stamp: p.Stamp,
		Reaches: p.Reaches, Approved: p.Approved > 0, Observe: p.observe, Version: version, Rank: rankOf(rankText), Ordering: order, Record: record, Bare: bare,
		Delivery: cmd.Delivery, Worker: worker, Lease: lease, Repeat: repeat, Token: by.Token, Asker: by.Person.ID, Input: hex.EncodeToString(digest[:])}
	if p.HasRule {
		out.row.Rule = &p.rules[0].id
		out.keys(p, in, cmd.Repeat)
	}
	out.token(cmd.Once)
	return out, nil
}

// statedVersion is the version that a claim states: in so many words, or in its
// input at the place that the sender documents. A delivery's is added later.
func (p *place) statedVersion(cmd ClaimCmd, in identity.Input) (string, *Warning) {
	if p.versionPath == "" {
		return cmd.Version, nil
	}
	text, ok := identity.TextAt(in, p.versionPath)
	if !ok || text == "" || len(text) > MaxVersion {
		return cmd.Version, nil
	}
	read, ok := versionRank(p.VersionOrder, text)
	if cmd.Version != "" {
		if stated, _ := versionRank(p.VersionOrder, cmd.Version); !ok || *rankOf(read) != *rankOf(stated) {
			return cmd.Version, &Warning{"version_differs", fmt.Sprintf("approved_version is %s, and the input says another one at %s. approved_version counts.", cmd.Version, p.versionPath)}
		}
		return cmd.Version, nil
	}
	if !ok {
		return "", &Warning{"version_unread", fmt.Sprintf("The version at %s is not %s, so it was not compared with the newest of this record.", p.versionPath, versionWords(p.VersionOrder))}
	}
	return text, nil
}

// recordOf is the business record of an input, in the words of a delivery's
// business_record_id where the rule reads one value, which bare says; "" when
// there is none, or one with a control character, which no page could address.
func (p *place) recordOf(in identity.Input) (record string, bare bool) {
	if p.record == nil {
		return "", false
	}
	made := identity.Derive(p.record, p.scope(), in)
	text, ok := identity.Bare(p.record, made)
	if !ok {
		text = made.Key
	}
	if len([]rune(text)) > MaxID || strings.ContainsFunc(text, unicode.IsControl) {
		return "", false
	}
	return text, ok
}

// keys derives the key under the serving rule and under every other rule that
// may have actions, which may find one although the serving rule makes no key.
func (c *prepared) keys(p *place, in identity.Input, repeat string) {
	for i, rule := range p.rules {
		made := identity.Derive(rule.compiled, p.scope(), in)
		if !made.OK() {
			if i == 0 {
				c.missing = made.Reviews
				var words []string
				for _, r := range made.Reviews {
					words = append(words, r.Words)
				}
				text := strings.Join(words, " ")
				c.row.Missing = &text
			}
			continue // this rule says nothing about this input
		}
		key := made.Key
		if repeat != "" {
			c.row.Base = append(c.row.Base, keyOf(rule.id, key))
			key = identity.RepeatKey(key, repeat)
		}
		c.row.Keys = append(c.row.Keys, keyOf(rule.id, key))
		if i == 0 {
			c.row.Key = key
			c.defaults(made.Parts)
		}
	}
}

// defaults warns of each declared default that stands in the key for what the
// input does not say.
func (c *prepared) defaults(parts []identity.Part) {
	for _, part := range parts {
		if part.FromDefault {
			c.warnings = append(c.warnings, Warning{"default_used", fmt.Sprintf("The input does not say %s, so its default stands in the key: %s.", part.Name, part.Value)})
		}
	}
}

func keyOf(rule int64, key string) keyRow {
	digest := identity.KeyDigest(key)
	return keyRow{rule, hex.EncodeToString(digest[:])}
}

func checkWorker(c *models.Check, worker string, lease int) (string, int) {
	worker = models.Clean(worker)
	c.Required("worker", worker, MaxID, "Enter worker, a name that is unique for each execution.")
	c.Line("worker", worker, MaxID)
	if lease == 0 {
		lease = DefaultLease
	}
	if lease < MinLease || lease > MaxLease {
		c.Add("lease_seconds", "Enter lease_seconds between %d and %d.", MinLease, MaxLease)
	}
	return worker, lease
}
