package extractor_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/internal/python"
	"airqa/internal/testkit"
	"airqa/llm/offline"
	"airqa/qa"
)

// made makes n questions about many papers.
func made(t *testing.T, n, papers int) []qa.Example {
	t.Helper()
	b := newBench(t)
	b.library = newLibraryOf(papers)
	b.change = func(c *extractor.Config) { c.Workers = 8 }
	ended := b.must(all(n))
	if ended.Accepted != n {
		t.Fatalf("%d of %d questions: %v", ended.Accepted, n, ended.Missing())
	}
	return rows(t, b)
}

// scorer scores answers as a run does, with the offline judge.
func scorer(mode eval.Mode) *eval.Scorer {
	return eval.New(eval.Config{Judge: judge.NewModel(judge.Config{Asker: asker{offline.New()}}), Mode: mode})
}

// asker asks a model on behalf of a judge.
type asker struct{ qa.Model }

// Ask asks with a system prompt.
func (a asker) Ask(ctx context.Context, system, user string) (qa.Reply, error) {
	return a.Complete(ctx, qa.Request{Messages: []qa.Message{{Role: qa.System, Text: system}, {Role: qa.User, Text: user}}})
}

// alterations are wrong answers to a question, made without the gates' code.
func alterations(ex qa.Example, gold, other string) map[string]string {
	list := map[string]string{"empty": "", "question": ex.Question, "gold of another question": other}
	digits := strings.IndexAny(gold, "123456789")
	if digits >= 0 {
		list["another number"] = gold[:digits] + "9" + gold[digits:]
	}
	v, _ := python.Read(gold)
	if items, isList := v.(python.List); isList && len(items) > 1 {
		list["missing item"] = python.Str(items[1:])
		swapped := slices.Clone(items)
		slices.Reverse(swapped)
		if !python.Equal(swapped, items) {
			list["order"] = python.Str(swapped)
		}
	}
	return list
}

// Of 500 accepted questions, every gold passes its own evaluator in both modes, and altered golds do not: at most 1 % of
// them score.
func TestGolds(t *testing.T) {
	testkit.Long(t, "hundreds of questions")
	examples := made(t, 500, 200)
	golds := make([]string, len(examples))
	for i, ex := range examples {
		gold, ok := eval.GoldAnswer(ex.Evaluator)
		if !ok {
			t.Fatalf("%s has no gold: %s %s", ex.UUID, ex.Evaluator.Func, ex.Evaluator.Kwargs)
		}
		golds[i] = gold
		for _, mode := range []eval.Mode{eval.Reference, eval.Fixed} {
			if r := scorer(mode).Score(t.Context(), ex.Evaluator, eval.Text(gold)); r.Verdict != qa.Right {
				t.Errorf("the gold %q of %q is %s in mode %s: %s", golds[i], ex.Question, r.Verdict, mode, r.Reason)
			}
		}
	}
	tried, passed := 0, 0
	for i, ex := range examples {
		other := golds[slices.IndexFunc(golds, func(g string) bool { return g != golds[i] })]
		for name, answer := range alterations(ex, golds[i], other) {
			tried++
			if r := scorer(eval.Reference).Score(t.Context(), ex.Evaluator, eval.Text(answer)); r.Verdict == qa.Right {
				passed++
				t.Logf("%s: %q passes for %q (%s, gold %q)", name, answer, ex.Question, ex.Evaluator.Func, golds[i])
			}
		}
	}
	t.Logf("%d of %d altered golds score", passed, tried)
	if tried < 4*len(examples) || 100*passed > tried {
		t.Errorf("%d of %d altered golds score", passed, tried)
	}
}

// Among many questions, no two about the same papers are nearly the same, and no paper has more than twice its share.
// AIRQA_TEST_QUESTIONS adds a larger synthesis.
func TestVariety(t *testing.T) {
	testkit.Long(t, "hundreds of questions")
	sizes := [][2]int{{200, 60}, {200, 200}}
	if n, err := strconv.Atoi(os.Getenv("AIRQA_TEST_QUESTIONS")); err == nil {
		sizes = append(sizes, [2]int{n, n / 4})
	}
	for _, n := range sizes {
		t.Run(fmt.Sprintf("%d questions, %d papers", n[0], n[1]), func(t *testing.T) { variety(t, made(t, n[0], n[1])) })
	}
}

func variety(t *testing.T, examples []qa.Example) {
	same := make(map[string][]map[uint64]bool)
	shares := make(map[string]int)
	for _, ex := range examples {
		key := strings.Join(append(slices.Clone(ex.AnchorPDF), ex.Evaluator.Func), " ")
		grams := fiveGrams(ex.Question)
		for _, other := range same[key] {
			if jaccard(grams, other) >= 0.8 {
				t.Errorf("nearly the same as another question: %q", ex.Question)
			}
		}
		same[key] = append(same[key], grams)
		s, _ := candidate.SynthOf(ex)
		about := make(map[string]bool)
		for _, e := range s.Evidence {
			if !about[e.Paper] {
				about[e.Paper] = true
				shares[e.Paper]++
			}
		}
	}
	total, most := 0, 0
	for _, n := range shares {
		total, most = total+n, max(most, n)
	}
	mean := float64(total) / float64(len(shares))
	t.Logf("the largest share is %d questions, the mean %.1f", most, mean)
	if float64(most) > 2*mean {
		t.Errorf("a paper has %d questions, the mean is %.1f", most, mean)
	}
}

func fiveGrams(text string) map[uint64]bool {
	words := strings.Fields(strings.ToLower(text))
	grams := make(map[uint64]bool)
	for i := range max(len(words)-4, 1) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(strings.Join(words[i:min(i+5, len(words))], " ")))
		grams[h.Sum64()] = true
	}
	return grams
}

func jaccard(a, b map[uint64]bool) float64 {
	both := 0
	for g := range a {
		if b[g] {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
