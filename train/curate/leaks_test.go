package curate_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/train/curate"
)

// openings and endings are common to many questions; the words between them are a question's own.
var (
	openings = []string{
		"In the main results table of this paper, which model has the highest", "What is the reported value of the metric for",
		"Which paper first proposes a method that uses", "How many layers of the network are used to", "According to Section 3, why do the authors", "",
	}
	endings = []string{
		"and by how much does it improve over the second best one in the same table?", "on the test set of the data set with the most examples?",
		"Please give the answer as a number.", "",
	}
)

// question invents a question of 8 to 40 words on a paper.
func question(id string, words []string, random *rand.Rand) qa.Example {
	text := strings.Join([]string{
		openings[random.IntN(len(openings))], strings.Join(sentence(words, 8+random.IntN(12), random), " "), endings[random.IntN(len(endings))],
	}, " ")
	return qa.Example{UUID: id, Question: strings.TrimSpace(text), AnchorPDF: []string{"paper of " + id}}
}

// reformatted changes everything about a text but its letters.
func reformatted(text string, random *rand.Rand) string {
	changes := []func(string) string{
		strings.ToUpper, strings.ToLower,
		func(s string) string { return strings.ReplaceAll(s, " ", "  \n") },
		func(s string) string { return strings.Trim(s, "?.") },
		func(s string) string { return "**" + strings.ReplaceAll(s, "the", "*the*") + "**" },
		func(s string) string {
			return strings.NewReplacer("'", "’", "-", "‑", "fi", "ﬁ", "\"", "“").Replace(s)
		},
		func(s string) string { return "1) “" + s + "”" },
		func(s string) string { return strings.ReplaceAll(s, ",", " ,") },
		func(s string) string {
			return strings.Map(func(r rune) rune {
				if r > ' ' && r < 127 {
					return r + 0xfee0 // full width
				}
				return r
			}, s)
		},
		func(s string) string { return strings.ReplaceAll(s, "a", "a\u00ad") },
	}
	for range random.IntN(4) {
		text = changes[random.IntN(len(changes))](text)
	}
	return text
}

// quoting puts 50 % to 80 % of the words of a text into another question.
func quoting(text string, words []string, random *rand.Rand) string {
	list := strings.Fields(text)
	n := len(list) * (50 + random.IntN(31)) / 100
	at := random.IntN(len(list) - n + 1)
	frame := sentence(words, 10, random)
	return strings.Join(frame[:5], " ") + " \"" + strings.Join(list[at:at+n], " ") + "\", " + strings.Join(frame[5:], " ") + "?"
}

// measureLeaks plants 200 verbatim or reformatted questions and 100 partly quoted ones of a benchmark among clean ones.
func measureLeaks(t *testing.T, benchmark, clean []qa.Example) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	words := vocabulary(3000, random)
	l := curate.NewLeaks(curate.SameQuestion)
	for _, ex := range benchmark {
		l.Add(ex)
	}
	var whole, partly int
	questions := append([]qa.Example{}, clean...)
	for i, at := range random.Perm(len(benchmark))[:300] {
		source := benchmark[at]
		if i < 200 {
			questions = append(questions, qa.Example{UUID: "whole " + source.UUID, Question: reformatted(source.Question, random)})
		} else {
			questions = append(questions, qa.Example{UUID: "partly " + source.UUID, Question: quoting(source.Question, words, random)})
		}
	}
	random.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	alarms := 0
	for _, m := range l.Find(questions) {
		kind, source, _ := strings.Cut(m.UUID, " ")
		switch {
		case kind == "whole" && source == m.Against:
			whole++
		case kind == "partly" && source == m.Against:
			partly++
		case kind == "whole" || kind == "partly":
			t.Errorf("%s is reported for %s: %s", m.UUID, m.Against, m.Shared)
		default:
			alarms++
			if alarms <= 5 {
				t.Logf("false alarm: %s", m)
			}
		}
	}
	t.Logf("found %d of 200 whole and %d of 100 partly quoted questions; %d false alarms in %d clean ones", whole, partly, alarms, len(clean))
	if whole < 200 || partly < 90 || alarms*100 > len(clean) {
		t.Error("want 200 of 200, 90 of 100, and false alarms for at most 1 %")
	}
}

func TestLeaksAreFound(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 5))
		words := vocabulary(3000, random)
		var benchmark, clean []qa.Example
		for i := range 500 {
			benchmark = append(benchmark, question(fmt.Sprint("b", i), words, random))
		}
		for i := range 1000 {
			clean = append(clean, question(fmt.Sprint("c", i), words, random))
		}
		measureLeaks(t, benchmark, clean)
	}
}

// TestRealLeaks uses the released questions: half of them as the benchmark, the others as clean ones with 1,000
// invented ones.
func TestRealLeaks(t *testing.T) {
	const path = "../../../shared/data/airqa/test_data_553.jsonl"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the released questions are not here")
	}
	examples, _, err := dataset.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var benchmark, clean []qa.Example
	for i, ex := range examples {
		if i%5 == 0 {
			clean = append(clean, ex)
		} else {
			benchmark = append(benchmark, ex)
		}
	}
	random := rand.New(rand.NewPCG(9, 9))
	words := strings.Fields(clean[0].Question + clean[1].Question + clean[2].Question + clean[3].Question)
	for i := range 1000 {
		clean = append(clean, question(fmt.Sprint("c", i), words, random))
	}
	measureLeaks(t, benchmark, clean)
}

func TestLeakKinds(t *testing.T) {
	evidence := func(text string) map[string]json.RawMessage {
		return map[string]json.RawMessage{"synth": json.RawMessage(`{"evidence":` + text + `}`)}
	}
	gold := func(text string) qa.Evaluator {
		return qa.Evaluator{Func: "eval_string_exact_match", Kwargs: json.RawMessage(`{"gold":` + text + `}`)}
	}
	l := curate.NewLeaks()
	for _, ex := range []qa.Example{
		{UUID: "b1", Question: "Which model in Table 2 is the best?", AnchorPDF: []string{"p1"}, Evaluator: gold(`"RoBERTa-large"`)},
		{UUID: "b2", Question: "Is anything in it wrong?", AnchorPDF: []string{"p2"}, Evaluator: gold(`"yes"`), Extra: evidence(`{"paper":"p2","element":"table-7"}`)},
		{UUID: "b5", Question: "Why does the loss rise after step nine hundred in the ablation, and not in any other experiment?", ReferencePDF: []string{"p5"}},
	} {
		l.Add(ex)
	}
	for i := range 6 {
		l.Add(qa.Example{UUID: fmt.Sprint("b1", i), Question: fmt.Sprintf("What dataset does the anchor paper use for M%d?", i)})
	}
	for _, c := range []struct {
		name string
		ex   qa.Example
		want []string
	}{
		{"clean", qa.Example{Question: "Which model is the best?", AnchorPDF: []string{"p9"}}, nil},
		{"no words", qa.Example{Question: "?"}, nil},
		{"paper", qa.Example{Question: "Who wrote it?", AnchorPDF: []string{"p9", "p5"}}, []string{"same paper as b5: p5"}},
		{
			"element",
			qa.Example{Question: "What is in (Tab. 1 and) Table 2?", AnchorPDF: []string{"p1"}},
			[]string{"same element as b1: table 2 of p1", "same paper as b1: p1"},
		},
		{"element in another paper", qa.Example{Question: "What is in Table 2?", AnchorPDF: []string{"p9"}}, nil},
		{
			"evidence",
			qa.Example{Question: "Who?", AnchorPDF: []string{"p2"}, Extra: evidence(`[{"paper":"p2","element":"table-7","page":3}]`)},
			[]string{"same element as b2: table-7 of p2", "same paper as b2: p2"},
		},
		{
			"answer",
			qa.Example{Question: "Who?", AnchorPDF: []string{"p1"}, Evaluator: gold(`["roberta  large"]`)},
			[]string{"same paper as b1: p1"},
		},
		{
			"same answer",
			qa.Example{Question: "Who?", AnchorPDF: []string{"p1"}, Evaluator: gold(`["RoBERTa‑Large"]`)},
			[]string{`same element as b1: the answer "robertalarge" from p1`, "same paper as b1: p1"},
		},
		{"short answer", qa.Example{Question: "Who?", AnchorPDF: []string{"p2"}, Evaluator: gold(`"Yes"`)}, []string{"same paper as b2: p2"}},
		{"question", qa.Example{Question: "“which MODEL in table 2 is the best”"}, []string{"same question as b1: which model in table 2 is the best"}},
		{
			"short question inside",
			qa.Example{Question: "Look at it closely: is anything in it wrong? And why?"},
			[]string{"same question as b2: is anything in it wrong"},
		},
		{"common phrase", qa.Example{Question: "What dataset does the anchor paper use for testing?"}, nil},
		{
			"quotation",
			qa.Example{Question: "After the change, why does the loss rise after step nine hundred and one?"},
			[]string{"same question as b5: why does the loss rise after step nine hundred"},
		},
		{"seven words", qa.Example{Question: "After that, does the loss rise after step nine million?"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, m := range l.Find([]qa.Example{c.ex}) {
				got = append(got, m.String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestPhrasesOfOurs has a phrase that one question of the benchmark shares with many of ours.
func TestPhrasesOfOurs(t *testing.T) {
	l := curate.NewLeaks()
	l.Add(qa.Example{UUID: "b", Question: "As reported in the table with all results, what is the score of BERT?"})
	var list []qa.Example
	for i := range 10 {
		list = append(list, qa.Example{UUID: fmt.Sprint(i), Question: fmt.Sprintf("As reported in the table with all results, how good is M%d?", i)})
	}
	if got := len(l.Find(list[:3])); got != 3 {
		t.Errorf("%d of 3 questions match", got)
	}
	if got := l.Find(list); len(got) > 0 {
		t.Errorf("a common phrase matches: %v", got)
	}
}
