package words_test

import (
	"testing"

	"airqa/llm/offline/words"

	"github.com/google/go-cmp/cmp"
)

func TestLists(t *testing.T) {
	tests := []struct {
		name string
		list func(string) []string
		text string
		want []string
	}{
		{"words", words.Of, "61.4 on a state-of-the-art set", []string{"61.4", "on", "a", "state", "of", "the", "art", "set"}},
		{"terms without filler", words.Terms, "Which papers propose a smoothing of smoothed scores?", []string{"smoothing", "scores"}},
		{"names", words.Names, "Which GPU does AnchorWeave use, and what of Data-Set2?", []string{"GPU", "AnchorWeave", "Data-Set2"}},
		{"sentences", words.Sentences, "We fol-\nlow Doe et al. here. See Fig. 2 for\nmore. 1 Introduction\nReaders rarely remember.", []string{"We follow Doe et al. here.", "See Fig. 2 for more.", "1 Introduction", "Readers rarely remember."}},
		{"clauses", words.Clauses, "What is lambda, and how many seeds are used?", []string{"What is lambda", "how many seeds are used?"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.list(tt.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNumerals(t *testing.T) {
	tests := []struct {
		name, text string
		want       []words.Numeral
	}{
		{"decimals and thousands", "61.4 of 12,000", []words.Numeral{{Value: 61.4, Decimals: 1, End: 4}, {Value: 12000, Start: 8, End: 14}}},
		{"power of ten", "rate 2 × 10-5", []words.Numeral{{Value: 2e-5, Start: 5, End: 14}}},
		{"word", "three seeds", []words.Numeral{{Value: 3, End: 5, Word: true}}},
		{"labels and years count nothing", "Table 2 of BERT4 (Doe, 2019).", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, words.Numerals(tt.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A word that few sentences hold weighs more.
func TestWeigh(t *testing.T) {
	var sentences []words.Sentence
	for _, s := range []string{"the encoder is small", "the encoder is frozen", "the decoder is small"} {
		sentences = append(sentences, words.Sentence{Text: s, Stems: words.Stems(s)})
	}
	w := words.Weigh([]string{"encoder", "frozen"}, sentences)
	common, rare := w.Sum(words.Stems("encoder")), w.Sum(words.Stems("frozen"))
	if rare <= common || common <= 0 {
		t.Errorf("weights %v (rare) and %v (common), want the first greater and both above 0", rare, common)
	}
	if total := w.Total(); total != common+rare {
		t.Errorf("Total() = %v, want %v", total, common+rare)
	}
}
