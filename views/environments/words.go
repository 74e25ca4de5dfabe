package environments

import (
	"strconv"
	"strings"
)

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }
