package train_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/train"
)

func TestPassRates(t *testing.T) {
	rates := make(train.PassRates)
	r := train.Repeats{UUID: "q1", Baseline: "hybrid", Model: "m"}
	if got := rates.Of(r); got != train.NoScore {
		t.Errorf("without repeats: %v", got)
	}
	for _, s := range []*qa.Score{nil, {Verdict: qa.Unscored}, {Verdict: qa.Right}, {Verdict: qa.Unparseable}, {Verdict: qa.Wrong}} {
		rates.Add(r, s)
	}
	if got := rates.Of(r); got != 1./3 {
		t.Errorf("rate %v", got)
	}
	if got := rates.Of(train.Repeats{UUID: "q1", Baseline: "hybrid", Model: "other"}); got != train.NoScore {
		t.Errorf("of another model: %v", got)
	}
}

func TestCheckRate(t *testing.T) {
	for _, c := range []struct {
		rates string
		rate  float64
		want  string
	}{
		{"", 0.5, ""},
		{"", train.NoScore, ""},
		{"0-1", train.NoScore, "pass_rate no scored repeat"},
		{"0.2-0.8", 0.2, ""},
		{"0.2-0.8", 0.8, ""},
		{"0.2-0.8", 0.1 + 0.7, ""},
		{"0.2-0.8", 0.81, "pass_rate 0.81"},
		{"0.2-0.8", 1. / 6, "pass_rate 0.1667"},
		{"0-0", 0, ""},
	} {
		s, err := train.NewSelector(train.Filter{PassRate: c.rates})
		if err != nil {
			t.Fatal(err)
		}
		reason, detail := s.CheckRate(c.rate)
		got := string(reason)
		if detail != "" {
			got += " " + detail
		}
		if got != c.want {
			t.Errorf("%v in %q: %q, want %q", c.rate, c.rates, got, c.want)
		}
	}
	for _, rates := range []string{"0.5", "0.8-0.2", "-0.1-0.5", "0.5-1.5", "a-b", "0-", "NaN-1", "20-80"} {
		if _, err := train.NewSelector(train.Filter{PassRate: rates}); err == nil {
			t.Errorf("%q: no error", rates)
		}
	}
	if _, err := train.NewSelector(train.Filter{BestOf: -1}); err == nil {
		t.Error("best of -1: no error")
	}
}

func TestBest(t *testing.T) {
	var list []train.Ranked
	add := func(id, model string, score float64, turns, tokens int, content string) {
		list = append(list, train.Ranked{
			Repeats: train.Repeats{UUID: "q1", Model: model}, ID: id, Score: &qa.Score{Verdict: qa.Right, Value: score}, Turns: turns, Tokens: tokens,
			Content: content,
		})
	}
	add("more turns", "m", 1, 3, 100, "a")
	add("more tokens", "m", 1, 2, 200, "b")
	add("lower score", "m", 0.9, 1, 10, "c")
	add("first", "m", 1, 2, 100, "d")
	add("second", "m", 1, 2, 100, "e")
	add("equal to the first", "m", 1, 2, 100, "d")
	add("another model", "n", 0.5, 9, 900, "f")
	want := map[string]string{"more tokens": "place 3", "more turns": "place 4", "lower score": "place 5"}
	if diff := cmp.Diff(want, train.Beaten(list, 2)); diff != "" {
		t.Errorf("beaten (-want +got):\n%s", diff)
	}
	if got := fmt.Sprint(train.Beaten(nil, 1)); got != "map[]" {
		t.Errorf("of none: %s", got)
	}
}
