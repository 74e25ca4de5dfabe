package ledger

import (
	"fmt"
	"strconv"
	"strings"
)

func ref(kind ReviewKind, id int64) string {
	if kind == ReviewRepeat {
		return fmt.Sprintf("LR-%d", id)
	}
	return fmt.Sprintf("RV-%d", id)
}

// parseRef reads RV-n or LR-n; ok is false for anything else.
func parseRef(text string) (repeat bool, id int64, ok bool) {
	start, number, found := strings.Cut(text, "-")
	id, err := strconv.ParseInt(number, 10, 64)
	if !found || err != nil || id < 1 || number[0] == '+' || number[0] == '0' || start != "RV" && start != "LR" {
		return false, 0, false
	}
	return start == "LR", id, true
}
