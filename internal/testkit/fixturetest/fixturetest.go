// Package fixturetest has what tests know of the sample papers in fixtures: [Truth], their true structure according to
// LaTeX, and [Gold], a right answer to each question.
package fixturetest

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
)

//go:embed truth/*.json
var truths embed.FS

//go:embed gold.jsonl
var gold []byte

// The slugs in the order of their conferences: three of amac2031, three of nclm2032.
var slugs = []string{"anchorweave", "lumenparse", "tallow", "prunella", "quorumread", "saltmarsh"}

// Slugs returns the short names of the papers: three of amac2031, then three of nclm2032. The caller owns the slice.
func Slugs() []string { return slices.Clone(slugs) }

// Gold returns one line {"uuid", "answer"} for each line of the questions, in the same order. An answer is a JSON value of
// the type that its question requires. The caller owns the bytes.
func Gold() []byte { return slices.Clone(gold) }

// Truth returns the true structure of a paper. An unknown slug is an error that wraps fs.ErrNotExist.
func Truth(slug string) (Paper, error) {
	var p Paper
	data, err := truths.ReadFile("truth/" + slug + ".json")
	if err != nil {
		return p, fmt.Errorf("read truth of %q: %w", slug, err)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("decode truth of %q: %w", slug, err)
	}
	return p, nil
}
