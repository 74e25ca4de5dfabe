package handlers

import "strings"

// device says which browser and system a User-Agent header names, well enough to
// tell one's own browsers apart; "" when it names none that is known.
func device(agent string) string {
	browser := named(agent, [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}})
	system := named(agent, [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}})
	switch {
	case browser == "":
		return system
	case system == "":
		return browser
	}
	return browser + " on " + system
}

func named(agent string, names [][2]string) string {
	for _, n := range names {
		if strings.Contains(agent, n[0]) {
			return n[1]
		}
	}
	return ""
}
