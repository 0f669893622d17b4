package companion

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"airqa/bench/argscichat"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/qa/dataset"
	"airqa/report"
)

func argSciChat() Benchmark {
	b := Benchmark{
		Name: "argscichat", About: "dialogues about papers: the next message, and up to two sentences that support it",
		Load: dataset.ArgSciChat, Stats: chatStats, Baseline: chatBaseline, Score: chatScore, predict: predictArgSciChat,
	}
	for _, m := range argscichat.Methods() {
		b.Methods = append(b.Methods, Method{m.Name, m.About})
	}
	return b
}

// Columns of tables.
const (
	rationaleF1 = "Rationale-F1"
	messageF1   = "Message-F1"
)

// paperScores are Table 5 of the paper.
var paperScores = map[string]float64{"tfidf": 16.22, "minilm": 13.65}

func chatBaseline(ctx context.Context, r Request) (*Result, error) {
	c, err := dataset.ArgSciChat(r.Dataset)
	if err != nil {
		return nil, err
	}
	result := newResult(c.Name, "ArgSciChat: baselines", r, c.Faults)
	result.Notes = append(result.Notes, chatNotes(c)...)
	if r.Method == "" {
		t, err := chatMethods(ctx, c, r, argscichat.Methods())
		result.Tables = []Table{t}
		return result, err
	}
	m, err := argscichat.Find(r.Method)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	scores, err := chatMethod(ctx, c, r, m)
	if err != nil {
		return nil, err
	}
	t := chatFolds(Table{Name: m.Name, Title: m.Name + ": " + m.About}, scores, true)
	for i, v := range t.Measures {
		if p, ok := paperScores[m.Name]; ok && v.Row == ofFolds && v.Column == rationaleF1 {
			t.Measures[i] = v.printed(p)
		}
	}
	result.Tables = []Table{t}
	return result, nil
}

func chatMethod(ctx context.Context, c *dataset.Companion, r Request, m argscichat.Method) (argscichat.Result, error) {
	if !m.Embeds() {
		return argscichat.Baseline(ctx, c, m, nil)
	}
	e, err := r.Embedder()
	if err != nil {
		return argscichat.Result{}, err
	}
	return argscichat.Baseline(ctx, c, m, e)
}

// chatMethods has the mean of the folds for each method.
func chatMethods(ctx context.Context, c *dataset.Companion, r Request, list []argscichat.Method) (Table, error) {
	t := Table{Name: "methods", Title: "Mean of the folds, %; n is the number of test turns", Label: "method", Decimals: 2}
	for _, m := range list {
		s, err := chatMethod(ctx, c, r, m)
		if err != nil {
			return t, err
		}
		v := measure(m.Name, rationaleF1, s.Rationale.OfFolds.Value, s.Rationale.Test.N)
		if p, ok := paperScores[m.Name]; ok {
			v = v.printed(p)
		}
		t.Measures = append(t.Measures, v, measure(m.Name, messageF1, s.Message.OfFolds.Value, s.Message.Test.N))
	}
	return t, nil
}

// Rows of a method's table.
const (
	ofFolds   = "mean of the folds"
	testTurns = "all test turns"
	allTurns  = "all turns"
)

// chatFolds fills a table with the means of a result; all adds that over every turn.
func chatFolds(t Table, s argscichat.Result, all bool) Table {
	t.Label, t.Decimals = "turns of", 2
	add := func(row string, of func(argscichat.Figures) argscichat.Mean) {
		for _, m := range metrics(s) {
			v := measure(row, m.column, of(m.figures).Value, of(m.figures).N)
			v.Interval = of(m.figures).Interval
			t.Measures = append(t.Measures, v)
		}
	}
	for _, fold := range slices.Sorted(maps.Keys(s.Message.Folds)) {
		add(fmt.Sprintf("fold %d, test", fold), func(f argscichat.Figures) argscichat.Mean { return f.Folds[fold] })
	}
	add(ofFolds, func(f argscichat.Figures) argscichat.Mean { return f.OfFolds })
	add(testTurns, func(f argscichat.Figures) argscichat.Mean { return f.Test })
	if all {
		add(allTurns, func(f argscichat.Figures) argscichat.Mean { return f.All })
	}
	return t
}

type metric struct {
	column  string
	figures argscichat.Figures
}

func metrics(s argscichat.Result) []metric {
	return []metric{{rationaleF1, s.Rationale}, {messageF1, s.Message}}
}

func chatNotes(c *dataset.Companion) []string {
	tested := make(map[string]bool)
	folds := argscichat.Folds(c)
	for _, it := range c.Items {
		if argscichat.Tested(folds, it) {
			tested[it.Document] = true
		}
	}
	return []string{
		"Rationale-F1 is over turns with a gold sentence, Message-F1 over all turns. The paper reports the unweighted mean of the folds, to which a short fold counts as much as a long one.",
		fmt.Sprintf("The test parts of the folds have %d of %s.", len(tested), terminal.Plural(len(c.Documents), "paper")),
		"Of sentences with equal scores, the last is chosen first.",
	}
}

// parrots are the methods that a score is compared with.
var parrots = []string{"tfidf", "first", "random", "echo", "gold", "empty"}

func chatScore(ctx context.Context, r Request) (*Result, error) {
	c, err := dataset.ArgSciChat(r.Dataset)
	if err != nil {
		return nil, err
	}
	p, err := argscichat.ReadPredictions(r.Predictions, c)
	if err != nil {
		return nil, err
	}
	result := newResult(c.Name, "ArgSciChat: "+filepath.Base(r.Predictions), r, slices.Concat(p.Faults, c.Faults))
	scores := argscichat.Score(c, p.Answers, argscichat.Bootstrap{Rounds: r.Bootstrap, Seed: r.Seed, Level: report.Level})
	headline := Table{Name: "score", Title: "Score, %: the mean of the folds, as the paper reports it", Label: "system", Decimals: 2}
	pick := func(f argscichat.Figures) (float64, int) { return f.OfFolds.Value, f.Test.N }
	if r.Fixed {
		headline.Title = "Score, %: the mean over all test turns"
		pick = func(f argscichat.Figures) (float64, int) { return f.Test.Value, f.Test.N }
	}
	add := func(row string, s argscichat.Result) {
		for _, m := range metrics(s) {
			v, n := pick(m.figures)
			headline.Measures = append(headline.Measures, measure(row, m.column, v, n))
		}
	}
	add("predictions", scores)
	for _, name := range parrots {
		m, err := argscichat.Find(name)
		if err != nil {
			return nil, err
		}
		s, err := chatMethod(ctx, c, r, m)
		if err != nil {
			return nil, err
		}
		add(name, s)
	}
	folds := chatFolds(Table{Name: "folds", Title: "Predictions by fold, %"}, scores, p.Others > 0)
	result.Tables = []Table{headline, folds, chatCounts(p)}
	result.Notes = append(append(result.Notes, chatNotes(c)...), "echo replies with the question, gold with the annotated rationales: a system below them says little about the paper.")
	if r.Bootstrap > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("95 %% intervals: bootstrap clustered by paper, %d rounds, seed %d; too narrow with fewer than about 20 papers.", r.Bootstrap, r.Seed))
	}
	return result, nil
}

func chatCounts(p argscichat.Predictions) Table {
	t := Table{Name: "predictions", Title: "Predictions", Label: "what"}
	for _, c := range []struct {
		row string
		n   int
	}{
		{"read", p.Read},
		{"unreadable line", p.Unreadable},
		{"unknown turn", p.Unknown},
		{"repeated turn, the last one counts", p.Repeated},
		{"faulty evidence, counted as none", p.Bad},
		{"missing test turn, counted as 0", p.Missing},
		{"answered other turn", p.Others},
	} {
		n := float64(c.n)
		t.Measures = append(t.Measures, Measure{Row: c.row, Column: "number", Value: &n})
	}
	return t
}
