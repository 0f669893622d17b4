package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/words"
	"airqa/qa"
)

func TestNamedInGold(t *testing.T) {
	const id = "484197f1-0000-5000-8000-000000000000"
	titles := map[string]string{
		words.Fold("LumenParse: Recovering the Reading Order of Pages"): "lumen",
		words.Fold("Attention"): "attention",
	}
	for kwargs, want := range map[string][]string{
		`{"question": "LumenParse: Recovering the Reading Order of Pages?", "reference_answer": "x"}`: nil,
		`{"reference_answer": "LumenParse – recovering the reading order of pages"}`:                  {"lumen"},
		`{"eval_kwargs_list": [{"gold": 1}, {"gold": ["Attention"]}]}`:                                {"attention"},
		`{"gold": ["` + id + `"]}`: {id},
		`{"reference_answer": "It is 'LumenParse: Recovering the Reading Order of Pages' of 2031."}`: {"lumen"},
		`{"reference_answer": "Attention weights"}`:                                                  nil,
		`{"gold": 12}`: nil,
		`broken`:       nil,
	} {
		var got []string
		for _, text := range goldTexts(qa.Example{Evaluator: qa.Evaluator{Kwargs: []byte(kwargs)}}) {
			got = append(got, papersNamed(text, titles, map[string]bool{id: true})...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kwargs, diff)
		}
	}
}
