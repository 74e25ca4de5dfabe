// Package migrations embeds the database schema as goose SQL files.
//
// A file that has been released never changes; a correction is a new file.
package migrations

import "embed"

// FS holds the numbered SQL files, oldest first by name.
//
//go:embed *.sql
var FS embed.FS
