package qasper

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"airqa/bench"
	"airqa/internal/files"
	"airqa/qa"
	"airqa/report"
)

// Benchmark returns QASPER with its commands.
func Benchmark() bench.Benchmark {
	return bench.Benchmark{
		Name: "qasper", About: "questions about a paper: an answer, and the paragraphs that support it",
		Methods: Methods(), Load: Load, Stats: countData, Baseline: baselines, Score: scoreFile,
		Prediction: func(it bench.Item, a qa.Answer) any {
			return Prediction{ID: it.UUID, Answer: a.Text, Evidence: bench.NoNull(a.Evidence)}
		},
	}
}

// Columns and a row of the tables.
const (
	answerColumn   = "Answer-F1"
	evidenceColumn = "Evidence-F1"
	humanRow       = "human lower bound"
)

// tables are filled with a row for each system.
type tables struct {
	scores, types, first, script bench.Table

	data    *bench.Dataset
	request bench.Request
	options Options
}

func newTables(data *bench.Dataset, r bench.Request) *tables {
	table := func(name, title string) bench.Table {
		return bench.Table{Name: name, Title: title, Label: "system", Decimals: 2}
	}
	return &tables{
		scores: table("scores", "Scores, %"),
		types:  table("types", "Answer-F1 by the type of the annotation matched best, without missing predictions, %"),
		first:  table("first", "Answer-F1 by the type of the first annotation, with missing predictions, %"),
		script: table("script", "Evidence-F1 by the rule of the authors' script of heuristics, %"),
		data:   data, request: r, options: Options{Fixed: r.Fixed, TextOnly: r.TextOnly},
	}
}

// percent is a mean in %; without questions it has no value.
func percent(row, column string, m Mean) bench.Measure {
	v := bench.Value(row, column, 100*m.Value).Over(m.N)
	if m.N == 0 {
		v.Value = nil
	}
	return v
}

// addScore adds a mean to the scores, with its interval.
func (t *tables) addScore(row, column string, m Mean) {
	v := percent(row, column, m)
	if m.N > 0 && t.request.Bootstrap > 0 {
		v = v.Within(m.Interval(t.request.Bootstrap, t.request.Seed, report.Level).Scale(100))
	}
	t.scores.Add(v)
}

// add adds a system.
func (t *tables) add(row string, s Scores) {
	t.addScore(row, answerColumn, s.Answer)
	t.addScore(row, evidenceColumn, s.Evidence)
	for i := range s.ByType {
		t.types.Add(percent(row, s.ByType[i].Type, s.ByType[i].Mean))
		t.first.Add(percent(row, s.ByFirst[i].Type, s.ByFirst[i].Mean))
	}
}

// addHuman adds the human lower bound, if there are questions with enough annotations.
func (t *tables) addHuman() {
	if h := Human(t.data.Items, t.options); h.Answer.N > 0 {
		t.add(humanRow, h)
	}
}

// addBaseline adds a method.
func (t *tables) addBaseline(method string) ([]Prediction, error) {
	p, err := Baseline(t.data, method, ScriptSeed)
	if err != nil {
		return nil, err
	}
	s, err := Score(t.data.Items, p, t.options)
	if err != nil {
		return nil, err
	}
	t.add(method, s)
	if slices.Contains([]string{"tfidf", "first", "random"}, method) {
		t.script.Add(percent(method, evidenceColumn, ScriptEvidenceF1(t.data.Items, p)))
	}
	if method == "random" {
		t.addScore("random, expectation", evidenceColumn, RandomEvidence(t.data, t.options))
	}
	return p, nil
}

// filled are the tables with rows; in fixed mode both groupings are the same.
func (t *tables) filled() []bench.Table {
	list := []bench.Table{t.scores, t.types, t.first, t.script}
	if t.request.Fixed {
		list = []bench.Table{t.scores, t.first, t.script}
	}
	return slices.DeleteFunc(list, func(t bench.Table) bool { return len(t.Measures) == 0 })
}

func baselines(_ context.Context, r bench.Request) (*bench.Result, error) {
	data, err := Load(r.Dataset)
	if err != nil {
		return nil, err
	}
	t := newTables(data, r)
	methods := []string{r.Method}
	if r.Method == "" {
		methods = methodNames()
	}
	var predictions []Prediction
	for _, m := range methods {
		if predictions, err = t.addBaseline(m); err != nil {
			return nil, err
		}
	}
	if err := export(r, predictions); err != nil {
		return nil, err
	}
	if r.Method == "" {
		t.addHuman()
	}
	result := bench.NewResult(data.Name, "QASPER: baselines", r.Dataset, data.Faults)
	result.Tables = t.filled()
	result.Note(notes(r)...)
	if len(t.script.Measures) > 0 {
		result.Note(fmt.Sprintf("random draws as Python does, with seed %d. The script's rule is 0 as soon as an annotation shares nothing with "+
			"the paragraph, and its precision is always 1: its values are not comparable to Evidence-F1.", ScriptSeed))
	}
	return result, nil
}

// export writes predictions in the official form, if a file is given.
func export(r bench.Request, p []Prediction) error {
	if r.Export == "" {
		return nil
	}
	return files.Write(r.Export, func(w io.Writer) error { return WritePredictions(w, p) })
}

func scoreFile(_ context.Context, r bench.Request) (*bench.Result, error) {
	data, err := Load(r.Dataset)
	if err != nil {
		return nil, err
	}
	p, faults, err := ReadPredictions(r.Predictions)
	if err != nil {
		return nil, err
	}
	p, unknown := Verbatim(data, p)
	t := newTables(data, r)
	s, err := Score(data.Items, p, t.options)
	if err != nil {
		return nil, err
	}
	if err := export(r, p); err != nil {
		return nil, err
	}
	t.add("predictions", s)
	t.addHuman()
	for _, m := range []string{"unanswerable", "yes", "echo", "tfidf", "random"} {
		if _, err := t.addBaseline(m); err != nil {
			return nil, err
		}
	}
	t.script.Measures = nil
	result := bench.NewResult(data.Name, "QASPER: "+filepath.Base(r.Predictions), r.Dataset, slices.Concat(faults, data.Faults))
	result.Tables = t.filled()
	result.Note(fmt.Sprintf("Missing predictions: %d of %d, which score 0.", s.Missing, s.Answer.N))
	result.Note(s.Notes...)
	if unknown > 0 {
		result.Note(fmt.Sprintf("evidence that is not in the paper: %d", unknown))
	}
	result.Note(notes(r)...)
	result.NoteBootstrap(r.Bootstrap, r.Seed)
	return result, nil
}

func notes(r bench.Request) []string {
	rules := "Scored as the official evaluator does."
	if r.Fixed {
		rules = "Scored with fixed rules."
	}
	return []string{
		"Each question counts the annotation that it matches best. The human lower bound scores each annotation against the others, " +
			"for questions with three or more; n counts annotations.",
		rules,
	}
}
