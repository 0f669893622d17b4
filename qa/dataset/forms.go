package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LineExample is a question as a line of a file, for messages.
const LineExample = `{"question": "How many heads?", "answer_format": "An integer.", "anchor_pdf": ["UUID"], ` +
	`"evaluator": {"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 8}}}`

// file yields the text of one file. The format is detected from its beginning, whatever its suffix: JSON Lines, a JSON
// array, JSON objects over several lines, or CSV with a column "question". It returns false if no more is wanted.
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
	case isTable(first, ','):
		return table(path, ',', scoredRow, yield)
	case strings.EqualFold(filepath.Ext(path), ".jsonl"), strings.EqualFold(filepath.Ext(path), ".json"): // only the line may be faulty
		return lineBlocks("questions", path, yield)
	}
	yield(Block{}, fmt.Errorf("questions %s: neither JSON nor CSV with a column %q. A question is a line of JSON, such as\n  %s", path, "question", LineExample))
	return false
}

// firstLine returns the first non-empty line, trimmed.
func firstLine(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadBytes('\n')
		line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))
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
	raw, err := os.ReadFile(path)
	if err != nil {
		yield(Block{}, fmt.Errorf("questions: %w", err))
		return false
	}
	raw = bytes.TrimPrefix(raw, byteOrderMark)
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
		if !yield(Block{File: path, Line: line, Data: value, single: true}, nil) {
			return false
		}
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

// isTable reports whether a line is a CSV header with a column for questions.
func isTable(line []byte, comma rune) bool {
	in := csv.NewReader(bytes.NewReader(line))
	in.Comma = comma
	header, err := in.Read()
	return err == nil && slices.ContainsFunc(header, func(name string) bool { return column(name) == "question" })
}

// column returns the field for a column of a table.
func column(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "id":
		return "uuid"
	case "gold":
		return "answer"
	}
	return name
}

// rowReader makes a JSON object of a row. guessed is a part of the note about the file, if the row needs one.
type rowReader func(header, row []string) (raw []byte, guessed string)

// table yields the rows of a file with columns as JSON objects.
func table(path string, comma rune, object rowReader, yield func(Block, error) bool) bool {
	file, err := os.Open(path)
	if err != nil {
		yield(Block{}, fmt.Errorf("questions: %w", err))
		return false
	}
	defer func() { _ = file.Close() }()
	in := bufio.NewReader(file)
	if start, _ := in.Peek(len(byteOrderMark)); bytes.Equal(start, byteOrderMark) {
		_, _ = in.Discard(len(byteOrderMark))
	}
	rows := csv.NewReader(in)
	rows.Comma = comma
	header, err := rows.Read()
	note := "read as CSV; lists are separated by semicolons"
	for err == nil {
		var row []string
		if row, err = rows.Read(); err != nil {
			break
		}
		line, _ := rows.FieldPos(0)
		data, guessed := object(header, row)
		note += guessed
		if !yield(Block{File: path, Line: line, Data: data, single: true, note: note}, nil) {
			return false
		}
		note = ""
	}
	if !errors.Is(err, io.EOF) {
		yield(Block{}, fmt.Errorf("questions %s: read CSV: %w", path, err))
		return false
	}
	return true
}

// answerFunc scores the column "answer" of a table.
const answerFunc = "eval_string_exact_match"

// scoredRow is a row whose answer has an evaluator.
func scoredRow(header, row []string) (raw []byte, guessed string) {
	object := cells(header, row)
	if answer, ok := object["answer"]; ok && object["evaluator"] == nil {
		object["evaluator"] = map[string]any{"eval_func": answerFunc, "eval_kwargs": map[string]any{"gold": answer, "lowercase": true}}
		delete(object, "answer")
		guessed = ", and answers are scored with " + answerFunc
	}
	return marshalled(object), guessed
}

// plainRow is a row as it is.
func plainRow(header, row []string) (raw []byte, guessed string) {
	return marshalled(cells(header, row)), ""
}

// marshalled is an object as JSON. A fault becomes the text of an unreadable row.
func marshalled(object map[string]any) []byte {
	raw, err := json.Marshal(object)
	if err != nil {
		return []byte(err.Error())
	}
	return raw
}

// cells are the values of a row by field.
func cells(header, row []string) map[string]any {
	object := make(map[string]any)
	for i, cell := range row {
		name := column(header[i])
		switch {
		case name == "" || cell == "":
		case name == "evaluator" || name == "eval_kwargs":
			object[name] = orText(cell)
		case slices.Contains([]string{"tags", "anchor_pdf", "reference_pdf", "conference", "reasoning_steps"}, name):
			object[name] = listOf(cell)
		default:
			object[name] = cell
		}
	}
	if f, ok := object["eval_func"]; ok {
		object["evaluator"] = map[string]any{"eval_func": f, "eval_kwargs": object["eval_kwargs"]}
		delete(object, "eval_func")
		delete(object, "eval_kwargs")
	}
	return object
}

// orText parses a cell as JSON, or returns its text.
func orText(cell string) any {
	if json.Valid([]byte(cell)) {
		return json.RawMessage(cell)
	}
	return cell
}

// listOf splits a cell; a JSON list remains unchanged.
func listOf(cell string) any {
	if strings.HasPrefix(cell, "[") && json.Valid([]byte(cell)) {
		return json.RawMessage(cell)
	}
	list := strings.FieldsFunc(cell, func(r rune) bool { return r == ';' })
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}
