// Package dataset reads benchmark files into a stream of [qa.Example]: [AirQA] for JSON Lines or a folder of JSON
// files in AirQA's form (paper, Appendix A.1). A faulty example is reported with file and line, and the rest
// still loads. The package scores nothing; what an evaluator's arguments must look like is told to it by [Check].
package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sort"
	"strings"

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

// AirQA yields the examples of a JSON Lines file, or of the *.json files of a folder in the order of their names. An
// error of type [*Fault] is about one example, and the stream goes on; any other ends it. check may be nil.
func AirQA(path string, check Check) iter.Seq2[qa.Example, error] {
	return func(yield func(qa.Example, error) bool) {
		r := reader{check: check, yield: yield, seen: make(map[string]string)}
		if err := r.open(path); err != nil && !errors.Is(err, errStopped) {
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
		return nil, faults, fmt.Errorf("%s holds no example that can be used", path)
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

func (r *reader) open(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("questions %s: there is no such file or folder", path)
	}
	if err != nil {
		return fmt.Errorf("questions: %w", err)
	}
	if info.IsDir() {
		return r.folder(path)
	}
	if strings.EqualFold(filepath.Ext(path), ".json") {
		return r.single(path)
	}
	return r.lines(path)
}

func (r *reader) folder(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	sort.Strings(files)
	if len(files) == 0 {
		return fmt.Errorf("questions %s: the folder holds no *.json file", dir)
	}
	for _, f := range files {
		if err := r.single(f); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) single(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("questions: %w", err)
	}
	return r.example(path, 1, raw)
}

func (r *reader) lines(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("questions: %w", err)
	}
	defer func() { _ = file.Close() }()
	in := bufio.NewReaderSize(file, 64<<10)
	for n := 1; ; n++ {
		raw, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("questions: %w", err)
		}
		last := err != nil
		if n == 1 {
			raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(raw)) > 0 {
			if err := r.example(path, n, raw); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
	}
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
		if r.check != nil {
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
