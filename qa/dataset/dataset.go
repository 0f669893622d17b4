// Package dataset reads benchmark files into a stream of [qa.Example]: [AirQA] for JSON Lines or a folder of JSON files
// in AirQA's form (paper, Appendix A.1). A faulty example is reported with file and line, and the rest still loads.
// [Blocks] returns the text of the same files for decoding on several cores. The package scores nothing; a [Check]
// validates the evaluators.
package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"airqa/qa"
)

// Check lists the problems of an evaluator: an unknown function, misspelled or missing arguments, wrong types.
type Check func(qa.Evaluator) []string

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

// AirQA yields the examples of a file, or of the *.json files of a folder in the order of their names. A file is JSON
// Lines, a JSON array, JSON objects over several lines, or CSV with a header, as detected from its beginning. An error
// of type [*Fault] is about one example, and the stream continues; any other ends it. check may be nil.
func AirQA(path string, check Check) iter.Seq2[qa.Example, error] {
	return func(yield func(qa.Example, error) bool) {
		r := reader{check: check, yield: yield, seen: make(map[string]string)}
		if err := r.read(path); err != nil && !errors.Is(err, errStopped) {
			yield(qa.Example{}, err)
		}
	}
}

// Load collects the examples and the faults of [AirQA] separately.
func Load(path string, check Check) ([]qa.Example, []*Fault, error) {
	var list []qa.Example
	var faults []*Fault
	for ex, err := range AirQA(path, check) {
		var f *Fault
		switch {
		case errors.As(err, &f):
			faults = append(faults, f)
		case err != nil:
			return nil, nil, err
		default:
			list = append(list, ex)
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

// errStopped means that the reader of the stream has stopped.
var errStopped = errors.New("stopped")

type reader struct {
	check Check
	yield func(qa.Example, error) bool
	seen  map[string]string // first location by UUID
}

func (r *reader) read(path string) error {
	for block, err := range Blocks(path) {
		if err != nil {
			return err
		}
		if block.note != "" && !r.yield(qa.Example{}, &Fault{Place: Place{File: block.File, Line: 1}, Text: block.note, Loaded: true}) {
			return errStopped
		}
		for line, raw := range block.Records() {
			if err := r.example(block.File, line, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// example decodes one record and yields it after its faults.
func (r *reader) example(file string, line int, raw []byte) error {
	ex, texts, ok := Decode(raw)
	at := fmt.Sprintf("%s:%d", file, line)
	if first, twice := r.seen[ex.UUID]; ok && twice {
		texts, ok = append(texts, "duplicate uuid, first used at "+first+"; skipped"), false
	}
	if ok {
		r.seen[ex.UUID] = at
		if r.check != nil && ex.Evaluator.Func != "" {
			texts = append(texts, r.check(ex.Evaluator)...)
		}
	}
	for _, text := range texts {
		f := &Fault{Place: Place{File: file, Line: line, UUID: ex.UUID}, Text: text, Loaded: ok}
		if !r.yield(qa.Example{}, f) {
			return errStopped
		}
	}
	if ok && !r.yield(ex, nil) {
		return errStopped
	}
	return nil
}
