package report

import (
	"embed"
	"fmt"
	"strings"
)

// The rows of the AirQA paper, each file with the number of its table: tab-separated, in the paper's order and
// with its digits. Baselines have the names that airqa gives them.
//
//go:embed paper/table*.tsv
var paperFiles embed.FS

// PaperTable is a table of the AirQA paper (Huang et al.).
type PaperTable struct {
	// Table is the paper's number of it.
	Table   string     `json:"table"`
	Columns []string   `json:"columns"`
	Rows    []PaperRow `json:"rows"`
}

// PaperRow is a line of a [PaperTable], with the digits of the paper; "-" is its sign for what it does not give.
type PaperRow struct {
	Model    string   `json:"model"`
	Baseline string   `json:"baseline"`
	Cells    []string `json:"cells"`
}

// Paper returns the paper's own table of a number: "4", "5", "7" or "13".
func Paper(number string) (PaperTable, error) {
	raw, err := paperFiles.ReadFile("paper/table" + number + ".tsv")
	if err != nil {
		return PaperTable{}, fmt.Errorf("the paper's table %s is not among those that airqa knows", number)
	}
	lines := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	p := PaperTable{Table: number, Columns: strings.Split(lines[0], "\t")[2:]}
	for _, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		p.Rows = append(p.Rows, PaperRow{Model: fields[0], Baseline: fields[1], Cells: fields[2:]})
	}
	return p, nil
}

// PaperMark follows the name of a model wherever a row is the paper's, not a run's.
const PaperMark = " (paper)"

// add puts the paper's lines of a table after ours. order names a paper's column for each column of the table, "" for
// one that the paper does not have.
func (p PaperTable) add(t *Table, order []string) {
	for _, r := range p.Rows {
		byColumn := make(map[string]string)
		for i, c := range p.Columns {
			byColumn[c] = r.Cells[i]
		}
		l := t.line(r.Model+PaperMark, r.Baseline)
		l.Paper = true
		for _, name := range order {
			l.Values = append(l.Values, Value{Text: orDash(byColumn[name])})
		}
		t.Lines = append(t.Lines, l)
	}
}

// addPaper puts the paper's lines of a table and what they are.
func (t *Table) addPaper(number string, order []string) error {
	p, err := Paper(number)
	if err != nil {
		return err
	}
	p.add(t, order)
	t.Notes = append(t.Notes, fmt.Sprintf("Rows marked%s are those of Table %s of the AirQA paper: its questions, its papers, its judge.", PaperMark, number))
	return nil
}
