package signoff

import (
	"encoding/json"
	"time"

	"countersign/models/control"
)

// terms are the answers the gate and the lists need, read from a content.
type terms struct {
	ReviewDate *time.Time
	Mode       *string
	Retries    *int
}

func termsOf(c control.Content) terms {
	var mode struct{ Mode *string }
	var retries struct{ Number *int }
	if a, _ := c.Answer("mode"); a.State == control.Answered {
		_ = json.Unmarshal(a.Data, &mode)
	}
	if a, _ := c.Answer("automatic_retries"); a.State == control.Answered {
		_ = json.Unmarshal(a.Data, &retries)
	}
	return terms{ReviewDate: reviewDate(c), Mode: mode.Mode, Retries: retries.Number}
}

func reviewDate(c control.Content) *time.Time {
	var data struct{ Date string }
	a, _ := c.Answer("review_date")
	if a.State != control.Answered || json.Unmarshal(a.Data, &data) != nil {
		return nil
	}
	d, err := time.Parse(time.DateOnly, data.Date)
	if err != nil {
		return nil
	}
	return &d
}
