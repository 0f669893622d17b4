package argscichat

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/env/embed"
	"airqa/internal/stats"
	"airqa/internal/words"
	"airqa/qa"
)

// Turn is the score of an answer to a turn, 0 to 1. Rationale is NaN if the turn has no gold sentence or the answer
// none to compare.
type Turn struct{ Rationale, Message float64 }

// Mean is a mean over N turns (or folds) in percent; NaN without any.
type Mean struct {
	Value float64
	N     int
	// Interval is the bootstrap interval, if there is one.
	Interval *stats.Interval
}

// Figures are the means of one metric.
type Figures struct {
	// Folds has the mean over the test turns of each fold, by its number.
	Folds map[int]Mean
	// OfFolds is the unweighted mean of Folds, which the paper reports.
	OfFolds Mean
	// Test is the mean over the test turns of all folds, All that over every turn of the data.
	Test, All Mean
}

// Bootstrap resamples papers with their turns; no rounds means no interval.
type Bootstrap struct {
	Rounds int
	Seed   uint64
	Level  float64
}

// Result has the figures of a method or a system.
type Result struct {
	Rationale, Message Figures
}

// Baseline scores a method on every turn. open opens the model of sentence vectors; methods that need none do not call it.
func Baseline(ctx context.Context, c *bench.Dataset, m Method, open func() (embed.Embedder, error)) (Result, error) {
	var e embed.Embedder
	if m.Name == minilm {
		var err error
		if e, err = open(); err != nil {
			return Result{}, err
		}
	}
	papers := make(map[string]*paper)
	for _, d := range c.Documents {
		papers[d.ID] = &paper{Document: d, embedder: e, tfidf: make(map[words.TFIDFOptions]*words.TFIDF)}
	}
	for _, it := range c.Items {
		p := papers[it.Document]
		p.questions = append(p.questions, it.Question)
	}
	turns := make([]Turn, len(c.Items))
	for i, it := range c.Items {
		p := papers[it.Document]
		if m.expected != nil {
			turns[i] = Turn{math.NaN(), math.NaN()}
			if g := len(gold(it).Units); g > 0 {
				turns[i].Rationale = m.expected(len(p.Units), g)
			}
			continue
		}
		a, err := m.answer(ctx, p, it)
		if err != nil {
			return Result{}, err
		}
		turns[i] = scored(it, a)
		if !m.Selects() {
			turns[i].Rationale = math.NaN()
		}
	}
	return means(c, turns, Bootstrap{}), nil
}

// Score scores answers by the id of their turn. A turn without an answer counts 0.
func Score(c *bench.Dataset, answers map[string]qa.Answer, b Bootstrap) Result {
	turns := make([]Turn, len(c.Items))
	for i, it := range c.Items {
		if a := answers[it.UUID]; a.Given {
			turns[i] = scored(it, a)
		} else if len(gold(it).Units) == 0 {
			turns[i].Rationale = math.NaN()
		}
	}
	return means(c, turns, b)
}

func scored(it bench.Item, a qa.Answer) Turn {
	t := Turn{Rationale: math.NaN(), Message: words.SQuADF1v2(a.Text, gold(it).Text)}
	if g := gold(it).Units; len(g) > 0 {
		t.Rationale = SetF1(a.Evidence, g)
	}
	return t
}

// SetF1 is 2|A∩B| / (|A|+|B|) of two sets without duplicates; 0 if they are disjoint.
func SetF1(a, b []string) float64 {
	common := 0
	for _, id := range a {
		if slices.Contains(b, id) {
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

func means(c *bench.Dataset, turns []Turn, b Bootstrap) Result {
	return Result{
		figures(c, turns, func(t Turn) float64 { return t.Rationale }, b),
		figures(c, turns, func(t Turn) float64 { return t.Message }, b),
	}
}

func figures(c *bench.Dataset, turns []Turn, metric func(Turn) float64, b Bootstrap) Figures {
	of := func(b Bootstrap, holds func(bench.Item) bool) Mean {
		var values []float64
		var papers []string
		for i, it := range c.Items {
			if v := metric(turns[i]); holds(it) && !math.IsNaN(v) {
				values, papers = append(values, v), append(papers, it.Document)
			}
		}
		m := mean(values)
		m.Value *= 100
		if b.Rounds > 0 && m.N > 0 {
			interval := stats.ClusterBootstrap(values, papers, b.Rounds, b.Seed, b.Level).Scale(100)
			m.Interval = &interval
		}
		return m
	}
	f := Figures{Folds: make(map[int]Mean)}
	var folds []float64
	list := Folds(c)
	for _, fold := range list {
		m := of(Bootstrap{}, func(it bench.Item) bool { return it.HasTag(FoldTag(fold, "test")) })
		if m.N > 0 {
			folds = append(folds, m.Value)
		}
		f.Folds[fold] = m
	}
	f.OfFolds = mean(folds)
	f.Test = of(b, func(it bench.Item) bool { return Tested(list, it) })
	f.All = of(b, func(bench.Item) bool { return true })
	return f
}

// Folds returns the numbers of the folds, ascending.
func Folds(c *bench.Dataset) []int {
	var list []int
	for _, it := range c.Items {
		for _, tag := range it.Tags {
			name, _, _ := strings.Cut(tag, ":")
			if n, err := strconv.Atoi(strings.TrimPrefix(name, "fold")); err == nil && !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	slices.Sort(list)
	return list
}

// Tested reports whether a turn is in the test part of one of the folds.
func Tested(folds []int, it bench.Item) bool {
	return slices.ContainsFunc(folds, func(n int) bool { return it.HasTag(FoldTag(n, "test")) })
}

func mean(values []float64) Mean {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return Mean{Value: sum / float64(len(values)), N: len(values)}
}

// Find returns the method with a name.
func Find(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Method{}, qa.Usagef("unknown method %q; the methods are %s", name, strings.Join(names, ", "))
}
