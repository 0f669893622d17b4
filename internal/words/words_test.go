package words_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/words"
)

func TestFold(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", " .,\n", " "},
		{"case and punctuation", "Loch-Ard, (Nests).", " loch ard nests "},
		{"a word over two lines", "re-\ntrieval of Grey-\nHerons", " retrieval of grey herons "},
		{"ligatures, soft hyphens, accents", "e\ufb03cient her\u00adon re\u0301sume\u0301", " efficient heron résumé "},
		{"numbers", "1,024 of 2.50% and .5, v1.", " 1024 of 2.50 and .5 v1 "},
		{"a sentence ends", "It is 3. Then.", " it is 3 then "},
		{"Greek letters", "λ₁=2𝜇, µ-law; ϵ/\\varepsilon, ∆t, Ω", " lambda 1 2 mu mu law epsilon epsilon delta t omega "},
		{"words of Greek", "το δέντρο", " το δέντρο "},
		{"number words", "two of Twelve, one", " 2 of 12 one "},
		{"powers", "2 × 10−5", " 2 10 5 "},
		{"exponents", "10⁻⁵, 10^−5, 2⁸ and 250³, m³, 3½", " 10 5 10 5 2 8 and 250 3 m3 3 1 2 "},
		{"tables", `<tr><td colspan="2">Wey</td><td>4.1</td></tr> a < b`, " wey 4.1 a b "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := words.Fold(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestContent(t *testing.T) {
	got := slices.Sorted(maps.Keys(words.Content(words.Fold("The 3 herons of the paper, which nest at an 11 m tree"))))
	if diff := cmp.Diff([]string{"11", "3", "herons", "nest", "tree"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestShare(t *testing.T) {
	of, in := words.Fold("herons nest in reeds"), words.Fold("The herons of the reeds")
	if got := words.Share(of, in, nil); got < 0.66 || got > 0.67 {
		t.Errorf("got %v, want two thirds", got)
	}
	if got := words.Share(of, in, map[string]bool{"nest": true}); got != 1 {
		t.Errorf("without nest: got %v, want 1", got)
	}
	if got := words.Share(words.Fold("of the"), in, nil); got != 0 {
		t.Errorf("no content: got %v, want 0", got)
	}
}

func TestShort(t *testing.T) {
	for text, want := range map[string]bool{" 1024.5 ": true, " epsilon 3 ": true, " iv ": true, " loch ard ": false} {
		if got := words.Short(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestFormula(t *testing.T) {
	const want = "tide2adadkappae"
	for _, text := range []string{`\mathrm{Tide}=\frac{2\,a\,d}{a+d}-\kappa\,e`, "Tide = 2 a d / (a + d) − κ e", `\text{Tide} = \dfrac{2ad}{a + d} - \kappa e`} {
		if got := words.Formula(words.Fold(text)); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
