package argscichat

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/env/embed"
	"airqa/internal/stats"
	"airqa/internal/terminal"
	"airqa/internal/words"
	"airqa/qa"
	"airqa/qa/dataset"
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

// Predictions are the answers of a file, and what was wrong with it.
type Predictions struct {
	// Answers are by the id of the turn.
	Answers map[string]qa.Answer
	// Read counts the lines with an answer to a turn of the data, Unknown those to other turns, Repeated those whose turn
	// had an answer already: the last one counts. Bad counts answers whose evidence cannot be read and is left out,
	// Unreadable the other lines.
	Read, Unknown, Repeated, Bad, Unreadable int
	// Missing counts test turns without an answer, Others answers to other turns.
	Missing, Others int
	Faults          []*dataset.Fault
}

// prediction is a line of the file.
type prediction struct {
	Pair     string          `json:"pair_id"`
	Article  string          `json:"article_id"`
	Answer   *string         `json:"predicted_answer"`
	Evidence json.RawMessage `json:"predicted_evidence"`
}

// ReadPredictions reads JSON Lines in the format of the authors' predictor: pair_id, article_id, predicted_answer and
// predicted_evidence. Evidence is a mask with a 0 or 1 for each sentence of the paper, a list of indices from 0, or a
// list of unit ids such as "s3".
func ReadPredictions(path string, c *bench.Dataset) (Predictions, error) {
	r := predictionReader{
		p: Predictions{Answers: make(map[string]qa.Answer)}, items: make(map[string]bench.Item), papers: make(map[string]bench.Document),
	}
	for _, d := range c.Documents {
		r.papers[d.ID] = d
	}
	for _, it := range c.Items {
		r.items[it.UUID] = it
	}
	for block, err := range dataset.Blocks(path) {
		if err != nil {
			return r.p, fmt.Errorf("read predictions: %w", err)
		}
		for line, raw := range block.Records() {
			r.at = dataset.Fault{File: filepath.Base(block.File), Line: line}
			r.line(raw)
		}
	}
	folds := Folds(c)
	for _, it := range c.Items {
		_, given := r.p.Answers[it.UUID]
		switch tested := Tested(folds, it); {
		case tested && !given:
			r.p.Missing++
		case given && !tested:
			r.p.Others++
		}
	}
	return r.p, nil
}

type predictionReader struct {
	p      Predictions
	items  map[string]bench.Item
	papers map[string]bench.Document
	at     dataset.Fault
}

func (r *predictionReader) fault(loaded bool, format string, args ...any) {
	f := r.at
	f.Loaded, f.Text = loaded, fmt.Sprintf(format, args...)
	r.p.Faults = append(r.p.Faults, &f)
}

func (r *predictionReader) line(raw []byte) {
	var p prediction
	if err := json.Unmarshal(raw, &p); err != nil {
		r.p.Unreadable++
		r.fault(false, "not a prediction: %v", dataset.FieldError(err))
		return
	}
	r.at.UUID = p.Pair
	it, ok := r.items[p.Pair]
	if !ok {
		r.p.Unknown++
		r.fault(false, "field \"pair_id\": no turn has this id")
		return
	}
	r.p.Read++
	if p.Article != "" && p.Article != it.Document {
		r.fault(true, "field \"article_id\": the turn is about %q, not %q", it.Document, p.Article)
	}
	if _, twice := r.p.Answers[p.Pair]; twice {
		r.p.Repeated++
		r.fault(true, "field \"pair_id\": the turn has a prediction already; this one counts")
	}
	a := qa.Answer{Given: true}
	if p.Answer != nil {
		a.Text = *p.Answer
	} else {
		r.fault(true, "field \"predicted_answer\" is missing; it counts as empty")
	}
	var err error
	if a.Evidence, err = evidence(r.papers[it.Document], p.Evidence); err != nil {
		r.p.Bad++
		r.fault(true, "field \"predicted_evidence\": %v; it counts as none", err)
	}
	r.p.Answers[p.Pair] = a
}

// evidence returns the ids of the units that a mask or a list selects.
func evidence(d bench.Document, given json.RawMessage) ([]string, error) {
	var list []json.RawMessage
	if given != nil && json.Unmarshal(given, &list) != nil {
		return nil, fmt.Errorf("%s is not a list", shown(given))
	}
	all := ids(d.Units)
	isNoBit := func(raw json.RawMessage) bool { return string(raw) != "0" && string(raw) != "1" }
	mask := len(list) == len(all) && !slices.ContainsFunc(list, isNoBit)
	var selected []string
	for i, raw := range list {
		id := unit(all, raw)
		switch {
		case mask && string(raw) == "0":
			continue
		case mask:
			id = all[i]
		case id == "":
			return nil, fmt.Errorf("%s is not a sentence of the paper, which has %d, and the list is not a mask", shown(raw), len(all))
		case slices.Contains(selected, id):
			return nil, fmt.Errorf("%s is repeated: a mask needs %d numbers, an index list distinct ones", shown(raw), len(all))
		}
		selected = append(selected, id)
	}
	return selected, nil
}

// shown is the beginning of a value, for a message.
func shown(raw json.RawMessage) string { return terminal.Clip(string(raw), 40) }

// unit returns the id that an index from 0 or an id names; "" if there is none.
func unit(all []string, raw json.RawMessage) string {
	id := ""
	n, err := strconv.Atoi(string(raw))
	switch {
	case err == nil && n >= 0 && n < len(all):
		return all[n]
	case json.Unmarshal(raw, &id) == nil && slices.Contains(all, id):
		return id
	}
	return ""
}
