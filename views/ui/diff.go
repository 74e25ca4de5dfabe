package ui

import "countersign/internal/worddiff"

// DiffPart is a piece of a comparison.
type DiffPart = worddiff.Part

// DiffWords compares two texts word by word.
func DiffWords(old, new string) []DiffPart { return worddiff.Words(old, new) }
