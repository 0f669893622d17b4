package dataset

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Record is one record of a file in any form, as a JSON object.
type Record struct {
	// Place has no UUID: only its reader knows whether the record has one.
	Place
	Raw []byte
	// Note is how the file was read, at its first record; "" if that is obvious.
	Note string
	// Plain means that the record is not JSON in the file: the values of Raw are texts under the names of [Field], if
	// they have one.
	Plain bool
	// Lost is what the record has no field for; "" for nothing.
	Lost string
	// Fault is why the record has no object; then Raw is empty.
	Fault string
}

// Records yields the records of a file: JSON Lines, a JSON array, JSON objects over several lines, a table separated by
// commas, semicolons or tabs, plain text, or the *.json files of a folder. A text has either blocks of lines such as
// "Q: ..." and "A: ...", or lines with question, tab and answer. An error ends the stream.
func Records(path string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			blockRecords(Blocks(path), yield)
			return
		}
		first, err := firstLine(path)
		if err != nil {
			yield(Record{}, fmt.Errorf("questions: %w", err))
			return
		}
		if isJSON := len(first) == 0 || first[0] == '{' || first[0] == '[' || strings.HasPrefix(strings.ToLower(filepath.Ext(path)), ".json"); isJSON {
			blockRecords(Blocks(path), yield)
			return
		}
		if err := plainRecords(path, first, yield); err != nil {
			yield(Record{}, fmt.Errorf("questions: %w", err))
		}
	}
}

// plainRecords yields the records of a table or a text.
func plainRecords(path string, first []byte, yield func(Record, error) bool) error {
	if isBinary(first) {
		return fmt.Errorf("%s: %w", path, errNoText)
	}
	text, note, err := readText(path)
	if err != nil {
		return err
	}
	header := first
	excel := separator.Match(first)
	if excel {
		_, rest, _ := bytes.Cut(bytes.TrimSpace(text), []byte{'\n'})
		header, _, _ = bytes.Cut(rest, []byte{'\n'})
		header = bytes.TrimSpace(header)
	}
	if t := tableOf(path, header); t != nil {
		t.skip = excel
		notes := slices.DeleteFunc([]string{note, t.note()}, func(note string) bool { return note == "" })
		t.records(text, strings.Join(notes, ", "), yield)
		return nil
	}
	if excel || strings.EqualFold(filepath.Ext(path), ".csv") {
		return fmt.Errorf("%s: no question column: the first line is %.200q; known columns: %s", path, header, Fields)
	}
	field, _, _ := labelled(string(first))
	t := textReader{path: path, yield: yield, note: note, blocks: field == "question"}
	n := 0
	for line := range strings.Lines(string(text)) {
		if n++; !t.line(n, strings.TrimRight(line, "\r\n")) {
			return nil
		}
	}
	t.flush()
	return nil
}

// blockRecords yields the records of blocks.
func blockRecords(blocks iter.Seq2[Block, error], yield func(Record, error) bool) {
	for b, err := range blocks {
		if err != nil {
			yield(Record{}, err)
			return
		}
		for line, raw := range b.Records() {
			if !yield(Record{Place: Place{File: b.File, Line: line}, Raw: bytes.TrimSpace(raw), Note: b.note}, nil) {
				return
			}
			b.note = ""
		}
	}
}

// label matches the beginning of a line of a block.
var label = regexp.MustCompile(`(?i)^\s*(q|question|a|answer|type|papers?|references?|format|answer format|tags?|id|conference)\s*\d*\s*:\s*(.*)$`)

// textFields are the fields that labels stand for.
var textFields = map[string]string{
	"q": "question", "a": "answer", "paper": "papers", "reference": "references", "answer format": "format", "tag": "tags",
}

// labelled reads a line with a label.
func labelled(line string) (field, text string, ok bool) {
	m := label.FindStringSubmatch(line)
	if m == nil {
		return "", "", false
	}
	field = strings.ToLower(m[1])
	if name, ok := textFields[field]; ok {
		field = name
	}
	return field, strings.TrimSpace(m[2]), true
}

// textReader reads plain text line by line.
type textReader struct {
	path   string
	note   string // for the first record
	blocks bool
	yield  func(Record, error) bool
	done   bool
	// the block being read
	at      int
	values  map[string][]string
	current string // the field that a line without a label continues
}

// line reads a line and reports whether another one is wanted.
func (t *textReader) line(n int, text string) bool {
	switch empty := strings.TrimSpace(text) == ""; {
	case empty:
		t.current = ""
	case t.blocks: // a line without a label continues the one before it
		field, value, ok := labelled(text)
		switch {
		case ok && field == "question":
			t.flush()
			t.at, t.values, t.current = n, map[string][]string{field: {value}}, field
		case ok && t.values != nil:
			t.values[field] = append(t.values[field], value)
			t.current = field
		case t.current != "":
			list := t.values[t.current]
			list[len(list)-1] = strings.TrimSpace(list[len(list)-1] + "\n" + strings.TrimSpace(text))
		default:
			t.flush()
			t.send(Record{Place: Place{Line: n}, Fault: "a line that is part of no question"})
		}
	case !strings.HasPrefix(text, "#"):
		t.tabbed(n, text)
	}
	return !t.done
}

// tabbed reads a line with question, tab and answer, or a question alone.
func (t *textReader) tabbed(n int, text string) {
	fields := strings.Split(text, "\t")
	if len(fields) == 1 && !strings.HasSuffix(strings.TrimSpace(text), "?") {
		t.send(Record{Place: Place{Line: n}, Fault: "neither a question nor question, tab and answer"})
		return
	}
	object := map[string]any{"question": strings.TrimSpace(fields[0])}
	if len(fields) > 1 {
		object["answer"] = strings.TrimSpace(fields[1])
	}
	r := Record{Place: Place{Line: n}, Raw: marshalled(object)}
	if len(fields) > 2 {
		r.Lost = "everything after the second tab"
	}
	t.send(r)
}

// flush yields the block that has been read.
func (t *textReader) flush() {
	if t.values == nil {
		return
	}
	object := make(map[string]any)
	for field, list := range t.values {
		object[field] = list[0]
		if len(list) > 1 {
			object[field] = list
		}
	}
	t.values = nil
	t.send(Record{Place: Place{Line: t.at}, Raw: marshalled(object)})
}

func (t *textReader) send(r Record) {
	r.File, r.Plain, r.Note, t.note = t.path, true, t.note, ""
	if !t.done && !t.yield(r, nil) {
		t.done = true
	}
}
