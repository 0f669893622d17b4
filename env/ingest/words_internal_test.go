package ingest

import (
	"slices"
	"strings"
	"testing"

	"airqa/env/ingest/layout/layouttest"
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
			if got, _ := missingWords(tt.want, tt.got); !slices.Equal(got, tt.missing) {
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
	if got := lostWords(doc, []string{whole}); len(got) != 0 {
		t.Errorf("a whole page: %q", got)
	}
	got := lostWords(doc, []string{whole + " lost words are three"})
	if len(got) != 1 || !strings.Contains(got[0], `page 1 lacks 4 of 29 words that PDFium extracts, such as "lost"`) {
		t.Errorf("a page without four words: %q", got)
	}
	doc.Pages[0].Dropped = "Lost words are three"
	if got := lostWords(doc, []string{whole + " lost words are three"}); len(got) != 0 {
		t.Errorf("a running head: %q", got)
	}
}
