package identity

import "fmt"

// checkWindow compares how long each sender may send again with how long the
// other side remembers. Keys kept here are never deleted, so what can be too
// short is the destination's memory and the evidence.
func (c *checker) checkWindow() {
	for _, s := range c.about.Senders {
		if s.RetryHours == nil && s.ResendHours == nil {
			c.addWindow(FoundNoHorizon, s.Name, "",
				fmt.Sprintf("%s: nothing says how long it may send the same event again. Find it in its documentation, or ask.", s.Name), "")
			continue
		}
		horizon := max(value(s.RetryHours), value(s.ResendHours))
		for _, o := range c.about.Operations {
			if o.Documented && o.KeyLifetimeHours != nil && *o.KeyLifetimeHours < horizon {
				c.addWindow(FoundKeyWindow, s.Name, o.Name,
					fmt.Sprintf("%s forgets a key after %s, and %s may send the same event for %s. After that the destination would take a repeat for something new, so look the result up before trying again.",
						o.Name, span(*o.KeyLifetimeHours), s.Name, span(horizon)),
					fmt.Sprintf("event-demo-01, done; the key is kept for %s\nevent-demo-01, sent again after %s: the destination would do it again", span(*o.KeyLifetimeHours), span(horizon)))
			}
		}
		if c.about.EvidenceDays != nil && *c.about.EvidenceDays*24 < horizon {
			c.addWindow(FoundProofWindow, s.Name, "",
				fmt.Sprintf("Evidence is kept for %s, and %s may send the same event for %s. Whoever decides then has nothing to look at, so keep it longer.",
					span(*c.about.EvidenceDays*24), s.Name, span(horizon)),
				fmt.Sprintf("event-demo-01, done; its evidence is kept for %s\nevent-demo-01, sent again after %s: nothing shows what happened", span(*c.about.EvidenceDays*24), span(horizon)))
		}
	}
}

func (c *checker) addWindow(code FindingCode, sender, operation, words, example string) {
	c.findings = append(c.findings, Finding{Key: findingKey(code, sender+"/"+operation), Code: code, Severity: Warn, Words: words, Example: example})
}

func value(hours *int) int {
	if hours == nil {
		return 0
	}
	return *hours
}

// span is a number of hours in words.
func span(hours int) string {
	switch {
	case hours == 1:
		return "1 hour"
	case hours == 24:
		return "1 day"
	case hours > 0 && hours%24 == 0:
		return fmt.Sprintf("%d days", hours/24)
	}
	return fmt.Sprintf("%d hours", hours)
}
