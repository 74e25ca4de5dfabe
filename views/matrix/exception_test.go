package matrix

import (
	"fmt"
	"testing"

	"countersign/models/matrix"
)

func TestExceptionSaysWhatWasAgreedBefore(t *testing.T) {
	agreed := func(version int, expected string, effects ...matrix.Effect) matrix.Expectation {
		return matrix.Expectation{Version: version, Decision: matrix.Agree, Expected: expected, Effects: effects}
	}
	task := func(change int) matrix.Effect {
		return matrix.Effect{ControlID: 1, Name: "Create CRM task", Change: change}
	}
	mail := func(change int) matrix.Effect {
		return matrix.Effect{ControlID: 2, Name: "Send confirmation", Change: change}
	}
	declined := agreed(2, "Three tasks.", task(3))
	declined.Decision = matrix.Decline
	now := agreed(3, "Two tasks.", task(2), mail(0))
	var said []string
	for _, c := range newException([]matrix.Expectation{agreed(4, "Later.", task(9)), now, declined, agreed(1, "One task.", task(1))}, now).Changes {
		said = append(said, fmt.Sprintf("%s: %s before, %s since.", c.Label, c.Saved, c.Yours))
	}
	if want := "[Create CRM task: +1 before, +2 since. Send confirmation: not counted before, 0 since. Expected result: “One task.” before, “Two tasks.” since.]"; fmt.Sprint(said) != want {
		t.Errorf("%s", fmt.Sprint(said))
	}
}
