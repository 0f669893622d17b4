// Package questions computes statistics of question files. [Collect] and [Tables] reproduce the paper's Table 2 and
// Figures 2, 5 and 6 for any file, and [Lint] finds questions that cannot be scored as written. Start from [Read]. It
// runs nothing, calls no model and prints nothing (package render does).
package questions

import (
	"errors"
	"fmt"

	"airqa/eval/author"
	"airqa/qa/dataset"
)

// Item is a question and its position in a file.
type Item = author.Question

// File is the content of a file or folder of questions.
type File struct {
	Path  string
	Items []Item
	// Faults are format errors, without the evaluators' faults.
	Faults []*dataset.Fault
	// Reading is how the file was read: its form, and what was guessed and lost.
	Reading []string
	// Unanswered is an error if no question has an answer or an evaluator.
	Unanswered error
}

// ErrNone is returned by [Read] with a [File] that has faults but no questions.
var ErrNone = errors.New("no readable question")

// Read loads a question file in any form, or a folder of *.json files, with the line of each question. find returns the
// papers that it names; nil finds UUIDs only.
func Read(path string, find author.Finder) (File, error) {
	f := File{Path: path}
	var c author.Conversion
	for item, err := range author.Convert(path, author.Options{Find: find}, &c) {
		if err != nil {
			return f, err
		}
		f.Items = append(f.Items, item)
	}
	f.Faults = c.Faults(author.NotConverted, author.Incomplete)
	f.Reading = c.Summary(author.Form, author.Guessed, author.Lost, author.NoPaper)
	f.Unanswered = c.Unanswered(path)
	if len(f.Items) == 0 {
		return f, fmt.Errorf("%s holds %w", path, ErrNone)
	}
	return f, nil
}

// Unread returns the number of unreadable records.
func (f File) Unread() int {
	places := make(map[string]bool)
	for _, fault := range f.Faults {
		if !fault.Loaded {
			places[fmt.Sprintf("%s:%d", fault.File, fault.Line)] = true
		}
	}
	return len(places)
}
