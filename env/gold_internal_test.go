package env

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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

// No title that is in a text is left out by its first words.
func TestTitlesAreNotLeftOut(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "Deep", "two", "two-", "1,024", "<b>Deep", "</b>", "α-", "Pre-\ntraining", "It's", "\u00ad", ".5", "x.", "-", "é", "12", " ", "\n"})
	rapid.Check(t, func(t *rapid.T) {
		title := strings.Join(rapid.SliceOfN(word, 1, 5).Draw(t, "title"), rapid.SampledFrom([]string{" ", "", "  "}).Draw(t, "between"))
		around := rapid.SliceOfN(word, 2, 2).Draw(t, "around")
		text := around[0] + " " + title + " " + around[1]
		folded := words.Fold(title)
		if folded == words.Fold("") || !strings.Contains(words.Fold(text), folded) {
			t.Skip("not in the text as words")
		}
		in := phrasesOf([]string{"other", text})
		first, _, _ := strings.Cut(title, " ")
		if !in.mayBegin(first) || !in.begin(folded) {
			t.Errorf("%q is left out, though it is in %q", title, text)
		}
	})
}
