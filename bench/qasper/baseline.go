package qasper

import (
	"context"
	"math/bits"
	"strings"

	"airqa/bench"
	"airqa/internal/words"
	"airqa/qa"
)

// ScriptSeed is the seed of the authors' random choice of paragraphs.
const ScriptSeed = 31045

// method is a baseline: it chooses a paragraph of the paper as answer and evidence, or it answers without the paper.
type method struct {
	bench.Method
	choose func(it bench.Item, paragraphs []string) int
	answer func(bench.Item) (text string, evidence []string)
}

// methods are the baselines. Their choices depend on earlier ones, so that a list is for one set of questions: tfidf knows
// the last paper, and random draws as Python's random.choice does with this seed.
func methods(seed uint32) []method {
	random, paper, model := newTwister(seed), "", (*words.TFIDF)(nil)
	fixed := func(text string) func(bench.Item) (string, []string) {
		return func(bench.Item) (string, []string) { return text, nil }
	}
	return []method{
		{
			Method: bench.Method{Name: "tfidf", Beside: true, About: "the paragraph most similar to the question, as answer and evidence"},
			choose: func(it bench.Item, paragraphs []string) int {
				if model == nil || paper != it.Document {
					paper, model = it.Document, words.FitTFIDF(paragraphs, words.TFIDFOptions{StripAccents: true, StopWords: true})
				}
				return bench.Order(model.Scores(it.Question))[0] // of equal scores, the last
			},
		},
		{
			Method: bench.Method{Name: "first", About: "the first paragraph, as answer and evidence"},
			choose: func(bench.Item, []string) int { return 0 },
		},
		{
			Method: bench.Method{Name: "random", Beside: true, About: "a paragraph drawn as the authors' script does, as answer and evidence"},
			choose: func(_ bench.Item, paragraphs []string) int { return random.below(len(paragraphs)) },
		},
		{Method: bench.Beside("unanswerable", "Unanswerable for every question"), answer: fixed("Unanswerable")},
		{Method: bench.Beside("yes", "Yes for every question"), answer: fixed("Yes")},
		{
			Method: bench.Beside("echo", "the question itself"),
			answer: func(it bench.Item) (string, []string) { return it.Question, nil },
		},
		{
			Method: bench.Method{Name: "oracle", About: "the first annotation: the ceiling"},
			answer: func(it bench.Item) (string, []string) {
				return it.Gold.Answers[0].Text, goldEvidence(it.Gold.Answers[0])
			},
		},
	}
}

// rows makes the rows of a method. Candidates of a paper are all its paragraphs, empty ones included, as in the authors'
// script; without any, no evidence is predicted.
func rows(_ context.Context, data *bench.Dataset, name string, r bench.Request) ([]bench.System, error) {
	if name == humanBound {
		return []bench.System{human(data, r.Fixed)}, nil
	}
	m, err := bench.FindMethod(methods(ScriptSeed), name, "baseline %q of QASPER", "baselines")
	if err != nil {
		return nil, err
	}
	papers := paragraphs(data.Documents)
	answers := make([]qa.Answer, len(data.Items))
	for i, it := range data.Items {
		a := qa.Answer{Given: true}
		if m.answer != nil {
			a.Text, a.Evidence = m.answer(it)
		} else if candidates := papers[it.Document]; len(candidates) > 0 {
			k := m.choose(it, candidates)
			a.Text, a.Evidence = candidates[k], candidates[k:k+1]
		}
		answers[i] = a
	}
	s := Benchmark().Scored(name, data.Items, answers, r.Fixed)
	if m.choose != nil {
		for i, it := range data.Items {
			s.Scores[i].Measures[scriptF1] = scriptRule(answers[i].Evidence, it.Gold.Answers)
		}
	}
	list := []bench.System{s}
	if name == "random" {
		list = append(list, bench.Expected("random, expectation", data.Items, func(it bench.Item) map[string]float64 {
			return expected(papers[it.Document], it.Gold.Answers, r.Fixed)
		}))
	}
	return list, nil
}

// paragraphs are the paragraphs of each paper, without captions.
func paragraphs(documents []bench.Document) map[string][]string {
	papers := make(map[string][]string)
	for _, d := range documents {
		var list []string
		for _, u := range d.Units {
			if strings.HasPrefix(u.ID, "p") {
				list = append(list, u.Text)
			}
		}
		papers[d.ID] = list
	}
	return papers
}

// expected is the exact expectation of the measures of evidence of one uniformly drawn paragraph.
func expected(candidates []string, gold []bench.GoldAnswer, fixed bool) map[string]float64 {
	measures := make(map[string]float64)
	for name, textOnly := range map[string]bool{evidenceF1: false, textEvidence: true} {
		o := rules{fixed, textOnly}
		f, counts := bestEvidence(nil, gold, o)
		if len(candidates) > 0 {
			sum := 0.0
			for i := range candidates {
				one, _ := bestEvidence(candidates[i:i+1], gold, o)
				sum += one
			}
			f = sum / float64(len(candidates))
		}
		if counts {
			measures[name] = f
		}
	}
	return measures
}

// scriptRule scores evidence by the rule of the authors' script of heuristic baselines, which differs from their evaluator:
// 0 as soon as an annotation shares nothing with the prediction, precision always 1, recall over gold evidence in the text.
func scriptRule(predicted []string, gold []bench.GoldAnswer) float64 {
	best := 0.0
	for _, g := range gold {
		want := withoutFloats(g.Evidence)
		common := bench.Common(predicted, want)
		if common == 0 {
			return 0
		}
		recall := float64(common) / float64(len(want))
		best = max(best, 2*recall/(1+recall))
	}
	return best
}

// twister is the Mersenne Twister as Python's random module seeds and uses it (Matsumoto and Nishimura 1998, MT19937).
type twister struct {
	state [624]uint32
	next  int
}

func newTwister(seed uint32) *twister {
	t := &twister{next: 624}
	t.state[0] = 19650218
	for i := 1; i < 624; i++ {
		t.state[i] = 1812433253*(t.state[i-1]^t.state[i-1]>>30) + uint32(i)
	}
	i := 1
	mix := func(factor, add uint32) {
		t.state[i] = (t.state[i] ^ (t.state[i-1]^t.state[i-1]>>30)*factor) + add
		if i++; i == 624 {
			t.state[0], i = t.state[623], 1
		}
	}
	for range 624 {
		mix(1664525, seed)
	}
	for range 623 {
		mix(1566083941, -uint32(i))
	}
	t.state[0] = 1 << 31
	return t
}

func (t *twister) uint32() uint32 {
	if t.next == 624 {
		for i := range t.state {
			y := t.state[i]&(1<<31) | t.state[(i+1)%624]&(1<<31-1)
			t.state[i] = t.state[(i+397)%624] ^ y>>1 ^ (y&1)*0x9908b0df
		}
		t.next = 0
	}
	y := t.state[t.next]
	t.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// below is random.choice: as many high bits as n has, drawn again while they are not below n.
func (t *twister) below(n int) int {
	for {
		if r := int(t.uint32() >> (32 - bits.Len(uint(n)))); r < n {
			return r
		}
	}
}
