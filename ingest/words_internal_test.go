package ingest

import (
	"slices"
	"strings"
	"testing"

	"airqa/internal/testkit/layouttest"
)

func TestMissingWords(t *testing.T) {
	tests := []struct {
		name, want, got string
		missing         []string
	}{
		{"order and case", "The Cat sat", "sat the cat", nil},
		{"a word is gone", "one two three", "one three", []string{"two"}},
		{"one of two is gone", "of the of", "the of", []string{"of"}},
		{"parted in other places", "PP,T state-of-the-art", "P P,T stateoftheart", nil},
		{"ligatures and accents", "ﬁne Veličković", "fine Velickovic", nil},
		{"accents over letters", "t´ıtulo Buciluˇa", "título Bucilua", nil},
		{"superscripts", "x² 10−3", "x2 10-3", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := missingWords(plainWords(tt.want), plainWords(tt.got)); !slices.Equal(got, tt.missing) {
				t.Errorf("got %q, want %q", got, tt.missing)
			}
		})
	}
}

func TestPagesThatLoseWordsAreReported(t *testing.T) {
	p := layouttest.NewPage()
	p.Lines(72, 100, "the text of a page that is read whole, with all the words it has,", "and a second line of ten more words or so.")
	doc := layouttest.Analyze(p)
	whole := doc.Lines(doc.Pages[0].Lines)
	if _, got := fidelity(doc, []string{whole}); len(got) != 0 {
		t.Errorf("a whole page: %q", got)
	}
	_, got := fidelity(doc, []string{whole + " lost words are three"})
	if len(got) != 1 || !strings.Contains(got[0], `page 1 lacks 4 of 29 words of the PDF, such as "lost"`) {
		t.Errorf("a page without four words: %q", got)
	}
	doc.Pages[0].Dropped = "Lost words are three"
	if _, got := fidelity(doc, []string{whole + " lost words are three"}); len(got) != 0 {
		t.Errorf("a running head: %q", got)
	}
}

func TestKeptOrder(t *testing.T) {
	const left, right = "the first column tells of seeds that fly with the wind over land", "the second one is about stones which roll down the hills at night"
	tests := []struct {
		name, want, got string
		least, most     float64
	}{
		{"the same", left + right, left + right, 1, 1},
		{"divided in other places", left, "the first co lumn tells of seedsthat fly-with the wind over land", 1, 1},
		{"columns in the other order", left + " " + right, right + " " + left, 0.6, 0.9},
		{"across the columns", left + " " + right, "the first column tells the second one is about of seeds that fly with stones which roll down the wind over land the hills at night", 0, 0.4},
		{"line numbers apart", "001 the first column tells 002 of seeds that fly with 003 the wind over land and the sea", "the first column tells of seeds that fly with the wind over land and the sea 001 002 003", 1, 1},
		{"too short", "a few words", "words few a", 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var f Fidelity
			f.Kept, f.Sequences = keptOrder(plainWords(tt.want), plainWords(tt.got))
			if got := f.Order(); got < tt.least || got > tt.most {
				t.Errorf("%d of %d sequences, want %g to %g", f.Kept, f.Sequences, tt.least, tt.most)
			}
		})
	}
}

func TestLineNumbersAreNoLostWords(t *testing.T) {
	dropped := plainWords("001 002 003 004 005 006 007 008")
	got := withoutNumbers(plainWords("001 it contains in002 structions for b2003 files 1999"), dropped)
	if want := []string{"it", "contains", "in", "structions", "for", "b2003", "files", "1999"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := withoutNumbers([]string{"page", "7"}, []string{"7"}); len(got) != 2 {
		t.Errorf("a page number: %q", got)
	}
}

func TestPagesInTheWrongOrderAreReported(t *testing.T) {
	page := layouttest.NewPage()
	var painted strings.Builder
	for i := range 40 {
		line := strings.Repeat(string(rune('a'+i%26))+"bc de"+string(rune('k'+i%11))+" f ", 5)
		page.Set(72, 100+12*float64(i), 10, layouttest.Roman, line)
		painted.WriteString(line + "\n")
	}
	lines := strings.Split(strings.TrimSpace(painted.String()), "\n")
	doc := layouttest.Analyze(page)
	if _, got := fidelity(doc, []string{strings.Join(lines, "\n")}); len(got) != 0 {
		t.Errorf("in order: %q", got)
	}
	var across []string
	for _, l := range lines {
		words := strings.Fields(l)
		slices.Reverse(words)
		across = append(across, words...)
	}
	total, got := fidelity(doc, []string{strings.Join(across, " ")})
	if len(got) != 1 || !strings.HasPrefix(got[0], "page 1 may be in the wrong order: ") {
		t.Errorf("in another order: %q", got)
	}
	if total.doubt() == "" {
		t.Errorf("the paper is trusted: %+v", total)
	}
}
