package companion

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"airqa/bench/qasper"
	"airqa/internal/atomicfile"
	"airqa/internal/exit"
	"airqa/qa/dataset"
	"airqa/report"
)

func qasperBenchmark() Benchmark {
	b := Benchmark{
		Name: "qasper", About: "questions about a paper: an answer, and the paragraphs that support it",
		Load: loadQASPER, Stats: qasperStats, Baseline: qasperBaseline, Score: qasperScore, predict: predictQASPER,
	}
	about := map[string]string{
		"tfidf":        "the paragraph most similar to the question, as answer and evidence",
		"first":        "the first paragraph, as answer and evidence",
		"random":       "a paragraph drawn as the authors' script does, as answer and evidence",
		"unanswerable": "Unanswerable for every question",
		"yes":          "Yes for every question",
		"echo":         "the question itself",
		"oracle":       "the first annotation: the ceiling",
	}
	for _, name := range qasper.Methods() {
		b.Methods = append(b.Methods, Method{name, about[name]})
	}
	return b
}

func loadQASPER(path string) (*dataset.Companion, error) {
	c, err := dataset.QASPER(path, true)
	return &c, err
}

// Columns of QASPER's tables.
const (
	answerF1   = "Answer-F1"
	evidenceF1 = "Evidence-F1"
)

func qasperOptions(r Request) qasper.Options {
	return qasper.Options{Fixed: r.Fixed, TextOnly: r.TextOnly}
}

// qasperTables are filled with a row for each system.
type qasperTables struct {
	scores, types, first, script Table
	request                      Request
}

func newQASPERTables(r Request) *qasperTables {
	return &qasperTables{
		request: r,
		scores:  Table{Name: "scores", Title: "Scores, %", Label: "system", Decimals: 2},
		types:   Table{Name: "types", Title: "Answer-F1 by the type of the annotation matched best, without missing predictions, %", Label: "system", Decimals: 2},
		first:   Table{Name: "first", Title: "Answer-F1 by the type of the first annotation, with missing predictions, %", Label: "system", Decimals: 2},
		script:  Table{Name: "script", Title: "Evidence-F1 by the rule of the authors' script of heuristics, %", Label: "system", Decimals: 2},
	}
}

// means adds a measure; without questions it has no value.
func (t *qasperTables) mean(table *Table, row, column string, m qasper.Mean) {
	v := measure(row, column, 100*m.Value, m.N)
	if m.N == 0 {
		v.Value = nil
	} else if t.request.Bootstrap > 0 && table == &t.scores {
		i := m.Interval(t.request.Bootstrap, t.request.Seed, report.Level).Scale(100)
		v.Interval = &i
	}
	table.Measures = append(table.Measures, v)
}

func (t *qasperTables) add(row string, s qasper.Scores) {
	t.mean(&t.scores, row, answerF1, s.Answer)
	t.mean(&t.scores, row, evidenceF1, s.Evidence)
	for i := range s.ByType {
		t.mean(&t.types, row, s.ByType[i].Type, s.ByType[i].Mean)
		t.mean(&t.first, row, s.ByFirst[i].Type, s.ByFirst[i].Mean)
	}
}

// baseline adds a method.
func (t *qasperTables) baseline(c *dataset.Companion, method string) ([]qasper.Prediction, error) {
	p, err := qasper.Baseline(*c, method, qasper.ScriptSeed)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	s, err := qasper.Score(c.Items, p, qasperOptions(t.request))
	if err != nil {
		return nil, err
	}
	t.add(method, s)
	if slices.Contains([]string{"tfidf", "first", "random"}, method) {
		t.mean(&t.script, method, evidenceF1, qasper.ScriptEvidenceF1(c.Items, p))
	}
	if method == "random" {
		t.mean(&t.scores, "random, expectation", evidenceF1, qasper.RandomEvidence(*c, qasperOptions(t.request)))
	}
	return p, nil
}

// tables are those with rows; in fixed mode both groupings are the same.
func (t *qasperTables) tables() []Table {
	list := []Table{t.scores, t.types, t.first, t.script}
	if t.request.Fixed {
		list = []Table{t.scores, t.first, t.script}
	}
	return slices.DeleteFunc(list, func(t Table) bool { return len(t.Measures) == 0 })
}

func qasperBaseline(_ context.Context, r Request) (*Result, error) {
	c, err := loadQASPER(r.Dataset)
	if err != nil {
		return nil, err
	}
	t := newQASPERTables(r)
	methods := qasper.Methods()
	if r.Method != "" {
		methods = []string{r.Method}
	}
	var predictions []qasper.Prediction
	for _, m := range methods {
		if predictions, err = t.baseline(c, m); err != nil {
			return nil, err
		}
	}
	if r.Export != "" && r.Method == "" {
		return nil, exit.Misuse("--export needs --method: a file has the predictions of one method")
	}
	if err := qasperExport(r, predictions); err != nil {
		return nil, err
	}
	result := newResult(c.Name, "QASPER: baselines", r, c.Faults)
	if h := qasper.Human(c.Items, qasperOptions(r)); r.Method == "" && h.Answer.N > 0 {
		t.add("human lower bound", h)
	}
	result.Tables, result.Notes = t.tables(), append(result.Notes, qasperNotes(r)...)
	if len(t.script.Measures) > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("random draws as Python does, with seed %d. The script's rule is 0 as soon as an annotation shares nothing with the paragraph, and its precision is always 1: its values are not comparable to Evidence-F1.", qasper.ScriptSeed))
	}
	return result, nil
}

// qasperExport writes predictions in the official form.
func qasperExport(r Request, p []qasper.Prediction) error {
	if r.Export == "" {
		return nil
	}
	return atomicfile.Write(r.Export, func(w io.Writer) error { return qasper.Write(w, p) })
}

func qasperScore(_ context.Context, r Request) (*Result, error) {
	c, err := loadQASPER(r.Dataset)
	if err != nil {
		return nil, err
	}
	p, faults, err := qasper.Read(r.Predictions)
	if err != nil {
		return nil, err
	}
	p, unknown := qasper.Verbatim(*c, p)
	s, err := qasper.Score(c.Items, p, qasperOptions(r))
	if err != nil {
		return nil, err
	}
	if err := qasperExport(r, p); err != nil {
		return nil, err
	}
	t := newQASPERTables(r)
	t.add("predictions", s)
	if h := qasper.Human(c.Items, qasperOptions(r)); h.Answer.N > 0 {
		t.add("human lower bound", h)
	}
	for _, m := range []string{"unanswerable", "yes", "echo", "tfidf", "random"} {
		if _, err := t.baseline(c, m); err != nil {
			return nil, err
		}
	}
	t.script.Measures = nil
	result := newResult(c.Name, "QASPER: "+filepath.Base(r.Predictions), r, slices.Concat(faults, c.Faults))
	result.Tables = t.tables()
	if unknown > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("evidence that is not in the paper: %d", unknown))
	}
	result.Notes = slices.Concat(result.Notes, []string{fmt.Sprintf("Missing predictions: %d of %d, which score 0.", s.Missing, s.Answer.N)}, s.Notes, qasperNotes(r))
	if r.Bootstrap > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("95 %% intervals: bootstrap clustered by paper, %d rounds, seed %d; too narrow with fewer than about 20 papers.", r.Bootstrap, r.Seed))
	}
	return result, nil
}

func qasperNotes(r Request) []string {
	notes := []string{"Each question counts the annotation that it matches best. The human lower bound scores each annotation against the others, for questions with three or more; n counts annotations."}
	if r.Fixed {
		return append(notes, "Scored with fixed rules.")
	}
	return append(notes, "Scored as the official evaluator does.")
}
