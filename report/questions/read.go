package questions

import (
	"errors"
	"fmt"

	"airqa/qa"
	"airqa/qa/dataset"
)

// Item is a question and its position in a file.
type Item struct {
	qa.Example
	File string
	Line int // from 1
}

// File is the content of a file or folder of questions.
type File struct {
	Path  string
	Items []Item
	// Faults are format errors, without the evaluators' faults.
	Faults []*dataset.Fault
}

// ErrNone is returned by [Read] with a [File] that has faults but no questions.
var ErrNone = errors.New("no readable question")

// Read loads a JSON Lines file, or a folder of *.json files, with the line of each question.
func Read(path string) (File, error) {
	f := File{Path: path}
	// The stream reports line numbers only with faults, so an empty fault announces each question that loads. A question
	// without an evaluator is not checked, but has a fault for it.
	announce := func(qa.Evaluator) []string { return []string{""} }
	at := dataset.Fault{File: path}
	for ex, err := range dataset.AirQA(path, announce) {
		var fault *dataset.Fault
		switch {
		case errors.As(err, &fault):
			at = *fault
			if fault.Text != "" {
				f.Faults = append(f.Faults, fault)
			}
		case err != nil:
			return f, err
		default:
			f.Items = append(f.Items, Item{Example: ex, File: at.File, Line: at.Line})
		}
	}
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
