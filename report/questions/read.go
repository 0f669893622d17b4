// Package questions computes statistics of question files. [Collect] and [Tables] reproduce the paper's Table 2 and
// Figures 2, 5 and 6 for any file, and [Lint] finds questions that cannot be scored as written. Start from [Read]. It
// runs nothing, calls no model and prints nothing (package render does).
package questions

import (
	"errors"
	"fmt"

	"airqa/eval/author"
)

// ErrNone is returned by [Read] with a file that has faults but no questions.
var ErrNone = errors.New("no readable question")

// Read loads a question file in any form, or a folder of *.json files, with the line of each question. find returns the
// papers that it names; nil finds UUIDs only.
func Read(path string, find author.Finder) (author.File, error) {
	f, err := author.Load(path, author.Options{Find: find})
	switch {
	case errors.Is(err, author.ErrNone):
		return f, fmt.Errorf("%s holds %w", path, ErrNone)
	case err != nil:
		return author.File{}, err
	}
	return f, nil
}
