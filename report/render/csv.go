package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/report"
)

// writeCSV prints the chosen columns of the data, or one table with a column for every number and condition, or several
// tables with one number per line. No cell is a formula to a spreadsheet.
func (d Document) writeCSV(w io.Writer, o Options) error {
	if len(d.Columns) > 0 {
		return terminal.WriteCSV(w, d.fieldsOfData(), o.Width > 0)
	}
	tables := d.tables()
	if len(tables) == 0 {
		return errors.New("no table to write as CSV; choose another format")
	}
	records := [][]string{{"table", "section", "name", "measure", "value"}}
	if len(tables) == 1 {
		records = wide(tables[0].unrepeated())
	} else {
		for _, t := range tables {
			for _, l := range t.Lines {
				for i, v := range l.Values {
					if v.Text != "" {
						records = append(records, []string{t.Name, l.Section, l.Label, t.Heads[i].Name, v.Text})
					}
				}
			}
		}
	}
	return terminal.WriteCSV(w, slices.Values(records), true)
}

// fieldsOfData yields the columns of the data, after their names.
func (d Document) fieldsOfData() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		if !yield(d.Columns) {
			return
		}
		for object := range d.data() {
			raw, _ := json.Marshal(object) // as for its line of JSON
			var root map[string]any
			decoder := json.NewDecoder(bytes.NewReader(raw))
			decoder.UseNumber()
			_ = decoder.Decode(&root)
			record := make([]string, len(d.Columns))
			for i, path := range d.Columns {
				record[i] = field(root, path)
			}
			if !yield(record) {
				return
			}
		}
	}
}

// field is the value at a path: a string as it is, nothing for null, and other values as JSON.
func field(object map[string]any, path string) string {
	var value any = object
	for key := range strings.SplitSeq(path, ".") {
		in, _ := value.(map[string]any)
		value = in[key]
	}
	if text, ok := value.(string); ok || value == nil {
		return text
	}
	text, _ := ledger.EncodeText(value) // it was JSON before
	return text
}

// wide has a record for each line of a table: n and interval after each score, and at the end the missing scores of a
// run and its scoring rules.
func wide(t sheet) [][]string {
	head := []string{t.Label}
	if t.Section != "" {
		head = append(head, t.Section)
	}
	for _, h := range t.Heads {
		head = append(head, h.Name)
		if h.Scored {
			for _, of := range cellFields {
				head = append(head, of+" "+h.Name)
			}
		}
	}
	runs := t.Section != ""
	if runs && !t.Tidy {
		head = append(head, "Unscored", "Partly scored", "Not run", "Damaged", "Unscored answers")
	}
	if runs {
		head = append(head, "Scoring", "Judge", "Dir")
	}
	records := [][]string{head}
	for _, l := range t.Lines {
		records = append(records, t.record(l, runs))
	}
	return records
}

func (t sheet) record(l report.Line, runs bool) []string {
	line := []string{l.Label}
	if t.Section != "" {
		line = append(line, l.Section)
	}
	for i, v := range l.Values {
		if v.Text == "-" { // no value is an empty field
			v.Text = ""
		}
		line = append(line, v.Text)
		if t.Heads[i].Scored {
			line = append(line, fields(v)...)
		}
	}
	switch r := l.Row; {
	case !runs:
	case r == nil:
		line = append(line, append(make([]string, 2+len(missing(&report.Row{}, t.Tidy))), "AirQA paper")...)
	default:
		line = append(append(line, missing(r, t.Tidy)...), r.Scoring, r.Judge, r.Dir)
	}
	return line
}

// cellFields are the columns that follow a score, as [fields] fills them.
var cellFields = []string{"n", "low", "high", "se", "se clustered", "unscored"}

// fields are empty if there is no value.
func fields(v report.Value) []string {
	if v.Cell == nil {
		return make([]string, len(cellFields))
	}
	low, high := "", ""
	if i := v.Cell.Interval; i != nil && v.Cell.Shown() {
		low, high = fixed(i.Low), fixed(i.High)
	}
	return []string{v.Count(), low, high, v.Error(), v.ClusteredError(), strconv.Itoa(v.Cell.Unscored)}
}

// missing counts the questions missing from the scores of a run; nothing for a table of observations.
func missing(r *report.Row, tidy bool) []string {
	if tidy {
		return nil
	}
	var counts []string
	for _, n := range []int{r.Unscored, r.Partial, r.Unfinished, r.Damaged, r.UnscoredAnswers} {
		counts = append(counts, strconv.Itoa(n))
	}
	return counts
}

// fixed prints a number with two decimals.
func fixed(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
