package api

import "github.com/danielgtaylor/huma/v2/validation"

// What a schema asks for, as something to do.
func init() {
	validation.MsgUnexpectedProperty = "Remove this member, or correct its name. It is not known here."
	validation.MsgExpectedRequiredProperty = "Add the member %s."
	validation.MsgExpectedString = "Send text."
	validation.MsgExpectedInteger = "Send a whole number."
	validation.MsgExpectedNumber = "Send a number."
	validation.MsgExpectedBoolean = "Send true or false."
	validation.MsgExpectedArray = "Send a list."
	validation.MsgExpectedObject = "Send a JSON object."
	validation.MsgExpectedOneOf = "Send one of: %s."
	validation.MsgExpectedMinLength = "Send %d characters at least."
	validation.MsgExpectedMaxLength = "Shorten this to %d characters."
	validation.MsgExpectedMinimumNumber = "Send %v at least."
	validation.MsgExpectedMaximumNumber = "Send %v at most."
	validation.MsgExpectedMaxItems = "Send %d items at most."
	validation.MsgExpectedMinItems = "Send %d items at least."
	validation.MsgExpectedRFC3339DateTime = "Send a time as in RFC 3339, such as 2026-05-04T10:00:00Z."
	validation.MsgExpectedMatchAtLeastOneSchema = "Send text or a number."
}
