package api

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"time"

	"countersign/models"

	"github.com/danielgtaylor/huma/v2"
)

// seconds is a whole number of seconds, however JSON writes it: 60, 60.0 or 6e1.
type seconds int

// Schema is what the OpenAPI document says about seconds; the field says which.
func (seconds) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64"}
}

// UnmarshalJSON takes every number without a fraction.
func (s *seconds) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return models.BadRequestf("Send a whole number of seconds.")
	}
	*s = seconds(n)
	return nil
}

// lease is the number of seconds asked for; 0 for the usual.
func lease(asked *seconds) int {
	if asked == nil {
		return 0
	}
	return int(*asked)
}

// inWords tells what no reader of the API knows, such as types of this program,
// in words that name the member; nil when err is about something else.
func inWords(err error) error {
	var wrong *json.UnmarshalTypeError
	var when *time.ParseError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return models.BadRequestf("Send %s in the form that the reference shows.", wrong.Field)
	case errors.As(err, &wrong):
		return models.BadRequestf("Send the body in the form that the reference shows.")
	case errors.As(err, &when):
		return models.BadRequestf("Send a time such as 2026-05-31T09:30:00Z.")
	}
	return nil
}
