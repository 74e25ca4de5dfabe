package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/models"
)

// Entry is one line of a request's history.
type Entry struct {
	Kind  string // asked, told, decision, refused, saw, started, ended
	What  string // the decision, the level, the state
	Who   string // "" for Countersign itself
	For   string // whom a delegate stood for
	Words string // the note, the reason, why it was refused
	Ticks []string
	Bound string // of an approval, in words: what it covers
	At    time.Time
}

// history gathers what happened to a request, oldest first.
func (p *Page) history(ctx context.Context, db *models.DB) func(*file) error {
	return func(f *file) error {
		var rows []struct {
			Kind, What, Who, For, Words, Ticks, Seen string
			At                                       time.Time
		}
		err := db.Query(ctx).Raw(`
select 'decision' as kind, d.decision as what, p.name as who, coalesce(x.name, '') as for, d.note as words, d.acknowledged::text as ticks, d.seen, d.at
from decisions d join people p on p.id = d.person_id left join people x on x.id = d.for_person_id where d.request_id = @id
union all select 'told', l.number::text, '', '', '', '[]', '', l.told_at from request_levels l where l.request_id = @id and l.told_at is not null
union all (select 'refused', t.what, coalesce(p.name, k.name, ''), '', t.why, '[]', '', t.at from refused_tries t left join people p on p.id = t.person_id left join tokens k on k.id = t.token_id
	where t.request_id = @id order by t.id desc limit 100)
union all select 'saw', '', p.name, '', '', '[]', v.seen, v.at from request_views v join people p on p.id = v.person_id where v.request_id = @id
order by at`, map[string]any{"id": f.ID}).Scan(&rows).Error
		if err != nil {
			return err
		}
		seen, err := p.seenWords(ctx, db, f.ActionID)
		if err != nil {
			return err
		}
		p.History = []Entry{{Kind: "asked", Who: p.AskedByName, For: p.AskedForName, Words: f.Reason, At: f.AskedAt}}
		for _, r := range rows {
			e := Entry{Kind: r.Kind, What: r.What, Who: r.Who, For: r.For, Words: r.Words, At: r.At}
			if err := json.Unmarshal([]byte(r.Ticks), &e.Ticks); err != nil {
				return err
			}
			switch {
			case e.Kind == "saw":
				e.Words = seen(r.Seen)
			case r.Seen != "":
				e.Bound = seen(r.Seen)
			}
			p.History = append(p.History, e)
		}
		if p.Attempt != nil {
			p.History = append(p.History, Entry{Kind: "started", Who: p.Attempt.By, Words: p.Attempt.Worker, At: p.Attempt.StartedAt})
		}
		if f.ClosedAt != nil && f.Ending != "" {
			p.History = append(p.History, Entry{Kind: "ended", What: string(f.State), Words: f.Ending, At: *f.ClosedAt})
		}
		slices.SortStableFunc(p.History, func(a, b Entry) int { return a.At.Compare(b.At) })
		return nil
	}
}

// seenWords returns what turns the text of what somebody saw into words.
func (p *Page) seenWords(ctx context.Context, db *models.DB, action int64) (func(string) string, error) {
	var attempts []struct{ ID, Number int64 }
	if err := db.Query(ctx).Raw("select id, number from attempts where action_id = ? order by id desc limit 200", action).Scan(&attempts).Error; err != nil {
		return nil, err
	}
	return func(text string) string {
		s, ok := ParseSeen(text)
		if !ok {
			return ""
		}
		words := fmt.Sprintf("the outcome %s", s.Outcome)
		for _, a := range attempts {
			if a.ID == s.Attempt {
				words = fmt.Sprintf("attempt %d, %s", a.Number, words)
			}
		}
		if s.Lookup == 0 {
			words += ", no lookup"
		}
		for _, l := range p.Lookups {
			if l.ID == s.Lookup {
				words += fmt.Sprintf(", the lookup of %s UTC that said %s", l.At.UTC().Format("2 January 2006, 15:04"), strings.ReplaceAll(l.Result, "_", " "))
			}
		}
		return words + ", the identity rule " + s.Rule[:min(8, len(s.Rule))]
	}, nil
}

// Did says a line of the history in words.
func (e Entry) Did() string {
	switch e.Kind {
	case "asked":
		return "Asked to try it again"
	case "told":
		return "Level " + e.What + " was asked"
	case "saw":
		return "Opened it"
	case "started":
		return "The attempt was started"
	case "ended":
		return map[string]string{string(Expired): "Expired", string(Lapsed): "Lapsed", string(Overtaken): "Overtaken", string(Finished): "Finished"}[e.What]
	case "refused":
		return "Was refused to " + e.What
	}
	return map[string]string{string(Approve): "Approved one attempt", string(Reject): "Rejected it", string(Return): "Returned it for evidence",
		string(Supply): "Supplied evidence", string(Withdraw): "Withdrew it"}[e.What]
}

// WhoWords names who did it, and for whom.
func (e Entry) WhoWords() string {
	if e.For != "" {
		return fmt.Sprintf("%s for %s", e.Who, e.For)
	}
	return e.Who
}
