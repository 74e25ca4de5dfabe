package control

// Overclaims reports whether an answer promises more than anybody can.
func Overclaims(text string) bool { return overclaim.MatchString(text) }
