package stream

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/eval"
	"airqa/internal/files"
	"airqa/qa/dataset"
)

// blocks yields the predictions of a file: JSON Lines, or a .csv or .tsv file with the columns uuid, answer and, if a
// question has several answers, repeat.
func blocks(path string) iter.Seq2[dataset.Block, error] {
	if !slices.Contains([]string{".csv", ".tsv"}, strings.ToLower(filepath.Ext(path))) {
		return dataset.LineBlocks("predictions", path)
	}
	return func(yield func(dataset.Block, error) bool) {
		text, err := files.ReadText(path)
		if err != nil {
			yield(dataset.Block{}, fmt.Errorf("predictions: %w", err))
			return
		}
		in := csv.NewReader(strings.NewReader(string(text)))
		in.Comma, in.FieldsPerRecord = separator(string(text)), -1
		in.LazyQuotes = in.Comma == '\t' // which other programs write without quoting
		header, err := in.Read()
		for err == nil {
			var row []string
			if row, err = in.Read(); err == nil {
				line, _ := in.FieldPos(0)
				if !yield(dataset.Block{File: path, Line: line, Data: object(header, row)}, nil) {
					return
				}
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(dataset.Block{}, fmt.Errorf("predictions %s: read the table: %w", path, err))
		}
	}
}

// separator is the one with which the header of a table has a column uuid; a comma for none.
func separator(text string) rune {
	header, _, _ := strings.Cut(text, "\n")
	isUUID := func(name string) bool { return strings.EqualFold(strings.Trim(name, "\" \r"), "uuid") }
	for _, c := range ",;\t" {
		if slices.ContainsFunc(strings.Split(header, string(c)), isUUID) {
			return c
		}
	}
	return ','
}

// object is a row as a line of JSON, without empty columns.
func object(header, row []string) []byte {
	members := make(map[string]any)
	for i, name := range header[:min(len(header), len(row))] {
		name = strings.ToLower(strings.TrimSpace(name))
		n, err := strconv.Atoi(row[i])
		switch {
		case name == "repeat" && err == nil:
			members[name] = n
		case name != "" && (row[i] != "" || name == "answer"):
			members[name] = row[i]
		}
	}
	raw, _ := json.Marshal(members) // texts and numbers always have a form
	return raw
}

// Answer is an answer of a file of predictions.
type Answer struct {
	UUID       string
	Repeat     int
	Prediction eval.Prediction
}

// Answers reads a file of predictions; of several for a question and repeat, the first counts. Faults are lines that are
// left out. A file without a prediction is an error.
func Answers(path string) (list []Answer, faults []*dataset.Fault, err error) {
	type id struct {
		uuid   string
		repeat int
	}
	known := make(map[id]bool)
	for block, err := range blocks(path) {
		if err != nil {
			return nil, nil, err
		}
		out := decodePredictions(block)
		faults = append(faults, out.faults...)
		for _, p := range out.predictions {
			a := Answer{UUID: p.uuid, Repeat: max(p.repeat, 0), Prediction: p.answer}
			if known[id{a.UUID, a.Repeat}] {
				at := dataset.Place{File: out.file, Line: p.line, UUID: p.uuid}
				faults = append(faults, &dataset.Fault{Place: at, Text: "a second prediction; the first one counts"})
				continue
			}
			known[id{a.UUID, a.Repeat}] = true
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		err = fmt.Errorf("%s has no prediction: a line is an object with uuid and answer", path)
		if len(faults) > 0 {
			err = fmt.Errorf("%w; the first fault: %w", err, faults[0])
		}
	}
	return list, faults, err
}
