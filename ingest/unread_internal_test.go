package ingest

import (
	"strings"
	"testing"

	"airqa/env/pdf"
	"airqa/ingest/layout"
)

// typed returns glyphs of a text, 6 points apart, on a baseline at 100.
func typed(text string) (glyphs []layout.Glyph) {
	for i, r := range []rune(text) {
		x := 6 * float64(i)
		glyphs = append(glyphs, layout.Glyph{Rune: r, X: x, Baseline: 100, Size: 10, Font: "F", Box: layout.Box{X0: x, X1: x + 5.5, Y0: 93, Y1: 100}})
	}
	return glyphs
}

func textOf(glyphs []layout.Glyph) string {
	var b strings.Builder
	for _, g := range glyphs {
		b.WriteRune(g.Rune)
	}
	return b.String()
}

func TestUnreadCharactersAreCountedAndKeptInWordsAndNumbers(t *testing.T) {
	for _, c := range []struct{ in, want, problem string }{
		{"plain 1.5", "plain 1.5", ""},
		{"1\uFFFD096", "1\uFFFD096", "1 character cannot be read, 1 of them"},
		{"\uFFFD 1.5 kg", "\uFFFD 1.5 kg", "1 character cannot be read, 1 of them"},
		{"e\uFFFD\uFFFDcient", "e\uFFFD\uFFFDcient", "2 characters cannot be read, 2 of them"},
		{"\uFFFD item", " item", "1 character cannot be read, 0 of them"},
		{"a \uFFFD (b)", "a  (b)", "1 character cannot be read, 0 of them"},
		{"\uFFFD", "", "1 character cannot be read, 0 of them"},
	} {
		inputs := []layout.Input{{Glyphs: typed(c.in)}}
		problem := dropUnread(inputs)
		if got := textOf(inputs[0].Glyphs); got != c.want || !strings.HasPrefix(problem, c.problem) || (problem == "") != (c.problem == "") {
			t.Errorf("%q: %q, %q; want %q, %q", c.in, got, problem, c.want, c.problem)
		}
	}
}

func TestUnknownBitmapFontsAreReported(t *testing.T) {
	glyphs := typed(strings.Repeat("letters ", 40))
	for i := range glyphs {
		glyphs[i].Font, glyphs[i].Unmapped = "", true
	}
	problem, illegible := unmappedText([]layout.Input{{Glyphs: glyphs}})
	if !strings.Contains(problem, "280 characters") || illegible {
		t.Errorf("%q, illegible %v", problem, illegible)
	}
}

func TestDrawnUnderscores(t *testing.T) {
	rule := func(x0, x1, y0, y1 float64) layout.Shape {
		return layout.Shape{Kind: pdf.Path, Box: layout.Box{X0: x0, X1: x1, Y0: y0, Y1: y1}}
	}
	at := func(i int) layout.Shape { return rule(6*float64(i)+0.6, 6*float64(i)+4.6, 99.6, 100) } // in the place of glyph i
	for _, c := range []struct {
		name, in, want string
		rules          []layout.Shape
	}{
		{"between words", "max len", "max_len", []layout.Shape{at(3)}},
		{"twice", "run glue by", "run_glue_by", []layout.Shape{at(8), at(3)}},
		{"before a word", " start", "_start", []layout.Shape{at(0)}},
		{"after a word", "end ", "end_", []layout.Shape{at(3)}},
		{"before a digit", "x 1", "x_1", []layout.Shape{at(1)}},
		{"a fraction's bar", "1 2", "1 2", []layout.Shape{rule(7.2, 10.5, 97, 97.4)}},
		{"an underline", "max len", "max len", []layout.Shape{rule(0, 17, 100.5, 101)}},
		{"a rule of a table", "max len", "max len", []layout.Shape{rule(0, 200, 99.6, 100)}},
		{"apart from words", "a    b", "a    b", []layout.Shape{rule(15, 18.3, 99.6, 100)}},
		{"a block", "a b", "a b", []layout.Shape{rule(7.2, 10.5, 97, 100)}},
	} {
		if got := strings.TrimSpace(textOf(underscores(typed(c.in), c.rules))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
