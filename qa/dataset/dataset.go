// Package dataset reads benchmark files into a stream of [qa.Example]: [AirQA] for JSON Lines or a folder of JSON
// files in AirQA's form (paper, Appendix A.1). A faulty example is reported with file and line, and the rest
// still loads. [Blocks] hands out the text of the same files for those who decode on several cores. The package scores
// nothing; what an evaluator's arguments must look like is told to it by [Check].
package dataset

import (
	"errors"
	"fmt"
	"iter"

	"airqa/qa"
)

// Check lists what is wrong with an evaluator: an unknown function, misspelt or missing arguments, wrong kinds.
type Check func(qa.Evaluator) []string

// Fault is something wrong with an example.
type Fault struct {
	File string
	Line int // from 1
	UUID string
	Text string
	// Loaded is true when the example is in the stream all the same.
	Loaded bool
}

// Error implements error.
func (f *Fault) Error() string {
	name := ""
	if f.UUID != "" {
		name = " example " + f.UUID + ":"
	}
	return fmt.Sprintf("%s:%d:%s %s", f.File, f.Line, name, f.Text)
}

// AirQA yields the examples of a file, or of the *.json files of a folder in the order of their names. A file is JSON
// Lines, a JSON array, JSON objects over several lines, or CSV with a header; its beginning shows which. An
// error of type [*Fault] is about one example, and the stream goes on; any other ends it. check may be nil.
func AirQA(path string, check Check) iter.Seq2[qa.Example, error] {
	return func(yield func(qa.Example, error) bool) {
		r := reader{check: check, yield: yield, seen: make(map[string]string)}
		if err := r.read(path); err != nil && !errors.Is(err, errStopped) {
			yield(qa.Example{}, err)
		}
	}
}

// Load collects the examples of [AirQA] and the faults apart.
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
		return nil, faults, fmt.Errorf("%s holds no question that can be used; a question is a line of JSON, such as\n  %s", path, LineExample)
	}
	return list, faults, nil
}

// errStopped says that whoever reads the stream has had enough.
var errStopped = errors.New("stopped")

type reader struct {
	check Check
	yield func(qa.Example, error) bool
	seen  map[string]string // uuid to the place where it stood first
}

func (r *reader) read(path string) error {
	for block, err := range Blocks(path) {
		if err != nil {
			return err
		}
		if block.note != "" && !r.yield(qa.Example{}, &Fault{File: block.File, Line: 1, Text: block.note, Loaded: true}) {
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

// example decodes one record and hands it on, its faults before it.
func (r *reader) example(file string, line int, raw []byte) error {
	ex, texts, ok := decode(raw)
	at := fmt.Sprintf("%s:%d", file, line)
	if first, twice := r.seen[ex.UUID]; ok && twice {
		texts, ok = append(texts, "the same uuid stands at "+first+" already; this one is left out"), false
	}
	if ok {
		r.seen[ex.UUID] = at
		if r.check != nil && ex.Evaluator.Func != "" {
			texts = append(texts, r.check(ex.Evaluator)...)
		}
	}
	for _, text := range texts {
		f := &Fault{File: file, Line: line, UUID: ex.UUID, Text: text, Loaded: ok}
		if !r.yield(qa.Example{}, f) {
			return errStopped
		}
	}
	if ok && !r.yield(ex, nil) {
		return errStopped
	}
	return nil
}
