// Package browser opens the real application in a real Chromium and does what
// people do: it presses buttons by the words on them, fills fields by their
// labels and looks at what is on the screen. The tests of this package are whole
// journeys and a walk over every page; internal/shots takes pictures with it.
//
//	go run ./internal/withpg -- go test ./internal/browser
//
// CHROME names another Chromium or Chrome than the one in PATH.
package browser

// Reporter is told when something on the screen is not as it should be. A
// testing.TB is one.
type Reporter interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(f func())
}
