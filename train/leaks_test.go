package train_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/train"
)

// reformatted changes everything about a text but its letters.
func reformatted(text string, random *rand.Rand) string {
	changes := []func(string) string{
		strings.ToUpper, strings.ToLower,
		func(s string) string { return strings.ReplaceAll(s, " ", "  \n") },
		func(s string) string { return strings.Trim(s, "?.") },
		func(s string) string { return "**" + s + "**" },
		func(s string) string {
			return strings.NewReplacer("'", "’", "-", "‑", "fi", "ﬁ", "\"", "“").Replace(s)
		},
		func(s string) string { return strings.ReplaceAll(s, "a", "a\u00ad") },
	}
	for range random.IntN(4) {
		text = changes[random.IntN(len(changes))](text)
	}
	return text
}

// Released questions are found again in another format, and few of them share a sequence of words with another.
func TestReleasedLeaks(t *testing.T) {
	const path = "../../../shared/data/airqa/test_data_553.jsonl"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the released questions are not here")
	}
	examples, _, err := dataset.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(9, 9))
	benchmark, all := make(train.Leaks), make(train.Leaks)
	alarms := 0
	for i, ex := range examples {
		all.Add(ex)
		if i%5 > 0 {
			benchmark.Add(ex)
		}
	}
	for i, ex := range examples {
		if m, leaked := benchmark.Find(ex); leaked && i%5 == 0 {
			alarms++
			t.Logf("false alarm: %s", m)
		}
		ex.Question, ex.Evaluator.Kwargs = reformatted(ex.Question, random), nil
		if _, leaked := all.Find(ex); !leaked {
			t.Errorf("%s is not found: %s", ex.UUID, ex.Question)
		}
	}
	if alarms*50 > len(examples) {
		t.Errorf("%d false alarms in %d questions", alarms, len(examples)/5)
	}
}

func TestLeaks(t *testing.T) {
	gold := func(text string) qa.Evaluator {
		return qa.Evaluator{Func: "eval_string_exact_match", Kwargs: json.RawMessage(`{"gold":` + text + `}`)}
	}
	const fourteen = "heron egret bittern stork ibis crane spoonbill flamingo pelican cormorant grebe moorhen coot rail"
	benchmark := make(train.Leaks)
	for _, ex := range []qa.Example{
		{UUID: "b1", Question: "Which model in Table 2 is the best?", AnchorPDF: []string{"p1"}, Evaluator: gold(`"RoBERTa-large"`)},
		{UUID: "b2", Question: "Why " + fourteen + "?", AnchorPDF: []string{"p2"}, Evaluator: gold(`"yes"`)},
		{UUID: "b3", Question: "?", AnchorPDF: []string{"p3"}, Evaluator: gold(`["a b c d e f g", "h i j k l m n"]`)},
	} {
		benchmark.Add(ex)
	}
	for _, c := range []struct {
		name string
		ex   qa.Example
		want string
	}{
		{"clean", qa.Example{Question: "Which model is the best?", AnchorPDF: []string{"p1"}}, ""},
		{"no words", qa.Example{Question: "?"}, ""},
		{"a short question", qa.Example{Question: "“which MODEL in table 2 is the best”"}, "same text as b1: which model in table 2 is the best"},
		{
			"13 words",
			qa.Example{Question: "One " + strings.TrimSuffix(fourteen, " rail") + " two?"},
			"same text as b2: " + strings.TrimSuffix(fourteen, " rail"),
		},
		{"12 words", qa.Example{Question: "One " + strings.TrimSuffix(fourteen, " coot rail") + " two?"}, ""},
		{"an answer from the same paper", qa.Example{AnchorPDF: []string{"p1"}, Evaluator: gold(`["RoBERTa‑Large"]`)}, "same text as b1: robertalarge"},
		{"an answer from another paper", qa.Example{AnchorPDF: []string{"p2"}, Evaluator: gold(`"RoBERTa-large"`)}, ""},
		{"another answer", qa.Example{AnchorPDF: []string{"p1"}, Evaluator: gold(`"RoBERTa large"`)}, ""},
		{"yes", qa.Example{AnchorPDF: []string{"p2"}, Evaluator: gold(`"Yes"`)}, ""},
		{
			"a long answer from another paper",
			qa.Example{AnchorPDF: []string{"p9"}, Evaluator: gold(`"A, B, C, D, E, F, G, H, I, J, K, L, M"`)},
			"same text as b3: a b c d e f g h i j k l m",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, leaked := benchmark.Find(c.ex)
			if got := m.String(); leaked != (c.want != "") || leaked && got != c.want {
				t.Errorf("got %v %q, want %q", leaked, got, c.want)
			}
		})
	}
}
