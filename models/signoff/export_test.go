package signoff

// Nearest is for the tests.
var Nearest = nearest
