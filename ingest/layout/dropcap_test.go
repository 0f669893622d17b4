package layout_test

import (
	"strings"
	"testing"

	"airqa/ingest/layout"
	"airqa/internal/testkit/layouttest"
)

func TestALargeFirstLetterBelongsToItsWord(t *testing.T) {
	tests := []struct{ name, first, next, want string }{
		{"of a word", "T", "HIS paper shows how a letter may reach", "THIS paper shows how a letter may reach down over two lines"},
		{"a word of its own", "A", " PAPER may begin with a letter that is", "A PAPER may begin with a letter that is down over two lines"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := layouttest.NewPage()
			p.Set(72, 112, 24, layouttest.Roman, tt.first)
			p.Set(86, 100, 10, layouttest.Roman, tt.next)
			p.Set(86, 112, 10, layouttest.Roman, "down over two lines and runs on below it")
			p.Lines(72, 124, "as a paragraph of a paper does in a journal of", "this kind and of others that are like it are")
			doc := layouttest.Analyze(p)
			if got := doc.Flow(doc.Pages[0].Lines); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %s", got)
			}
			if l := doc.Pages[0].Lines[0]; l.Size != 10 || l.Role != layout.Body {
				t.Errorf("first line %+v", l)
			}
		})
	}
}
