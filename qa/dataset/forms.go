package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// LineExample is a question as a line of a file, for messages.
const LineExample = `{"question": "How many heads?", "answer_format": "An integer.", "anchor_pdf": ["UUID"], ` +
	`"evaluator": {"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 8}}}`

// file yields the text of one file. The format is detected from its beginning, whatever its suffix: JSON Lines, a JSON
// array, or JSON objects over several lines. It returns false if no more is wanted.
func file(path string, yield func(Block, error) bool) bool {
	first, err := firstLine(path)
	if err != nil {
		yield(Block{}, fmt.Errorf("questions: %w", err))
		return false
	}
	switch {
	case len(first) == 0 || json.Valid(first) && first[0] == '{':
		return lineBlocks("questions", path, yield)
	case first[0] == '[' || first[0] == '{':
		return values(path, yield)
	case strings.EqualFold(filepath.Ext(path), ".jsonl"), strings.EqualFold(filepath.Ext(path), ".json"): // only the line may be faulty
		return lineBlocks("questions", path, yield)
	}
	yield(Block{}, fmt.Errorf("questions %s: not JSON. A question is a line of JSON, such as\n  %s", path, LineExample))
	return false
}

// firstLine returns the first non-empty line, trimmed.
func firstLine(path string) ([]byte, error) {
	file, err := openText(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadBytes('\n')
		line = bytes.TrimSpace(line)
		switch {
		case len(line) > 0 || errors.Is(err, io.EOF):
			return line, nil
		case err != nil:
			return nil, err
		}
	}
}

// values yields the elements of a JSON array, or objects that span several lines.
func values(path string, yield func(Block, error) bool) bool {
	raw, note, err := readText(path)
	if err != nil {
		yield(Block{}, fmt.Errorf("questions: %w", err))
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	array := bytes.TrimSpace(raw)[0] == '['
	if array {
		_, _ = dec.Token()
	}
	line, counted := 1, 0
	for n := 0; dec.More() || !array; n++ {
		var value json.RawMessage
		err := dec.Decode(&value)
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil && n == 0 && !array:
			return faultyObject(path, raw, yield)
		case err != nil:
			end := len(raw) - len(bytes.TrimLeft(raw[dec.InputOffset():], ", \t\r\n"))
			line += bytes.Count(raw[counted:end], []byte{'\n'})
			yield(Block{}, fmt.Errorf("questions %s:%d: question %d is not JSON: %w", path, line, n+1, err))
			return false
		}
		start := int(dec.InputOffset()) - len(value)
		line, counted = line+bytes.Count(raw[counted:start], []byte{'\n'}), start
		if !yield(Block{File: path, Line: line, Data: value, single: true, note: note}, nil) {
			return false
		}
		note = ""
	}
	if _, err := dec.Token(); err != nil {
		yield(Block{}, fmt.Errorf("questions %s: unterminated array: %w", path, err))
		return false
	}
	return true
}

// faultyObject yields JSON Lines whose first line is faulty, or one faulty object.
func faultyObject(path string, raw []byte, yield func(Block, error) bool) bool {
	if bytes.Contains(raw, []byte("\n{")) {
		return lineBlocks("questions", path, yield)
	}
	return yield(Block{File: path, Line: 1, Data: raw, single: true}, nil)
}
