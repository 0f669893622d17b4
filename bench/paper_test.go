package bench_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
)

func TestBelow(t *testing.T) {
	p := bench.ReadPaper("qasper")
	table := bench.Table{Measures: []bench.Measure{bench.Value("own", "Answer-F1", 1), bench.Value("own", "Evidence-F1", 2)}}
	p.Below(&table, "2, test", "3, test")
	got := make(map[string]float64)
	for _, m := range table.Measures {
		got[m.Row+" "+m.Column] = *m.Value
	}
	for row, want := range map[string]float64{
		"own Answer-F1": 1, "human lower bound (paper, test) Answer-F1": 60.92, "human lower bound (paper, test) Evidence-F1": 71.62,
		"TF-IDF (paper, test) Evidence-F1": 9.20,
	} {
		if got[row] != want {
			t.Errorf("%s is %v, want %v", row, got[row], want)
		}
	}
	if len(got) != 2+6+6 {
		t.Errorf("%d numbers, want the table's own, and one for each system of the tables and column: %v", len(got), got)
	}
	var empty bench.Table
	if p.Below(&empty, "2, test"); len(empty.Measures) > 0 {
		t.Errorf("a table without columns has %v", empty.Measures)
	}
	var means bench.Means
	means.Of("extractive").Count(true)
	rows := p.Rows(means, "1")
	if want := bench.Value("extractive", "value", 100).Over(1).Paper(51.8); !cmp.Equal(rows[0], want) || rows[1].Value != nil {
		t.Errorf("got %+v, want first %+v", rows[:2], want)
	}
}

// Every number is in the paper, and the numbers of a row or of a column follow each other there.
func TestPapers(t *testing.T) {
	for folder, want := range map[string]struct {
		file    string
		numbers int
	}{"qasper": {"qasper", 100}, "argscichat": {"argscichat", 55}, "dorismae": {"doris-mae-appendix", 854}} {
		text, err := os.ReadFile("../../shared/papers/" + want.file + ".txt")
		if err != nil {
			t.Skip(err)
		}
		tokens := numbersOf(string(text))
		n := 0
		for name, table := range bench.ReadPaper(folder) {
			rows, columns := make(map[string][]float64), make(map[string][]float64)
			for _, m := range table {
				if m.Value != nil {
					n++
					rows[m.Row] = append(rows[m.Row], *m.Value)
					columns[m.Column] = append(columns[m.Column], *m.Value)
				}
			}
			prose := strings.HasPrefix(name, "of ") || folder == "qasper" && (name == "1" || name == "5") || folder == "argscichat" && name == "3"
			byRow, byColumn := missing(tokens, rows, prose), missing(tokens, columns, prose)
			if byRow != "" && byColumn != "" {
				t.Errorf("%s, table %s: not in the paper: row %s, column %s", folder, name, byRow, byColumn)
			}
		}
		if n != want.numbers {
			t.Errorf("%s has %d numbers, want %d", folder, n, want.numbers)
		}
	}
}

// missing returns the name of a list whose numbers do not follow each other; single ones of prose may be anywhere.
func missing(tokens []float64, lists map[string][]float64, prose bool) string {
	for name, list := range lists {
		found := false
		for i := range tokens {
			found = found || i+len(list) <= len(tokens) && slices.Equal(tokens[i:i+len(list)], list)
		}
		if prose {
			found = !slices.ContainsFunc(list, func(x float64) bool { return !slices.Contains(tokens, x) })
		}
		if !found {
			return name
		}
	}
	return ""
}

// numbersOf are the numbers of a text in their order, without standard deviations.
func numbersOf(text string) (list []float64) {
	fields := strings.Fields(text)
	for i, f := range fields {
		if x, err := strconv.ParseFloat(strings.Trim(f, "(),%."), 64); err == nil && (i == 0 || fields[i-1] != "±") {
			list = append(list, x)
		}
	}
	return list
}
