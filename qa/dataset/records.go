package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"iter"
	"os"
	"regexp"
	"strings"
)

// Record is one record of a file in any form, as a JSON object with the names of the file's fields.
type Record struct {
	File string
	Line int // from 1
	Raw  []byte
	// Lost is what the record has no field for; "" for nothing.
	Lost string
	// Fault is why the record has no object; then Raw is empty.
	Fault string
}

// Records yields the records of a file for conversion: of the forms of [AirQA], of tables separated by tabs or semicolons, and of
// plain text. A text has either blocks of lines such as "Q: ..." and "A: ...", or lines with question, tab and answer. Unlike
// [AirQA], it adds no evaluator. An error ends the stream.
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
		for _, comma := range []rune{',', '\t', ';'} {
			if isTable(first, comma) {
				blockRecords(func(yield func(Block, error) bool) { table(path, comma, plainRow, yield) }, yield)
				return
			}
		}
		if len(first) > 0 && (first[0] == '{' || first[0] == '[') {
			blockRecords(Blocks(path), yield)
			return
		}
		if bytes.IndexByte(first, 0) >= 0 || bytes.HasPrefix(first, []byte("%PDF-")) {
			yield(Record{}, fmt.Errorf("questions %s: not a text file", path))
			return
		}
		if err := textRecords(path, first, yield); err != nil {
			yield(Record{}, fmt.Errorf("questions %s: %w", path, err))
		}
	}
}

// blockRecords yields the records of blocks.
func blockRecords(blocks iter.Seq2[Block, error], yield func(Record, error) bool) {
	for b, err := range blocks {
		if err != nil {
			yield(Record{}, err)
			return
		}
		for line, raw := range b.Records() {
			if !yield(Record{File: b.File, Line: line, Raw: bytes.TrimSpace(raw)}, nil) {
				return
			}
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

// maxLine is the maximum length of a line of plain text, in bytes.
const maxLine = 16 << 20

// textRecords yields the records of a plain text.
func textRecords(path string, first []byte, yield func(Record, error) bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	field, _, _ := labelled(string(first))
	t := textReader{path: path, yield: yield, blocks: field == "question"}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimPrefix(lines.Text(), string(byteOrderMark))
		if !t.line(n, text) {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	t.flush()
	return nil
}

// textReader reads plain text line by line.
type textReader struct {
	path   string
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
	case t.blocks:
		t.blockLine(n, text)
	case !strings.HasPrefix(text, "#"):
		t.tabbed(n, text)
	}
	return !t.done
}

// tabbed reads a line with question, tab and answer, or a question alone.
func (t *textReader) tabbed(n int, text string) {
	fields := strings.Split(text, "\t")
	if len(fields) == 1 && !strings.HasSuffix(strings.TrimSpace(text), "?") {
		t.send(Record{Line: n, Fault: "neither a question nor question, tab and answer"})
		return
	}
	object := map[string]any{"question": strings.TrimSpace(fields[0])}
	if len(fields) > 1 {
		object["answer"] = strings.TrimSpace(fields[1])
	}
	r := Record{Line: n, Raw: marshalled(object)}
	if len(fields) > 2 {
		r.Lost = "everything behind the second tab"
	}
	t.send(r)
}

// blockLine reads a line of a block. A line without a label continues the one before it.
func (t *textReader) blockLine(n int, text string) {
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
		t.send(Record{Line: n, Fault: "a line that is part of no question"})
	}
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
	t.send(Record{Line: t.at, Raw: marshalled(object)})
}

func (t *textReader) send(r Record) {
	r.File = t.path
	if !t.done && !t.yield(r, nil) {
		t.done = true
	}
}
