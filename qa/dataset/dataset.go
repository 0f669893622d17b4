// Package dataset reads questions into [qa.Example]: [Load] for JSON Lines or a folder of JSON files in AirQA's form (paper,
// Appendix A.1), and [Records] for files in other forms. A faulty example is reported with file and line, and the rest still
// loads. [Blocks] returns the text of the same files for decoding on several cores. The package scores nothing and checks no
// evaluator.
package dataset

import (
	"bytes"
	"fmt"

	"airqa/qa"
)

// Place is where an example is.
type Place struct {
	File string `json:"file"`
	// Line counts from 1; it is 0 if the file is a single value, whose part a text names.
	Line int    `json:"line"`
	UUID string `json:"uuid"`
}

// Fault is a problem of an example.
type Fault struct {
	Place
	Text string
	// Loaded means that the example is in the stream nevertheless.
	Loaded bool
	// Costs names what is left out because of the fault, such as "annotation"; empty for nothing, or for a single value.
	Costs string
}

// Error includes file, line and example.
func (f *Fault) Error() string {
	name := ""
	if f.UUID != "" {
		name = " example " + f.UUID + ":"
	}
	if f.Line == 0 {
		return fmt.Sprintf("%s:%s %s", f.File, name, f.Text)
	}
	return fmt.Sprintf("%s:%d:%s %s", f.File, f.Line, name, f.Text)
}

// Load reads the examples of a file, or of the *.json files of a folder in the order of their names. A file is JSON Lines, a
// JSON array, or JSON objects over several lines, as detected from its beginning. A faulty example does not end it. A file
// without a usable example is an error.
func Load(path string) (list []qa.Example, faults []*Fault, err error) {
	seen := make(map[string]string) // first location by UUID
	for block, err := range Blocks(path) {
		if err != nil {
			return nil, nil, err
		}
		if block.note != "" {
			faults = append(faults, &Fault{Place: Place{File: block.File, Line: 1}, Text: block.note, Loaded: true})
		}
		for line, raw := range block.Records() {
			ex, texts, ok := Decode(raw)
			if first, twice := seen[ex.UUID]; ok && twice {
				texts, ok = append(texts, "duplicate uuid, first used at "+first+"; skipped"), false
			}
			for _, text := range texts {
				faults = append(faults, &Fault{Place: Place{File: block.File, Line: line, UUID: ex.UUID}, Text: text, Loaded: ok})
			}
			if ok {
				seen[ex.UUID] = fmt.Sprintf("%s:%d", block.File, line)
				list = append(list, ex)
			}
		}
	}
	if len(list) == 0 {
		return nil, faults, fmt.Errorf("%s has no usable question; a question is a line of JSON, such as\n  %s", path, LineExample)
	}
	return list, faults, nil
}

// ByUUID returns the example with a uuid; ok is false if the file has none that is usable. It decodes little else.
func ByUUID(path, uuid string) (ex qa.Example, ok bool, err error) {
	for block, err := range Blocks(path) {
		if err != nil {
			return qa.Example{}, false, err
		}
		for _, raw := range block.Records() {
			if !bytes.Contains(raw, []byte(uuid)) {
				continue
			}
			if ex, _, ok := Decode(raw); ok && ex.UUID == uuid {
				return ex, true, nil
			}
		}
	}
	return qa.Example{}, false, nil
}
