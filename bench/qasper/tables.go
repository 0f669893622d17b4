package qasper

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"airqa/bench"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Benchmark returns QASPER with its commands.
func Benchmark() bench.Benchmark {
	return bench.Benchmark{
		Name: "qasper", About: "questions about a paper: an answer, and the paragraphs that support it",
		Methods: bench.Methods(methods(ScriptSeed)), Load: Load, Stats: countData, Baseline: baselines, Score: scoreFile,
		Prediction: func(it bench.Item, a qa.Answer) any {
			return Prediction{ID: it.UUID, Answer: a.Text, Evidence: append([]string{}, a.Evidence...)}
		},
	}
}

// evidenceColumn is a column of two tables.
const evidenceColumn = "Evidence-F1"

// tables are filled with a row for each system.
type tables struct {
	scores, types, first, script bench.Table

	data    *bench.Dataset
	request bench.Request
}

// openTables loads the data of a request.
func openTables(r bench.Request) (*tables, error) {
	data, err := Load(r.Dataset)
	if err != nil {
		return nil, err
	}
	table := func(name, title string) bench.Table {
		return bench.Table{Name: name, Title: title, Label: "system", Decimals: 2}
	}
	return &tables{
		scores: table("scores", "Scores, %"),
		types:  table("types", "Answer-F1 by the type of the annotation matched best, without missing predictions, %"),
		first:  table("first", "Answer-F1 by the type of the first annotation, with missing predictions, %"),
		script: table("script", "Evidence-F1 by the rule of the authors' script of heuristics, %"),
		data:   data, request: r,
	}, nil
}

// add adds a system.
func (t *tables) add(row string, s Scores) {
	t.scores.Add(s.Answer.Score(row, "Answer-F1", t.request), s.Evidence.Score(row, evidenceColumn, t.request))
	for _, name := range types {
		t.types.Add(s.ByType.Of(name).Percent(row, name))
		t.first.Add(s.ByFirst.Of(name).Percent(row, name))
	}
}

// addHuman adds the human lower bound, if there are questions with enough annotations.
func (t *tables) addHuman() {
	if h := Human(t.data.Items, t.request.Rules); h.Answer.N() > 0 {
		t.add("human lower bound", h)
	}
}

// addBaseline adds a method.
func (t *tables) addBaseline(method string) ([]Prediction, error) {
	p, err := Baseline(t.data, method, ScriptSeed)
	if err != nil {
		return nil, err
	}
	s, err := Score(t.data.Items, p, t.request.Rules)
	if err != nil {
		return nil, err
	}
	t.add(method, s)
	if slices.Contains([]string{"tfidf", "first", "random"}, method) {
		t.script.Add(ScriptEvidenceF1(t.data.Items, p).Percent(method, evidenceColumn))
	}
	if method == "random" {
		t.scores.Add(RandomEvidence(t.data, t.request.Rules).Score("random, expectation", evidenceColumn, t.request))
	}
	return p, nil
}

// result has the tables with rows; in fixed mode both groupings are the same.
func (t *tables) result(title string, faults ...*dataset.Fault) *bench.Result {
	if t.request.Fixed {
		t.types.Measures = nil
	}
	result := bench.NewResult(t.data.Name, "QASPER: "+title, t.request.Dataset, append(faults, t.data.Faults...))
	for _, table := range []bench.Table{t.scores, t.types, t.first, t.script} {
		if len(table.Measures) > 0 {
			result.Tables = append(result.Tables, table)
		}
	}
	return result
}

func baselines(_ context.Context, r bench.Request) (*bench.Result, error) {
	t, err := openTables(r)
	if err != nil {
		return nil, err
	}
	var predictions []Prediction
	for _, m := range r.Chosen(Benchmark().Methods) {
		if predictions, err = t.addBaseline(m); err != nil {
			return nil, err
		}
	}
	if err := r.WriteExport(func(w io.Writer) error { return WritePredictions(w, predictions) }); err != nil {
		return nil, err
	}
	if r.Method == "" {
		t.addHuman()
	}
	result := t.result("baselines")
	result.Note(notes(r)...)
	if len(t.script.Measures) > 0 {
		result.Note(fmt.Sprintf("random draws as Python does, with seed %d. The script's rule is 0 as soon as an annotation shares nothing with "+
			"the paragraph, and its precision is always 1: its values are not comparable to Evidence-F1.", ScriptSeed))
	}
	return result, nil
}

func scoreFile(_ context.Context, r bench.Request) (*bench.Result, error) {
	t, err := openTables(r)
	if err != nil {
		return nil, err
	}
	p, faults, err := ReadPredictions(r.Predictions)
	if err != nil {
		return nil, err
	}
	p, unknown := Verbatim(t.data, p)
	s, err := Score(t.data.Items, p, r.Rules)
	if err != nil {
		return nil, err
	}
	if err := r.WriteExport(func(w io.Writer) error { return WritePredictions(w, p) }); err != nil {
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
	result := t.result(filepath.Base(r.Predictions), faults...)
	result.Note(fmt.Sprintf("Missing predictions: %d of %d, which score 0.", s.Missing, s.Answer.N()))
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

// countData counts the data as the tables of the paper do.
func countData(_ context.Context, r bench.Request) (*bench.Result, error) {
	data, err := Load(r.Dataset)
	if err != nil {
		return nil, err
	}
	var sizes, answers bench.Means
	perPaper := make(map[string]int)
	mostQuestions, mostAnnotations := 0, 0
	for _, it := range data.Items {
		perPaper[it.Document]++
		n := len(it.Gold.Answers)
		sizes.Of("annotations per question").Add(float64(n))
		sizes.Of("with several annotations, %").Count(n > 1)
		sizes.Of("with three or more, %").Count(n > 2)
		mostAnnotations = max(mostAnnotations, n)
		for _, g := range it.Gold.Answers {
			addAnswer(&answers, g)
		}
	}
	for _, d := range data.Documents {
		sizes.Of("questions per paper").Add(float64(perPaper[d.ID]))
		mostQuestions = max(mostQuestions, perPaper[d.ID])
	}
	result := bench.NewResult(data.Name, "QASPER: data", r.Dataset, data.Faults)
	result.Note(
		"The paper's numbers are about all three splits together.",
		"n of a share is what it is a share of. Evidence of both kinds counts twice, so that these shares add up to more than 100 %.",
	)
	result.Tables = []bench.Table{
		{Name: "sizes", Title: "Papers and questions", Label: "what", Measures: []bench.Measure{
			bench.Count("papers", len(data.Documents)).Paper(1585),
			bench.Count("questions", len(data.Items)).Paper(5049),
			bench.Count("most questions of a paper", mostQuestions).Paper(12),
			bench.Count("most annotations of a question", mostAnnotations).Paper(6),
		}},
		{Name: "means", Title: "Questions and annotations", Label: "what", Decimals: 2, Measures: []bench.Measure{
			sizes.Row("questions per paper").Paper(3.2),
			sizes.Row("annotations per question").Paper(1.6),
			sizes.Row("with several annotations, %").Paper(44),
			sizes.Row("with three or more, %"),
		}},
		{
			Name: "answers", Title: "Annotations: share by type of answer and of evidence, %; words", Label: "what", Decimals: 2,
			Measures: []bench.Measure{
				answers.Row(Extractive).Paper(51.8),
				answers.Row(Abstractive).Paper(24.2),
				answers.Row(Boolean).Paper(13.9),
				answers.Row(Unanswerable).Paper(10.2),
				answers.Row("evidence in the text").Paper(81.6),
				answers.Row("in figures and tables").Paper(11.6),
				answers.Row("no evidence").Paper(12.8),
				answers.Row("several paragraphs, of those with text only").Paper(55.5),
				answers.Row("words of extractive answers").Paper(14.4),
				answers.Row("words of abstractive answers").Paper(15.6),
			},
		},
	}
	return result, nil
}

// addAnswer counts an annotation, with the evidence that the evaluator sees.
func addAnswer(answers *bench.Means, g bench.GoldAnswer) {
	for _, name := range types {
		answers.Of(name).Count(g.Type == name)
	}
	answers.Of("words of " + g.Type + " answers").Add(float64(len(strings.Fields(g.Text))))
	inText, inFloat := 0, 0
	for _, e := range goldEvidence(g) {
		if strings.HasPrefix(e, FloatEvidence) {
			inFloat++
		} else {
			inText++
		}
	}
	answers.Of("evidence in the text").Count(inText > 0)
	answers.Of("in figures and tables").Count(inFloat > 0)
	answers.Of("no evidence").Count(inText+inFloat == 0)
	if inText > 0 && inFloat == 0 {
		answers.Of("several paragraphs, of those with text only").Count(inText > 1)
	}
}
