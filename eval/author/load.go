package author

import (
	"fmt"

	"airqa/qa"
	"airqa/qa/dataset"
)

// File is the content of a question file in any form.
type File struct {
	Conversion
	Path      string
	Questions []Question
}

// Load reads a question file. One without a question is an error, which comes with the notes.
func Load(path string, o Options) (File, error) {
	f := File{Path: path}
	for q, err := range Convert(path, o, &f.Conversion) {
		if err != nil {
			return f, err
		}
		f.Questions = append(f.Questions, q)
	}
	if len(f.Questions) == 0 {
		return f, fmt.Errorf("%s has no usable question; a question is a line of JSON, such as\n  %s", path, dataset.LineExample)
	}
	return f, nil
}

// Examples are the questions without their places.
func (f File) Examples() []qa.Example {
	list := make([]qa.Example, len(f.Questions))
	for i, q := range f.Questions {
		list[i] = q.Example
	}
	return list
}

// Faults are the notes of some kinds as faults of records.
func (c *Conversion) Faults(kinds ...NoteKind) []*dataset.Fault {
	var list []*dataset.Fault
	for _, n := range c.Notes {
		for _, k := range kinds {
			if n.Kind == k {
				list = append(list, &dataset.Fault{File: n.File, Line: n.Line, UUID: n.UUID, Text: n.Text, Loaded: k != NotConverted})
			}
		}
	}
	return list
}

// Unanswered returns an error if the file has no answer to any question. Questions in AirQA's form may have no evaluator.
func (c *Conversion) Unanswered(path string) error {
	if c.Converted == 0 || c.unanswered < c.Converted {
		return nil
	}
	return fmt.Errorf("no record of %s has an answer, so none can be scored", path)
}
