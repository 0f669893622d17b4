package words_test

import (
	"math"
	"strings"
	"testing"

	"airqa/internal/words"
)

func TestSQuADTokens(t *testing.T) {
	tests := []struct{ text, want string }{
		{"The  cat-sat, on A mat.", "catsat on mat"},
		{"An U.S. state-of-the-art", "us stateoftheart"},
		{"10,000 sentences", "10000 sentences"},
		{"“curly” – dash", "“curly” – dash"},
		{"the thé a’b an_a", "thé ’b ana"},
		{"a\u00a0b\x1cc\td", "b c d"},
		{"The.", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(words.SQuADTokens(tt.text), " "); got != tt.want {
			t.Errorf("Tokens(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestSQuADF1(t *testing.T) {
	tests := []struct {
		name, predicted, gold string
		v1, v2                float64
	}{
		{"equal after normalization", "The cat.", "a CAT", 1, 1},
		{"both empty", "", "", 0, 1},
		{"both empty after normalization", "The", "...", 0, 1},
		{"one empty", "", "cat", 0, 0},
		{"other empty", "cat", "the", 0, 0},
		{"nothing in common", "dog", "cat", 0, 0},
		{"half", "black cat", "white cat", 0.5, 0.5},
		{"repeated tokens count once each", "cat cat cat", "cat cat", 0.8, 0.8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := words.SQuADF1(tt.predicted, tt.gold); math.Abs(got-tt.v1) > 1e-12 {
				t.Errorf("F1 = %v, want %v", got, tt.v1)
			}
			if got := words.SQuADF1v2(tt.predicted, tt.gold); math.Abs(got-tt.v2) > 1e-12 {
				t.Errorf("F1v2 = %v, want %v", got, tt.v2)
			}
		})
	}
}
