package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/eval"
	"airqa/internal/testkit/benchtest"
	"airqa/qa"
	"airqa/runlog"
)

// shares is a benchmark whose score is the share of the gold's letters in the answer. Without gold it is not defined.
func shares() bench.Benchmark {
	return bench.Benchmark{
		Name: "invented", Headline: "share",
		Load: func(string, bench.Choice) (*bench.Dataset, error) {
			data := &bench.Dataset{Name: "invented", Title: "Invented", Documents: []bench.Document{{ID: "d"}}}
			for _, gold := range []string{"abcdefghijk", "ab", "", "xy"} {
				data.Items = append(data.Items, bench.Item{
					Example: qa.Example{UUID: fmt.Sprintf("i%d", len(data.Items)), Question: "Q", Kind: qa.WithEvidence}, Document: "d", Gold: bench.Gold{Text: gold},
				})
			}
			return data, nil
		},
		Score: func(it bench.Item, a qa.Answer, fixed bool) (map[string]float64, string) {
			n, words := 0, float64(len(strings.Fields(a.Text)))
			for _, letter := range it.Gold.Text {
				if strings.ContainsRune(a.Text, letter) {
					n++
				}
			}
			share := float64(n) / float64(len(it.Gold.Text))
			if fixed && it.Gold.Text == "" {
				share = 0
			}
			return map[string]float64{"share": share, "words": words, "inverse": 1 / words}, "kind of " + it.Gold.Text
		},
		Method: func(_ context.Context, data *bench.Dataset, name string, _ bench.Request) ([]bench.System, error) {
			return []bench.System{bench.Expected(name, data.Items, func(bench.Item) map[string]float64 { return map[string]float64{"share": 0.5} })}, nil
		},
		Methods: []bench.Method{bench.Beside("half", "half of the letters"), bench.About("alone", "only without runs"), {Name: "slow", Slow: true}},
		Tables: func(_ *bench.Dataset, systems []bench.System, r bench.Request) ([]bench.Table, []string) {
			t := bench.Table{Name: "scores"}
			for _, s := range systems {
				t.Add(s.Mean("share", nil).Score(s.Name, "share", r), s.Mean("inverse", nil).Percent(s.Name, "inverse"))
			}
			return []bench.Table{t, {Name: "empty"}}, []string{"A note."}
		},
		Predictions: bench.Format{ID: "id", Text: "text"},
	}
}

// Answers are right from a score of 0.10. Measures that are not numbers are left out, and without the headline there is no
// verdict.
func TestScores(t *testing.T) {
	b := shares()
	data, err := b.Load("", bench.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	answers := []qa.Answer{{Given: true, Text: "a"}, {Given: true, Text: "a z"}, {Given: true, Text: "z"}, {}}
	for fixed, want := range map[bool][]string{
		false: {
			`i0 wrong 0.0909 inverse 1; share 0.09091; words 1; best match: kind of abcdefghijk `, `i1 right 0.5000 inverse 0.5; share 0.5; words 2; best match: kind of ab `,
			`i2 unscored 0.0000 inverse 1; words 1; best match: kind of  share is not defined for this question`, `i3 wrong 0.0000 share 0; words 0; best match: kind of xy `,
		},
		true: {
			`i0 wrong 0.0909 inverse 1; share 0.09091; words 1; best match: kind of abcdefghijk `, `i1 right 0.5000 inverse 0.5; share 0.5; words 2; best match: kind of ab `,
			`i2 wrong 0.0000 inverse 1; share 0; words 1; best match: kind of  `, `i3 wrong 0.0000 share 0; words 0; best match: kind of xy `,
		},
	} {
		s := b.Scored("s", data.Items, answers, fixed)
		var got []string
		for _, x := range s.Scores {
			got = append(got, fmt.Sprintf("%s %s %.4f %s %s", x.UUID, x.Verdict, x.Value, x.MeasureText(), x.Reason))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("fixed %t (-want +got)\n%s", fixed, diff)
		}
		if m := s.Mean("inverse", nil); m.N() != 3 || math.Abs(m.Value()-2.5/3) > 1e-9 || !s.Has("inverse") || s.Has("recall") {
			t.Errorf("mean of a measure that one answer does not have: %+v", m)
		}
	}
}

// A run is a row with the scores of its file: a failed episode has none and is left out, a question that the run does not
// have counts as not answered, and of several repeats the first counts.
func TestRunAsRow(t *testing.T) {
	b, dir := shares(), filepath.Join(t.TempDir(), "chat")
	data, err := b.Load("", bench.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]qa.Answer{"i0": {Given: true, Text: "abcdefghijk"}, "i1": {Given: true, Text: "a"}}
	if err := benchtest.Answered(t, b, data, dir, given, bench.Request{}); err != nil {
		t.Fatal(err)
	}
	_, scores, err := runlog.ReadScores(dir)
	if err != nil {
		t.Fatal(err)
	}
	failed := qa.Score{UUID: "i3", Verdict: qa.Unscored, Func: "bench_invented", Reason: "endpoint_error: HTTP 500"}
	second := scores[1]
	second.Repeat, second.Measures = 1, map[string]float64{"share": 0}
	write := func(list ...qa.Score) {
		t.Helper()
		if err := runlog.WriteScores(dir, runlog.Scoring{Mode: "reference", Judge: "none"}, list, nil); err != nil {
			t.Fatal(err)
		}
	}
	write(scores[0], scores[1], second, failed)
	r := bench.Request{Runs: []string{dir}, Dataset: "data"}
	got, notes, err := benchtest.Call(t, b, "compare", r)
	want := map[string]string{"scores chat share": "75", "scores chat inverse": "100", "scores half share": "50", "scores half inverse": "-"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if notes != "chat: items of 4 without an answer, which score 0: 1\nchat: items that failed, which are left out: 1\nA note." {
		t.Errorf("notes %q", notes)
	}

	write(qa.Score{UUID: "other", Func: "bench_invented"})
	if _, err := b.Compare(t.Context(), r); err == nil || !strings.Contains(err.Error(), "question other is none of data; name the dataset and the setting of the run") {
		t.Errorf("a run of other questions: %v", err)
	}
	r.Fixed = true
	if _, err := b.Compare(t.Context(), r); err == nil || !strings.Contains(err.Error(), "no such scores; available: --scoring reference --judge none") {
		t.Errorf("a run without scores of the mode: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "scores")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Compare(t.Context(), r); err == nil || !strings.Contains(err.Error(), "not scored yet; run: airqa score RUN") {
		t.Errorf("a run without scores: %v", err)
	}
	if _, err := (bench.Benchmark{Name: "lines"}).Compare(t.Context(), r); err == nil || !strings.Contains(err.Error(), "lines does not have this command") {
		t.Errorf("a benchmark without methods: %v", err)
	}
}

// Without runs, all methods but the slow ones are compared; with a name, that one.
func TestChosen(t *testing.T) {
	for method, want := range map[string]int{"": 2, "slow": 1} {
		r, err := shares().Compare(t.Context(), bench.Request{Method: method})
		if err != nil || len(r.Tables) != 1 || len(r.Tables[0].Measures) != 2*want {
			t.Errorf("method %q: %+v, %v", method, r, err)
		}
	}
	if _, err := shares().Compare(t.Context(), bench.Request{Method: "half", Export: "x"}); err == nil || !strings.Contains(err.Error(), "--export needs one") {
		t.Errorf("export of an expectation: %v", err)
	}
}

// A gold that cannot be read leaves its question unscored.
func TestScorers(t *testing.T) {
	scorer := eval.New(eval.Config{Others: bench.Scorers([]bench.Benchmark{shares()})})
	score := func(kwargs string, a qa.Answer) qa.Score {
		return scorer.Score(t.Context(), qa.Evaluator{Func: "bench_invented", Kwargs: json.RawMessage(kwargs)}, eval.Answer(a))
	}
	if s := score(`{"gold":"ab"}`, qa.Answer{Given: true, Text: "b"}); s.Value != 0.5 || s.Verdict != qa.Right {
		t.Errorf("%+v", s)
	}
	if s := score(`{"gold":7}`, qa.Answer{Given: true, Text: "b"}); s.Verdict != qa.Unscored || !strings.Contains(s.Reason, "read the arguments of bench_invented: ") {
		t.Errorf("%+v", s)
	}
	if gold := eval.GoldOf(qa.Example{Evaluator: qa.Evaluator{Func: "bench_invented", Kwargs: json.RawMessage(`{"gold":"ab"}`)}}); gold != "ab" {
		t.Errorf("gold for people: %q", gold)
	}
}
