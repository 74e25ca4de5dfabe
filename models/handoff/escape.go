package handoff

import (
	"regexp"
	"strings"
)

// listMark begins a list or underlines a heading.
var listMark = regexp.MustCompile(`^([0-9]*)([-+=.)])`)

var escapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "~", `\~`, "&", `\&`, "#", `\#`)

// inline is text on one line that Markdown shows as it is.
func inline(text string) string {
	return strings.TrimSpace(escapes.Replace(strings.Join(strings.Fields(text), " ")))
}

// cell is inline for a table; an empty one keeps its place.
func cell(text string) string {
	if text = inline(text); text == "" {
		return " "
	}
	return text
}

// quote is text of several lines as a quotation, line breaks kept.
func quote(text string) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		line = escapes.Replace(strings.TrimSpace(line))
		line = listMark.ReplaceAllString(line, `$1\$2`)
		lines = append(lines, strings.TrimRight("> "+line, " ")+"\\")
	}
	lines[len(lines)-1] = strings.TrimSuffix(lines[len(lines)-1], "\\")
	for i, line := range lines {
		if line == ">\\" { // an empty line is a paragraph of its own
			lines[i] = ">"
			if i > 0 {
				lines[i-1] = strings.TrimSuffix(lines[i-1], "\\")
			}
		}
	}
	return strings.Join(lines, "\n")
}

// code is an identifier in a code span that its own backquotes cannot end.
func code(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}
