package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Record is a conversation of a file.
type Record struct {
	Conversation
	Format Format
	// Place is the file and the number of the record, from 1.
	Place string
	// dir is the folder of the file.
	dir string
	// Losses counts what the record has and a Conversation has not.
	Losses Losses
}

// Records yields the conversations of a file of JSON: an array, one object, or any number of objects, such as lines. A
// folder is that of its *.json files, or of those in its folder of trajectories. An error ends it.
func Records(path string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		files, err := filesOf(path)
		if err != nil {
			yield(Record{}, err)
			return
		}
		for _, file := range files {
			if !readFile(file, yield) {
				return
			}
		}
	}
}

// absolute makes the paths of images absolute.
func (r Record) absolute() error {
	dir, err := filepath.Abs(r.dir)
	for _, m := range r.Messages {
		for i, p := range m.Parts {
			if p.Image != "" && !p.remote() && !filepath.IsAbs(p.Image) {
				m.Parts[i].Image = filepath.Join(dir, p.Image)
			}
		}
	}
	return err
}

// Detect returns the format of the first record of a file; "" if it has none.
func Detect(path string) Format {
	for rec, err := range Records(path) {
		if err != nil {
			return ""
		}
		return rec.Format
	}
	return ""
}

func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	for _, dir := range []string{filepath.Join(path, "trajectories"), path} {
		entries, err := os.ReadDir(dir)
		var files []string
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".json" && e.Type().IsRegular() {
				files = append(files, filepath.Join(dir, e.Name()))
			}
		}
		if err == nil && len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("%s has no *.json file; give the file of an export, such as %s", path, filepath.Join(path, "data", "train.jsonl"))
}

// readFile yields the records of one file. It reports whether to continue.
func readFile(name string, yield func(Record, error) bool) bool {
	file, err := os.Open(name)
	if err != nil {
		yield(Record{}, err)
		return false
	}
	defer func() { _ = file.Close() }()
	n := 0
	for raw, err := range values(file) {
		n++
		place := fmt.Sprintf("%s: record %d", name, n)
		rec := Record{Place: place, dir: filepath.Dir(name), Losses: make(Losses)}
		if err == nil {
			rec.Format, rec.Conversation, err = Read(raw, rec.Losses)
		}
		if err != nil {
			yield(Record{}, fmt.Errorf("%s: %w", place, err))
			return false
		}
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

// values yields the elements of a JSON array, or all values of a stream.
func values(r io.Reader) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		in := bufio.NewReaderSize(r, 1<<20)
		if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
			_, _ = in.Discard(3)
		}
		dec := json.NewDecoder(in)
		array := startsArray(in)
		if array {
			if _, err := dec.Token(); err != nil {
				yield(nil, err)
				return
			}
		}
		for !array || dec.More() {
			var raw json.RawMessage
			err := dec.Decode(&raw)
			if errors.Is(err, io.EOF) && !array {
				return
			}
			if !yield(raw, err) || err != nil {
				return
			}
		}
		if _, err := dec.Token(); err != nil {
			yield(nil, fmt.Errorf("the array does not end: %w", err))
		}
	}
}

// startsArray reports whether the first value of a stream is an array, and skips the whitespace before it.
func startsArray(in *bufio.Reader) bool {
	for {
		next, err := in.Peek(1)
		if err != nil {
			return false
		}
		if !strings.ContainsRune(" \t\r\n", rune(next[0])) {
			return next[0] == '['
		}
		_, _ = in.Discard(1)
	}
}

// Read reads one record of any of the formats. l counts what is lost; it may be nil.
func Read(raw []byte, l Losses) (f Format, c Conversation, err error) {
	var record map[string]json.RawMessage
	if err := json.Unmarshal(raw, &record); err != nil {
		return "", c, fmt.Errorf("want an object: %w", err)
	}
	switch f = formatOf(record); f {
	case ATIF:
		c, err = readATIF(raw, l)
	case ShareGPT:
		c, err = readShareGPT(record, l)
	case OpenAI:
		c, err = readOpenAI(record, l)
	case TRL:
		c, err = readTRL(record, l)
	case "":
		return f, c, unknownShape(record)
	}
	if err == nil && len(c.Messages) == 0 {
		err = errors.New("no messages")
	}
	return f, c, err
}

// formatOf returns the format of a record by its keys; "" for none.
func formatOf(record map[string]json.RawMessage) Format {
	switch {
	case hasAny(record, "chosen", "rejected", "preferred_output"):
		return ""
	case hasAny(record, "steps") && hasAny(record, "agent"):
		return ATIF
	case hasAny(record, "conversations"):
		return ShareGPT
	case hasAny(record, "messages"):
		return OpenAI
	case hasAny(record, "prompt") && hasAny(record, "completion"):
		return TRL
	}
	return ""
}

func hasAny(record map[string]json.RawMessage, keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return record[k] != nil })
}

func unknownShape(record map[string]json.RawMessage) error {
	if hasAny(record, "chosen", "rejected", "preferred_output") {
		return errors.New("preference pairs are not converted")
	}
	keys := strings.Join(slices.Sorted(maps.Keys(record)), ", ")
	return fmt.Errorf("unknown shape, with the keys %.200q: want messages (OpenAI), conversations (ShareGPT), prompt and completion (TRL), or agent and steps (ATIF)", keys)
}

// lose counts the keys of a record that are not read.
func (l Losses) lose(record map[string]json.RawMessage, what string, read ...string) {
	for key, value := range record {
		if !slices.Contains(read, key) && string(value) != "null" {
			l.Add(fmt.Sprintf("%s %.40q", what, key))
		}
	}
}

// str reads a JSON text; other values are their JSON, null is "".
func str(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// list reads tools given as a list or as a text with one.
func list(raw json.RawMessage) json.RawMessage {
	if t := str(raw); t != "" {
		raw = json.RawMessage(t)
	}
	var tools []json.RawMessage
	if json.Unmarshal(raw, &tools) != nil || len(tools) == 0 {
		return nil
	}
	return compact(raw)
}
