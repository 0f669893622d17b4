package report_test

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/report"
)

// The rows of the paper are complete, and its averages match its own question types, which would reveal a copying
// error.
func TestPaperScores(t *testing.T) {
	// The paper's Table 2.
	questions := map[string]float64{"sgl.": 351, "multi.": 323, "retr.": 288, "comp.": 284}
	// 885 objective and 361 subjective questions follow from the averages.
	evaluations := map[string]float64{"obj.": 885, "subj.": 361}
	for table, rows := range map[string]int{"4": 16, "5": 7, "6": 7} {
		p := paper(t, table, rows)
		var names []string
		for _, c := range report.Columns() {
			names = append(names, c.Name)
		}
		if !slices.Equal(names, p.Columns) {
			t.Fatalf("table %s: columns %v", table, p.Columns)
		}
		for _, r := range p.Rows {
			cells := numbers(t, p, r)
			if r.Baseline == "agentic-hybrid" && strings.HasPrefix(r.Model, "GPT-4o") {
				delete(cells, "sgl.") // the paper's digits do not add up here: its question types give 35.72
			}
			for _, weights := range []map[string]float64{questions, evaluations} {
				sum := 0.0
				for name, n := range weights {
					sum += n * cells[name]
				}
				if _, whole := cells["sgl."]; !whole && weights["sgl."] > 0 {
					continue
				}
				if math.Abs(sum/1246-cells["AVG"]) > 0.015 {
					t.Errorf("table %s, %s, %s: AVG %v, from its parts %.2f", table, r.Model, r.Baseline, cells["AVG"], sum/1246)
				}
			}
		}
	}
}

func TestPaperOthers(t *testing.T) {
	for _, r := range paper(t, "7", 4).Rows {
		if cells := numbers(t, paper(t, "7", 4), r); cells["Overall"] < 15 || cells["Error rate"] < 6 {
			t.Errorf("%s: %v", r.Model, cells)
		}
	}
	p := paper(t, "13", 6)
	for i, r := range p.Rows {
		if priced := r.Cells[len(r.Cells)-1] != "-"; priced != (i > 2) {
			t.Errorf("%s, %s: cost %s", r.Model, r.Baseline, r.Cells[len(r.Cells)-1])
		}
		numbers(t, report.PaperTable{Columns: p.Columns[:4]}, report.PaperRow{Model: r.Model, Baseline: r.Baseline, Cells: r.Cells[:4]})
	}
	if _, err := report.Paper("8"); err == nil {
		t.Error("a table that is not there")
	}
}

// Rows that several tables of the paper print are the same: the 7B model before and after training.
func TestPaperTablesAgree(t *testing.T) {
	at := func(table string, rows, row int, column string) string {
		p := paper(t, table, rows)
		numbers(t, p, p.Rows[row])
		return p.Rows[row].Cells[slices.Index(p.Columns, column)]
	}
	for _, column := range []string{"sgl.", "multi.", "retr.", "comp.", report.Average} {
		if base, again := at("6", 7, 2, column), at("11", 3, 0, column); base != again {
			t.Errorf("%s of the base model: %s in Table 6, %s in Table 11", column, base, again)
		}
	}
	for row, of7 := range map[int]int{2: 0, 3: 3} {
		if got, want := at("6", 7, row, report.Average), at("7", 4, of7, "Overall"); got != want {
			t.Errorf("%s in Table 6, %s in Table 7", got, want)
		}
	}
}

// The causes of Tables 14 and 15 add up to 60 answers, 15 of each type.
func TestPaperCauses(t *testing.T) {
	for table, rows := range map[string]int{"14": 5, "15": 6} {
		sums := make(map[string]float64)
		for _, r := range paper(t, table, rows).Rows {
			cells := numbers(t, report.PaperTable{Columns: []string{"sgl.", "multi.", "retr.", "comp.", "Total"}}, report.PaperRow{Model: r.Cells[0], Cells: r.Cells[1:]})
			types := 0.0
			for name, n := range cells {
				if sums[name] += n; name != "Total" {
					types += n
				}
			}
			if types != cells["Total"] {
				t.Errorf("table %s, %s: %v", table, r.Cells[0], cells)
			}
		}
		if diff := cmp.Diff(map[string]float64{"sgl.": 15, "multi.": 15, "retr.": 15, "comp.": 15, "Total": 60}, sums); diff != "" {
			t.Errorf("table %s (-want +got):\n%s", table, diff)
		}
	}
}

// Each number is printed in that table of the paper, in this order.
func TestPaperDigits(t *testing.T) {
	raw, err := os.ReadFile("../../shared/papers/airqa.txt")
	if err != nil {
		t.Skip("the text of the paper is not beside the checkout")
	}
	text := strings.NewReplacer("<b>", "", "</b>", "", "|", " ").Replace(string(raw))
	for _, table := range append(report.PaperTables(), "14", "15") {
		p, err := report.Paper(table)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(text, "\nTable "+table+":")
		for _, r := range p.Rows {
			for _, cell := range r.Cells {
				if _, err := strconv.ParseFloat(cell, 64); err == nil && found {
					_, rest, found = strings.Cut(rest, cell)
				}
			}
			if !found {
				t.Errorf("table %s: the paper has no row %s, %s, %v", table, r.Model, r.Baseline, r.Cells)
				break
			}
		}
	}
}

func paper(t *testing.T, table string, rows int) report.PaperTable {
	t.Helper()
	p, err := report.Paper(table)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rows) != rows {
		t.Fatalf("table %s has %d rows, want %d", table, len(p.Rows), rows)
	}
	return p
}

func numbers(t *testing.T, p report.PaperTable, r report.PaperRow) map[string]float64 {
	t.Helper()
	if len(r.Cells) != len(p.Columns) {
		t.Fatalf("%s, %s: %d cells for %d columns", r.Model, r.Baseline, len(r.Cells), len(p.Columns))
	}
	cells := make(map[string]float64)
	for i, text := range r.Cells {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Errorf("%s, %s: %v", r.Model, r.Baseline, err)
		}
		cells[p.Columns[i]] = v
	}
	return cells
}
