package argscichat

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"airqa/bench"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report"
)

// Benchmark returns ArgSciChat with its commands.
func Benchmark() bench.Benchmark {
	b := bench.Benchmark{
		Name: "argscichat", About: "dialogues about papers: the next message, and up to two sentences that support it",
		Load: Load, Stats: countData, Baseline: baselines, Score: scoreFile,
		Prediction: func(it bench.Item, a qa.Answer) any {
			return map[string]any{
				"pair_id": it.UUID, "article_id": it.Document, "predicted_answer": a.Text, "predicted_evidence": bench.NoNull(a.Evidence),
			}
		},
	}
	for _, m := range Methods() {
		b.Methods = append(b.Methods, bench.Method{Name: m.Name, About: m.About})
	}
	return b
}

// Columns of tables.
const (
	rationaleF1 = "Rationale-F1"
	messageF1   = "Message-F1"
)

// paperScores are Table 5 of the paper.
var paperScores = map[string]float64{"tfidf": 16.22, minilm: 13.65}

// addPaper adds the paper's score of a method to a measure of Rationale-F1.
func addPaper(m bench.Measure, method string) bench.Measure {
	if p, ok := paperScores[method]; ok {
		return m.Paper(p)
	}
	return m
}

func baselines(ctx context.Context, r bench.Request) (*bench.Result, error) {
	data, err := Load(r.Dataset)
	if err != nil {
		return nil, err
	}
	result := bench.NewResult(data.Name, "ArgSciChat: baselines", r.Dataset, data.Faults)
	result.Note(notes(data)...)
	if r.Method != "" {
		t, err := foldsOfMethod(ctx, data, r)
		result.Tables = []bench.Table{t}
		return result, err
	}
	t := bench.Table{Name: "methods", Title: "Mean of the folds, %; n is the number of test turns", Label: "method", Decimals: 2}
	for _, m := range Methods() {
		s, err := Baseline(ctx, data, m, r.Embedder)
		if err != nil {
			return nil, err
		}
		v := bench.Value(m.Name, rationaleF1, s.Rationale.OfFolds.Value).Over(s.Rationale.Test.N)
		t.Add(addPaper(v, m.Name), bench.Value(m.Name, messageF1, s.Message.OfFolds.Value).Over(s.Message.Test.N))
	}
	result.Tables = []bench.Table{t}
	return result, nil
}

// foldsOfMethod has a row for each fold.
func foldsOfMethod(ctx context.Context, data *bench.Dataset, r bench.Request) (bench.Table, error) {
	m, err := Find(r.Method)
	if err != nil {
		return bench.Table{}, err
	}
	scores, err := Baseline(ctx, data, m, r.Embedder)
	if err != nil {
		return bench.Table{}, err
	}
	t := foldTable(m.Name, m.Name+": "+m.About, scores, true)
	for i, v := range t.Measures {
		if v.Row == ofFolds && v.Column == rationaleF1 {
			t.Measures[i] = addPaper(v, m.Name)
		}
	}
	return t, nil
}

// ofFolds is the row of the means that the paper reports.
const ofFolds = "mean of the folds"

// foldTable has the means of a result; all adds those of every turn.
func foldTable(name, title string, s Result, all bool) bench.Table {
	t := bench.Table{Name: name, Title: title, Label: "turns of", Decimals: 2}
	add := func(row string, mean func(Figures) Mean) {
		for _, m := range s.metrics() {
			v := bench.Value(row, m.column, mean(m.Figures).Value).Over(mean(m.Figures).N)
			v.Interval = mean(m.Figures).Interval
			t.Add(v)
		}
	}
	for _, fold := range slices.Sorted(maps.Keys(s.Message.Folds)) {
		add(fmt.Sprintf("fold %d, test", fold), func(f Figures) Mean { return f.Folds[fold] })
	}
	add(ofFolds, func(f Figures) Mean { return f.OfFolds })
	add("all test turns", func(f Figures) Mean { return f.Test })
	if all {
		add("all turns", func(f Figures) Mean { return f.All })
	}
	return t
}

// metric is a metric with its column.
type metric struct {
	column string
	Figures
}

func (s Result) metrics() []metric {
	return []metric{{rationaleF1, s.Rationale}, {messageF1, s.Message}}
}

func notes(data *bench.Dataset) []string {
	tested := make(map[string]bool)
	folds := Folds(data)
	for _, it := range data.Items {
		if Tested(folds, it) {
			tested[it.Document] = true
		}
	}
	return []string{
		"Rationale-F1 is over turns with a gold sentence, Message-F1 over all turns. The paper reports the unweighted mean of the folds, " +
			"to which a short fold counts as much as a long one.",
		fmt.Sprintf("The test parts of the folds have %d of %s.", len(tested), terminal.Plural(len(data.Documents), "paper")),
		"Of sentences with equal scores, the last is chosen first.",
	}
}

// parrots are the methods that a score is compared with.
var parrots = []string{"tfidf", "first", "random", "echo", "gold", "empty"}

func scoreFile(ctx context.Context, r bench.Request) (*bench.Result, error) {
	data, err := Load(r.Dataset)
	if err != nil {
		return nil, err
	}
	p, err := ReadPredictions(r.Predictions, data)
	if err != nil {
		return nil, err
	}
	scores := Score(data, p.Answers, Bootstrap{Rounds: r.Bootstrap, Seed: r.Seed, Level: report.Level})
	headline := bench.Table{Name: "score", Title: "Score, %: the mean of the folds, as the paper reports it", Label: "system", Decimals: 2}
	if r.Fixed {
		headline.Title = "Score, %: the mean over all test turns"
	}
	add := func(row string, s Result) {
		for _, m := range s.metrics() {
			value := m.OfFolds.Value
			if r.Fixed {
				value = m.Test.Value
			}
			headline.Add(bench.Value(row, m.column, value).Over(m.Test.N))
		}
	}
	add("predictions", scores)
	for _, name := range parrots {
		m, err := Find(name)
		if err != nil {
			return nil, err
		}
		s, err := Baseline(ctx, data, m, r.Embedder)
		if err != nil {
			return nil, err
		}
		add(name, s)
	}
	result := bench.NewResult(data.Name, "ArgSciChat: "+filepath.Base(r.Predictions), r.Dataset, slices.Concat(p.Faults, data.Faults))
	result.Tables = []bench.Table{headline, foldTable("folds", "Predictions by fold, %", scores, p.Others > 0), p.table()}
	result.Note(notes(data)...)
	result.Note("echo replies with the question, gold with the annotated rationales: a system below them says little about the paper.")
	result.NoteBootstrap(r.Bootstrap, r.Seed)
	return result, nil
}

func (p Predictions) table() bench.Table {
	return bench.Table{Name: "predictions", Title: "Predictions", Label: "what", Measures: []bench.Measure{
		bench.Count("read", p.Read),
		bench.Count("unreadable line", p.Unreadable),
		bench.Count("unknown turn", p.Unknown),
		bench.Count("repeated turn, the last one counts", p.Repeated),
		bench.Count("faulty evidence, counted as none", p.Bad),
		bench.Count("missing test turn, counted as 0", p.Missing),
		bench.Count("answered other turn", p.Others),
	}}
}
