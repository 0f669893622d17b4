package dataset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// table is a file with columns.
type table struct {
	path  string
	comma rune
	names []string // of the header
	// fields has the field of each column; "" for a column without a meaning, or whose meaning another one has.
	fields []string
	// skip means that a line precedes the header.
	skip bool
}

// commas are the separators of tables, with their names.
var commas = map[rune]string{',': "commas", ';': "semicolons", '\t': "tabs"}

// tableOf reads the header of a table: the line that has a column for questions with one of the separators. It returns
// nil if there is none. Of two columns with one meaning, the one with the plain name counts, else the first.
func tableOf(path string, line []byte) *table {
	var best *table
	for _, comma := range []rune{',', ';', '\t'} {
		in := csv.NewReader(bytes.NewReader(line))
		in.Comma = comma
		header, err := in.Read()
		if err != nil {
			continue
		}
		t := &table{path: path, comma: comma, names: header, fields: make([]string, len(header))}
		for _, plain := range []bool{true, false} {
			for i, name := range header {
				field := Field(name)
				if plain == (strings.TrimSpace(strings.ToLower(name)) == field) && !slices.Contains(t.fields, field) {
					t.fields[i] = field
				}
			}
		}
		if slices.Contains(t.fields, "question") && (best == nil || len(t.names) > len(best.names)) {
			best = t
		}
	}
	return best
}

// note is how the columns are read, and which ones are not.
func (t *table) note() string {
	var read, unread []string
	for i, name := range t.names {
		switch name = strings.TrimSpace(name); {
		case name == "":
		case t.fields[i] == "":
			unread = append(unread, fmt.Sprintf("%q", name))
		case t.fields[i] == name:
			read = append(read, name)
		default:
			read = append(read, fmt.Sprintf("%s (column %q)", t.fields[i], name))
		}
	}
	text := "a table separated by " + commas[t.comma] + ": " + strings.Join(read, ", ")
	if len(unread) > 0 {
		text += "; columns not used: " + strings.Join(unread, ", ") + " (known: " + Fields + ")"
	}
	return text
}

// separator matches the line by which Excel finds the separator of a file.
var separator = regexp.MustCompile(`(?i)^sep=.?$`)

// records yields the rows of the table.
func (t *table) records(text []byte, first string, yield func(Record, error) bool) {
	rows := csv.NewReader(bytes.NewReader(text))
	rows.Comma, rows.FieldsPerRecord = t.comma, -1
	for header := false; ; {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(Record{}, fmt.Errorf("questions %s: read the table: %w", t.path, err))
			return
		}
		if t.skip || !header {
			header, t.skip = !t.skip, false
			continue
		}
		line, _ := rows.FieldPos(0)
		r := Record{Place: Place{File: t.path, Line: line}, Note: first, Plain: true}
		first = ""
		if n := lastCell(row); n > len(t.names) {
			r.Fault = fmt.Sprintf("%d cells for %d columns: enclose text that contains the separator in double quotes", n, len(t.names))
		} else if n > 0 {
			r.Raw = marshalled(t.object(row[:n]))
		}
		if (r.Raw != nil || r.Fault != "") && !yield(r, nil) {
			return
		}
	}
}

// lastCell returns the number of cells up to the last one that is not empty.
func lastCell(row []string) int {
	n := len(row)
	for n > 0 && strings.TrimSpace(row[n-1]) == "" {
		n--
	}
	return n
}

// object is a row by field; unknown columns keep their names.
func (t *table) object(row []string) map[string]any {
	object := make(map[string]any)
	for i, cell := range row {
		name := t.fields[i]
		if name == "" {
			name = strings.TrimSpace(t.names[i])
		}
		switch {
		case name == "" || strings.TrimSpace(cell) == "":
		case (name == "evaluator" || name == "eval_kwargs" || name == "state") && json.Valid([]byte(cell)):
			object[name] = json.RawMessage(cell)
		default:
			object[name] = cell
		}
	}
	if f, ok := object["eval_func"]; ok && object["evaluator"] == nil {
		object["evaluator"] = map[string]any{"eval_func": f, "eval_kwargs": object["eval_kwargs"]}
		delete(object, "eval_func")
		delete(object, "eval_kwargs")
	}
	return object
}

// marshalled is an object as JSON. A fault becomes the text of an unreadable row.
func marshalled(object map[string]any) []byte {
	raw, err := json.Marshal(object)
	if err != nil {
		return []byte(err.Error())
	}
	return raw
}

// meanings are the fields of question files under the names that other files have for them, as letters and digits in
// lower case. "papers" and "references" are names of papers or their UUIDs; "answers" are alternatives.
var meanings = func() map[string]string {
	names := make(map[string]string)
	for field, list := range map[string]string{
		"question":        "question questions query prompt q questiontext userinput",
		"answer":          "answer a gold goldanswer goldenanswer goldstandard goldlabel expected expectedanswer expectedoutput groundtruth groundtruthanswer truth target referenceanswer correctanswer rightanswer trueanswer correct solution",
		"answers":         "answers goldanswers goldenanswers groundtruths correctanswers referenceanswers acceptableanswers",
		"uuid":            "uuid id qid questionid questionuuid",
		"type":            "type answertype",
		"papers":          "papers paper paperid paperids papertitle papertitles papername paperuuid pdf pdfs pdfid pdfname pdffile anchorpdf anchorpdfs file files filename filenames document documents documentid documentname doc docs docid",
		"references":      "references reference referencepdf referencepdfs referencepaper referencepapers",
		"answer_format":   "answerformat format outputformat",
		"tags":            "tags tag",
		"conference":      "conference conferences venue venues",
		"evaluator":       "evaluator",
		"eval_func":       "evalfunc evalfunction",
		"eval_kwargs":     "evalkwargs",
		"reasoning_steps": "reasoningsteps",
		"annotator":       "annotator",
		"state":           "state",
	} {
		for name := range strings.FieldsSeq(list) {
			names[name] = field
		}
	}
	return names
}()

// Field returns the field that a name of a field or column stands for, whatever its case, spaces and punctuation; "" for
// a name without a meaning.
func Field(name string) string {
	name = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), "(s)")
	return meanings[strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)]
}

// Fields lists the fields of tables of questions, for messages.
const Fields = "question, answer, answers, type, papers, references, tags, answer_format, conference, id, eval_func, eval_kwargs"
