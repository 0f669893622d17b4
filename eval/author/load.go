package author

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/qa/dataset"
)

// File is the content of a question file in any form.
type File struct {
	Conversion
	Path      string
	Questions []Question
}

// ErrNone is the error of [Load] for a file without a question. It comes with the notes.
var ErrNone = errors.New("no usable question")

// Load reads a question file.
func Load(path string, o Options) (File, error) {
	f := File{Path: path}
	for q, err := range Convert(path, o, &f.Conversion) {
		if err != nil {
			return f, err
		}
		f.Questions = append(f.Questions, q)
	}
	if len(f.Questions) == 0 {
		return f, fmt.Errorf("%s has %w; a question is a line of JSON, such as\n  %s", path, ErrNone, dataset.LineExample)
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

// Faults are the notes about unreadable records and fields, and those of other kinds, as faults of records.
func (c *Conversion) Faults(others ...NoteKind) []*dataset.Fault {
	var list []*dataset.Fault
	for _, n := range c.Notes {
		if n.Kind == NotConverted || n.Kind == Incomplete || slices.Contains(others, n.Kind) {
			list = append(list, &dataset.Fault{Place: n.Place, Text: n.Text, Loaded: n.Kind != NotConverted})
		}
	}
	return list
}

// Unread counts the lines with unreadable records.
func (c *Conversion) Unread() int {
	places := make(map[string]bool)
	for _, n := range c.Notes {
		if n.Kind == NotConverted {
			places[fmt.Sprintf("%s:%d", n.File, n.Line)] = true
		}
	}
	return len(places)
}

// Unanswered returns an error if the file has no answer to any question. Questions in AirQA's form may have no evaluator.
func (c *Conversion) Unanswered(path string) error {
	if c.Converted == 0 || c.unanswered < c.Converted {
		return nil
	}
	return fmt.Errorf("no record of %s has an answer, so none can be scored", path)
}

// Summary groups the notes of some kinds by their text, with the lines of each; of all kinds if none is given.
func (c *Conversion) Summary(kinds ...NoteKind) []string {
	if len(kinds) == 0 {
		kinds = []NoteKind{Form, NotConverted, Incomplete, Faulty, Lost, NoPaper, Guessed}
	}
	var out []string
	for _, kind := range kinds {
		lines := make(map[string][]int)
		var texts []string
		for _, n := range c.Notes {
			if n.Kind != kind {
				continue
			}
			key := n.File + ": " + string(n.Kind) + ": " + n.Text
			if kind == Form {
				key = n.File + ": read as " + n.Text
			}
			if lines[key] == nil {
				texts = append(texts, key)
			}
			lines[key] = append(lines[key], n.Line)
		}
		for _, key := range texts {
			if kind != Form {
				key += " (" + ranges(lines[key]) + ")"
			}
			out = append(out, key)
		}
	}
	return out
}

// maxRanges is the maximum number of ranges of lines that a note lists.
const maxRanges = 20

// ranges formats line numbers: "line 3" or "lines 1-4, 7".
func ranges(lines []int) string {
	slices.Sort(lines)
	lines = slices.Compact(lines)
	var parts []string
	for i := 0; i < len(lines); {
		end := i
		for end+1 < len(lines) && lines[end+1] == lines[end]+1 {
			end++
		}
		part := fmt.Sprint(lines[i])
		if end > i {
			part += fmt.Sprintf("-%d", lines[end])
		}
		parts = append(parts, part)
		i = end + 1
		if len(parts) == maxRanges && i < len(lines) {
			parts = append(parts, fmt.Sprintf("and %d more", len(lines)-i))
			break
		}
	}
	if len(lines) == 1 {
		return "line " + parts[0]
	}
	return "lines " + strings.Join(parts, ", ")
}
