package environments

import "strconv"

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
