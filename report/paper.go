package report

import (
	"embed"
	"fmt"
	"strings"
)

// The rows of the AirQA paper, one file per table: tab-separated, in the paper's order and with its digits. Baselines
// have airqa's names.
//
//go:embed paper/table*.tsv
var paperFiles embed.FS

// PaperTable is a table of the AirQA paper (Huang et al.).
type PaperTable struct {
	// Table is the table number in the paper.
	Table   string     `json:"table"`
	Columns []string   `json:"columns"`
	Rows    []PaperRow `json:"rows"`
}

// PaperRow is a line of a [PaperTable], with the digits of the paper; "-" means not given.
type PaperRow struct {
	Model    string   `json:"model"`
	Baseline string   `json:"baseline"`
	Cells    []string `json:"cells"`
}

// PaperTables are the numbers of the paper's tables that a report has.
func PaperTables() []string { return []string{"4", "5", "6", "7", "10", "11", "12", "13"} }

// Paper returns a table of the paper by number: one of [PaperTables], or "14" and "15", the causes of wrong answers, whose
// first column is the cause and whose others are numbers of answers.
func Paper(number string) (PaperTable, error) {
	raw, err := paperFiles.ReadFile("paper/table" + number + ".tsv")
	if err != nil {
		return PaperTable{}, fmt.Errorf("airqa does not include the paper's table %s", number)
	}
	lines := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	p := PaperTable{Table: number, Columns: strings.Split(lines[0], "\t")[2:]}
	for _, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		p.Rows = append(p.Rows, PaperRow{Model: fields[0], Baseline: fields[1], Cells: fields[2:]})
	}
	return p, nil
}

// PaperMark follows the name of a model in rows taken from the paper.
const PaperMark = " (paper)"

// addPaper appends the paper's lines and a note on them, if o asks for them.
func (t *Table) addPaper(o Options, number string, columns []column) error {
	if !o.WithPaper {
		return nil
	}
	p, err := Paper(number)
	if err != nil {
		return err
	}
	for _, r := range p.Rows {
		byColumn := make(map[string]string)
		for i, c := range p.Columns {
			byColumn[c] = r.Cells[i]
		}
		l := t.line(r.Model+PaperMark, r.Baseline)
		l.Paper = true
		for _, c := range columns {
			l.Values = append(l.Values, Value{Text: orDash(byColumn[c.paper])})
		}
		t.Lines = append(t.Lines, l)
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Rows marked%s are from Table %s of the AirQA paper, with its own questions, papers and judge.",
		PaperMark, number))
	return nil
}
