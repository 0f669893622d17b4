package argscichat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/env/embed"
	"airqa/internal/terminal"
	"airqa/internal/words"
	"airqa/qa"
)

// The measures (section 5.3): one of sentences, one of tokens.
const (
	rationaleF1 = "Rationale-F1"
	messageF1   = "Message-F1"
)

var measures = []string{rationaleF1, messageF1}

// score compares an answer with the expert's. A turn without a gold sentence has no Rationale-F1, and a missing answer is 0.
func score(it bench.Item, a qa.Answer, _ bool) (list map[string]float64, _ string) {
	list = map[string]float64{messageF1: 0}
	if a.Given {
		list[messageF1] = words.SQuADF1v2(a.Text, gold(it).Text)
	}
	if g := gold(it).Units; len(g) > 0 {
		list[rationaleF1] = SetF1(a.Evidence, g)
	}
	return list, ""
}

func rows(ctx context.Context, c *bench.Dataset, name string, r bench.Request) ([]bench.System, error) {
	var e embed.Embedder
	m, err := bench.FindMethod(Methods(), name, "method %q", "methods")
	if err == nil && name == minilm {
		e, err = r.Embedder()
	}
	if err != nil {
		return nil, err
	}
	papers := make(map[string]*paper)
	for _, d := range c.Documents {
		papers[d.ID] = &paper{Document: d}
	}
	if m.expected != nil {
		return []bench.System{bench.Expected(name, c.Items, func(it bench.Item) map[string]float64 {
			return map[string]float64{rationaleF1: m.expected(len(papers[it.Document].Units), len(gold(it).Units))}
		})}, nil
	}
	for _, it := range c.Items {
		p := papers[it.Document]
		p.questions = append(p.questions, it.Question)
	}
	answers := make([]qa.Answer, len(c.Items))
	for i, it := range c.Items {
		if answers[i], err = m.answer(ctx, papers[it.Document], e, it); err != nil {
			return nil, err
		}
	}
	if name == minilm {
		name = cmp.Or(r.Model, name)
	}
	s := Benchmark().Scored(name, c.Items, answers, r.Fixed)
	if !m.Selects() {
		for i := range s.Scores {
			delete(s.Scores[i].Measures, rationaleF1)
		}
	}
	return []bench.System{s}, nil
}

// SetF1 is 2|A∩B| / (|A|+|B|) of two sets without duplicates; 0 if they are disjoint.
func SetF1(a, b []string) float64 {
	if common := bench.Common(a, b); common > 0 {
		return 2 * float64(common) / float64(len(a)+len(b))
	}
	return 0
}

// inFold selects the test turns of a fold.
func inFold(fold int) func(bench.Item, qa.Score) bool {
	return func(it bench.Item, _ qa.Score) bool { return it.HasTag(FoldTag(fold, "test")) }
}

// inTest selects the test turns of all folds.
func inTest(it bench.Item, _ qa.Score) bool { return tested(it) }

// ofFolds is the unweighted mean of the folds in %, which the paper reports.
func ofFolds(s bench.System, measure string, folds []int) (mean bench.Mean) {
	for _, fold := range folds {
		mean.Add(100 * s.Mean(measure, inFold(fold)).Value())
	}
	return mean
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

// evidence returns the ids of the units that a mask or a list selects: a 0 or 1 for each sentence of the paper, indices from
// 0, or ids such as "s3".
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
