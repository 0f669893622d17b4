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
	"airqa/internal/terminal"
	"airqa/internal/words"
	"airqa/qa"
	"airqa/qa/dataset"
)

// measures are Rationale-F1, which compares sentences, and Message-F1, which compares tokens.
var measures = []string{rationaleF1, messageF1}

// turn is the score of an answer to a turn for each of the measures, from 0 to 1. Rationale-F1 is NaN if the turn has no gold
// sentence or the answer none to compare.
type turn [2]float64

// Figures are the means of a measure, from 0 to 1 but for OfFolds. Papers are the clusters.
type Figures struct {
	Measure string
	// Folds has the mean over the test turns of each fold, by its number.
	Folds map[int]bench.Mean
	// OfFolds is the unweighted mean of Folds in %, which the paper reports.
	OfFolds bench.Mean
	// Test is the mean over the test turns of all folds, All that over every turn of the data.
	Test, All bench.Mean
}

// Baseline scores a method on every turn. open opens the model of sentence vectors; methods that need none do not call it.
func Baseline(ctx context.Context, c *bench.Dataset, name string, open func() (embed.Embedder, error)) (Method, []Figures, error) {
	var e embed.Embedder
	m, err := bench.FindMethod(Methods(), name, "method %q", "methods")
	if err == nil && name == minilm {
		e, err = open()
	}
	if err != nil {
		return m, nil, err
	}
	papers := make(map[string]*paper)
	for _, d := range c.Documents {
		papers[d.ID] = &paper{Document: d}
	}
	for _, it := range c.Items {
		p := papers[it.Document]
		p.questions = append(p.questions, it.Question)
	}
	turns := make([]turn, len(c.Items))
	for i, it := range c.Items {
		p := papers[it.Document]
		if m.expected != nil {
			turns[i] = turn{math.NaN(), math.NaN()}
			if g := len(gold(it).Units); g > 0 {
				turns[i][0] = m.expected(len(p.Units), g)
			}
			continue
		}
		a, err := m.answer(ctx, p, e, it)
		if err != nil {
			return m, nil, err
		}
		turns[i] = scored(it, a)
		if !m.Selects() {
			turns[i][0] = math.NaN()
		}
	}
	return m, figures(c, turns), nil
}

// Score scores answers by the id of their turn. A turn without an answer counts 0.
func Score(c *bench.Dataset, answers map[string]qa.Answer) []Figures {
	turns := make([]turn, len(c.Items))
	for i, it := range c.Items {
		if a := answers[it.UUID]; a.Given {
			turns[i] = scored(it, a)
		} else if len(gold(it).Units) == 0 {
			turns[i][0] = math.NaN()
		}
	}
	return figures(c, turns)
}

func scored(it bench.Item, a qa.Answer) turn {
	t := turn{math.NaN(), words.SQuADF1v2(a.Text, gold(it).Text)}
	if g := gold(it).Units; len(g) > 0 {
		t[0] = SetF1(a.Evidence, g)
	}
	return t
}

// SetF1 is 2|A∩B| / (|A|+|B|) of two sets without duplicates; 0 if they are disjoint.
func SetF1(a, b []string) float64 {
	if common := bench.Common(a, b); common > 0 {
		return 2 * float64(common) / float64(len(a)+len(b))
	}
	return 0
}

// figures are the means of each measure.
func figures(c *bench.Dataset, turns []turn) (list []Figures) {
	folds := Folds(c)
	for k, name := range measures {
		mean := func(holds func(bench.Item) bool) (mean bench.Mean) {
			for i, it := range c.Items {
				if holds(it) {
					mean.AddFrom(it.Document, turns[i][k])
				}
			}
			return mean
		}
		f := Figures{Measure: name, Folds: make(map[int]bench.Mean)}
		for _, fold := range folds {
			f.Folds[fold] = mean(func(it bench.Item) bool { return it.HasTag(FoldTag(fold, "test")) })
			f.OfFolds.Add(100 * f.Folds[fold].Value())
		}
		f.Test = mean(tested)
		f.All = mean(func(bench.Item) bool { return true })
		list = append(list, f)
	}
	return list
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

// tested reports whether a turn is in the test part of one of the folds.
func tested(it bench.Item) bool {
	return slices.ContainsFunc(it.Tags, func(tag string) bool { return strings.HasSuffix(tag, ":test") })
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

// ReadPredictions reads JSON Lines in the format of the authors' predictor: pair_id, article_id, predicted_answer and
// predicted_evidence. Evidence is a mask with a 0 or 1 for each sentence of the paper, a list of indices from 0, or a
// list of unit ids such as "s3".
func ReadPredictions(path string, c *bench.Dataset) (Predictions, error) {
	r := predictionReader{p: Predictions{Answers: make(map[string]qa.Answer)}, items: c.ByID(), papers: c.Papers()}
	for block, err := range dataset.Blocks(path) {
		if err != nil {
			return r.p, fmt.Errorf("read predictions: %w", err)
		}
		for line, raw := range block.Records() {
			r.at = dataset.Fault{Place: dataset.Place{File: filepath.Base(block.File), Line: line}}
			r.read(raw)
		}
	}
	r.p.Faults = r.faults
	for _, it := range c.Items {
		_, given := r.p.Answers[it.UUID]
		switch tested := tested(it); {
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
	lines
}

// lines are the faults of a file that is read line by line, and the line being read.
type lines struct {
	at     dataset.Fault
	faults []*dataset.Fault
}

func (l *lines) fault(loaded bool, format string, args ...any) {
	f := l.at
	f.Loaded, f.Text = loaded, fmt.Sprintf(format, args...)
	l.faults = append(l.faults, &f)
}

func (r *predictionReader) read(raw []byte) {
	var p struct {
		Pair     string          `json:"pair_id"`
		Article  string          `json:"article_id"`
		Answer   *string         `json:"predicted_answer"`
		Evidence json.RawMessage `json:"predicted_evidence"`
	}
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
