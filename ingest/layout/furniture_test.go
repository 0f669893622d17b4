package layout_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"airqa/ingest/layout"
	"airqa/internal/testkit/layouttest"
)

// sheets returns pages with a column of text at the usual place, on which set prints what is around it.
func sheets(count int, set func(p *layouttest.Page, n int)) []*layouttest.Page {
	var pages []*layouttest.Page
	for n := range count {
		p := layouttest.NewPage()
		set(p, n+1)
		pages = append(pages, p)
	}
	return pages
}

func body(p *layouttest.Page, n int, from float64, lines int) {
	for i := range lines {
		p.Set(72, from+12*float64(i), 10, layouttest.Roman, fmt.Sprintf("%c%c words of running text that go on from line to line of it,", 'a'+n, 'a'+i%26))
	}
}

func roman(n int) string { return []string{"", "i", "ii", "iii", "iv", "v", "vi"}[n] }

func TestFurniture(t *testing.T) {
	edge := func(y float64) bool { return y < 90 || y > 700 }
	tests := []struct {
		name  string
		count int
		set   func(p *layouttest.Page, n int)
		want  []string // lines near the edges of the last page but one that stay
		label string   // of that page
	}{
		{"numbers after names", 6, func(p *layouttest.Page, n int) {
			p.Set(72, 50, 9, layouttest.Roman, fmt.Sprintf("%d  A. Writer and O. Thers", n+40))
			body(p, n, 100, 40)
		}, nil, "45"},
		{"name and number at the right", 5, func(p *layouttest.Page, n int) {
			p.Set(500, 40, 10, layouttest.Roman, fmt.Sprintf("Writer %d", n))
			body(p, n, 100, 40)
		}, nil, "4"},
		{"left and right pages", 6, func(p *layouttest.Page, n int) {
			if n%2 == 0 {
				p.Set(72, 50, 9, layouttest.Roman, fmt.Sprint(n+40)).Set(400, 50, 9, layouttest.Roman, "WRITER ET AL.")
			} else if n > 1 {
				p.Set(72, 50, 9, layouttest.Roman, "WAVES IN BAYS").Set(530, 50, 9, layouttest.Roman, fmt.Sprint(n+40))
			}
			body(p, n, 100, 40)
		}, nil, "45"},
		{"titles of sections beside the number", 6, func(p *layouttest.Page, n int) {
			p.Set(72, 50, 9, layouttest.Roman, []string{"", "BEGIN", "MIDDLE", "PARTS", "TESTS", "RESULTS", "END"}[n]).Set(530, 50, 9, layouttest.Roman, fmt.Sprint(n))
			body(p, n, 100, 40)
		}, nil, "5"},
		{"forms of page numbers", 5, func(p *layouttest.Page, n int) {
			p.Set(72, 40, 9, layouttest.Roman, fmt.Sprintf("Seite %d von 5", n))
			p.Set(300, 740, 9, layouttest.Roman, fmt.Sprintf("- %s -", roman(n)))
			body(p, n, 100, 40)
		}, nil, "4"},
		{"a number close to the text", 5, func(p *layouttest.Page, n int) {
			body(p, n, 100, 52)
			p.Set(300, 725, 9, layouttest.Roman, fmt.Sprint(n))
		}, []string{"ez words"}, "4"},
		{"the number of a short paper", 1, func(p *layouttest.Page, n int) {
			body(p, n, 100, 40)
			p.Set(219, 702, 10, layouttest.Roman, "3")
		}, nil, "3"},
		{"the number of a page in the file", 3, func(p *layouttest.Page, n int) {
			body(p, n, 100, 40)
			p.Label = fmt.Sprint("A-", n)
		}, nil, "A-2"},
		{"other numbers in the file than printed", 5, func(p *layouttest.Page, n int) {
			body(p, n, 100, 40)
			if p.Label = fmt.Sprint(n); n != 4 {
				p.Set(300, 740, 10, layouttest.Roman, fmt.Sprint(n+100))
			}
		}, nil, "4"},

		{"counted headings", 5, func(p *layouttest.Page, n int) {
			p.Set(72, 60, 11, layouttest.Bold, fmt.Sprintf("Supplementary Note %d", n))
			body(p, n, 100, 40)
		}, []string{"Supplementary Note 4"}, ""},
		{"counted headings with the number first", 5, func(p *layouttest.Page, n int) {
			p.Set(72, 60, 11, layouttest.Bold, fmt.Sprintf("%d. Übung", n))
			body(p, n, 100, 40)
		}, []string{"4. Übung"}, ""},
		{"counted headings of more words", 5, func(p *layouttest.Page, n int) {
			p.Set(72, 60, 11, layouttest.Bold, fmt.Sprintf("Part %d of the Record", n))
			body(p, n, 100, 40)
		}, []string{"Part 4 of the Record"}, ""},
		{"counted subsections", 5, func(p *layouttest.Page, n int) {
			p.Set(72, 60, 11, layouttest.Bold, fmt.Sprintf("3.%d", n)).Set(100, 60, 11, layouttest.Bold, []string{"", "Begin", "Parts", "Tests", "Results", "End"}[n])
			body(p, n, 100, 40)
		}, []string{"3.4 Results"}, ""},
		{"sections that begin pages", 5, func(p *layouttest.Page, n int) {
			p.Set(72, 60, 12, layouttest.Bold, fmt.Sprint(n)).Set(90, 60, 12, layouttest.Bold, []string{"", "Begin", "Parts", "Tests", "Results", "End"}[n])
			body(p, n, 90, 40)
			p.Set(300, 740, 10, layouttest.Roman, fmt.Sprint(n))
		}, []string{"4 Results"}, "4"},
		{"labels of tables", 5, func(p *layouttest.Page, n int) {
			p.Set(72, 60, 9, layouttest.Roman, fmt.Sprintf("Tabelle %d", n))
			body(p, n, 100, 40)
		}, []string{"Tabelle 4"}, ""},
		{"labels of figures at the foot", 4, func(p *layouttest.Page, n int) {
			body(p, n, 100, 40)
			p.Set(72, 730, 9, layouttest.Roman, fmt.Sprintf("Fig. %d", n))
		}, []string{"Fig. 3"}, ""},
		{"the last row of a table", 5, func(p *layouttest.Page, n int) {
			for i := range 52 {
				y := 100 + 12*float64(i)
				p.Set(72, y, 9, layouttest.Roman, fmt.Sprintf("Firm%c%c", 'a'+n, 'a'+i%26)).Set(200, y, 9, layouttest.Roman, "closed").Set(300, y, 9, layouttest.Roman, fmt.Sprint(n))
			}
		}, []string{"Firmez closed 4"}, ""},
		{"the head of a table on each page", 5, func(p *layouttest.Page, n int) {
			p.Rule(72, 500, 50).Set(72, 62, 9, layouttest.Roman, "Model").Set(200, 62, 9, layouttest.Roman, "Score").Rule(72, 500, 66)
			body(p, n, 84, 40)
		}, []string{"Model Score", "ea words"}, ""},
		{"a heading that repeats", 8, func(p *layouttest.Page, n int) {
			if n > 4 {
				p.Set(72, 60, 12, layouttest.Bold, "Further answers of readers")
				body(p, n, 84, 40)
			} else {
				body(p, n, 60, 42)
			}
		}, []string{"Further answers of readers", "ha words"}, ""},
		{
			"one sentence on all lines", 4, func(p *layouttest.Page, n int) {
				p.Lines(72, 40, slices.Repeat([]string{"the same words again and again"}, 57)...)
			},
			slices.Repeat([]string{"the same words"}, 6), "",
		},
		{"numbers alone that do not count up with the pages", 4, func(p *layouttest.Page, n int) {
			p.Set(72, 40, 10, layouttest.Roman, fmt.Sprint(1900+7*n))
			body(p, n, 100, 40)
		}, []string{"1921"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := layouttest.Analyze(sheets(tt.count, tt.set)...)
			page := doc.Pages[max(0, tt.count-2)]
			var got []string
			for _, l := range page.Lines {
				if edge(l.Baseline) {
					got = append(got, l.Text())
				}
			}
			same := len(got) == len(tt.want)
			for i := range min(len(got), len(tt.want)) {
				same = same && strings.HasPrefix(got[i], tt.want[i])
			}
			if !same || page.Label != tt.label {
				t.Errorf("kept %q, want %q; label %q, want %q", got, tt.want, page.Label, tt.label)
			}
		})
	}
}

func TestLineNumbers(t *testing.T) {
	number := func(p *layouttest.Page, x, y float64, n int) {
		text := fmt.Sprint(n)
		p.Set(x-3.5*float64(len(text)), y, 7, layouttest.Roman, text)
	}
	prose := func(p *layouttest.Page, n, lines int, beside func(y float64, i int)) {
		for i := range lines {
			y := 100 + 12*float64(i)
			p.Set(90, y, 10, layouttest.Roman, fmt.Sprintf("%c%c words of running text that go on from line to line of it,", 'a'+n, 'a'+i%26))
			beside(y, i)
		}
	}
	words := func(p *layouttest.Page, n, i int, y float64) {
		p.Set(90, y, 10, layouttest.Roman, fmt.Sprintf("Item%c%c of list", 'a'+n, 'a'+i))
	}
	tests := []struct {
		name  string
		count int
		set   func(p *layouttest.Page, n int)
		drops bool
	}{
		{"going on over pages", 2, func(p *layouttest.Page, n int) {
			prose(p, n, 40, func(y float64, i int) { number(p, 60, y, 40*n-39+i) })
		}, true},
		{"beginning again", 3, func(p *layouttest.Page, n int) { prose(p, n, 40, func(y float64, i int) { number(p, 560, y, 1+i) }) }, true},
		{"a ruler beside the lines", 3, func(p *layouttest.Page, n int) {
			prose(p, n, 40, func(y float64, i int) { number(p, 40, y-3+0.1*float64(i), 40*n-40+i) })
		}, true},
		{"every tenth line", 4, func(p *layouttest.Page, n int) {
			prose(p, n, 40, func(y float64, i int) {
				if i%10 == 9 {
					number(p, 60, y, 40*n-39+i)
				}
			})
		}, true},
		{"part of a manuscript", 4, func(p *layouttest.Page, n int) {
			prose(p, n, 40, func(y float64, i int) { number(p, 60, y, 340+40*n+i) })
		}, true},

		{"one page", 1, func(p *layouttest.Page, n int) { prose(p, n, 40, func(y float64, i int) { number(p, 60, y, 1+i) }) }, false},
		{"one of two pages", 2, func(p *layouttest.Page, n int) {
			prose(p, n, 40, func(y float64, i int) {
				if n == 2 {
					number(p, 60, y, 1+i)
				}
			})
		}, false},
		{"years of a chronicle", 2, func(p *layouttest.Page, n int) {
			prose(p, n, 40, func(y float64, i int) { number(p, 60, y, 1800+40*n+i) })
		}, false},
		{"ranks at the right", 2, func(p *layouttest.Page, n int) {
			for i := range 26 {
				y := 100 + 12*float64(i)
				words(p, n, i, y)
				number(p, 400, y, 26*n-25+i)
			}
		}, false},
		{"under the head of a column on the first page", 3, func(p *layouttest.Page, n int) {
			if n == 1 {
				p.Set(45, 86, 10, layouttest.Bold, "Nr")
			}
			prose(p, n, 40, func(y float64, i int) { number(p, 60, y, 40*n-39+i) })
		}, false},
		{"between rules", 3, func(p *layouttest.Page, n int) {
			p.Rule(40, 500, 88)
			prose(p, n, 40, func(y float64, i int) { number(p, 60, y, 40*n-39+i) })
		}, false},
		{"of entries of three lines", 3, func(p *layouttest.Page, n int) {
			prose(p, n, 39, func(y float64, i int) {
				if i%3 == 0 {
					number(p, 60, y, 13*n-12+i/3)
				}
			})
		}, false},
		{"a list in a paper", 3, func(p *layouttest.Page, n int) {
			prose(p, n, 25, func(float64, int) {})
			for i := range 12 {
				y := 440 + 12*float64(i)
				words(p, n, i, y)
				number(p, 60, y, 1+i)
			}
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pages := sheets(tt.count, tt.set)
			for _, page := range layouttest.Analyze(pages...).Pages {
				numbers := 0
				for _, l := range page.Lines {
					for _, w := range l.Words {
						if strings.Trim(w.Text, "0123456789") == "" {
							numbers++
						}
					}
				}
				all := 0
				for w := range strings.FieldsSeq(glyphText(pages[page.Number-1])) {
					if strings.Trim(w, "0123456789") == "" {
						all++
					}
				}
				if tt.drops && numbers > 0 || !tt.drops && numbers != all {
					t.Errorf("page %d has %d of %d numbers", page.Number, numbers, all)
				}
			}
		})
	}
}

func glyphText(p *layouttest.Page) string {
	var b strings.Builder
	for _, g := range p.Glyphs {
		b.WriteRune(g.Rune)
	}
	return b.String()
}

// turned turns what set prints by an angle, around its origin.
func turned(p *layouttest.Page, angle int, set func()) {
	from := len(p.Glyphs)
	set()
	for i := range p.Glyphs[from:] {
		p.Glyphs[from+i].Angle = angle
	}
}

func TestWatermarks(t *testing.T) {
	tests := []struct {
		name  string
		count int
		set   func(p *layouttest.Page, n int)
		stays bool // MARK
	}{
		{"over the text", 3, func(p *layouttest.Page, n int) { p.Set(100, 305, 40, layouttest.Bold, "MARK OF US") }, false},
		{"in a line of the text", 2, func(p *layouttest.Page, n int) { p.Set(100, 304, 11, layouttest.Roman, "MARK OF US") }, false},
		{"tiles, some of them beside the text", 4, func(p *layouttest.Page, n int) {
			for y := 50.0; y < 760; y += 70 {
				p.Set(100, y, 12, layouttest.Roman, "MARK").Set(450, y, 12, layouttest.Roman, "MARK")
			}
		}, false},
		{"turned in the margin", 3, func(p *layouttest.Page, n int) {
			turned(p, 90, func() { p.Set(590, 300, 1, layouttest.Roman, "MARK of a site") })
		}, false},
		{"a word of state across the first page", 3, func(p *layouttest.Page, n int) {
			if n == 1 {
				turned(p, 50, func() { p.Set(100, 300, 60, layouttest.Roman, "DRAFT") })
			}
		}, false},
		{"a word of state between the paragraphs", 3, func(p *layouttest.Page, n int) { p.Set(100, 640, 40, layouttest.Bold, "DRAFT") }, false},

		{"on one of four pages", 4, func(p *layouttest.Page, n int) {
			if n == 1 {
				p.Set(100, 305, 40, layouttest.Bold, "MARK OF US")
			}
		}, true},
		{"a heading beside the text", 3, func(p *layouttest.Page, n int) { p.Set(72, 600, 12, layouttest.Bold, "MARK") }, true},
		{"the axis of a figure", 3, func(p *layouttest.Page, n int) {
			turned(p, 90, func() { p.Set(90, 640, 1, layouttest.Roman, "MARK of a scale") })
		}, true},
		{"a field of a form", 3, func(p *layouttest.Page, n int) {
			p.Set(72, 620, 10, layouttest.Roman, "MARK: ____________").Set(110, 620, 10, layouttest.Roman, fmt.Sprint("answer", n))
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pages := sheets(tt.count, func(p *layouttest.Page, n int) {
				body(p, n, 100, 40)
				tt.set(p, n)
			})
			stays := false
			for _, page := range layouttest.Analyze(pages...).Pages {
				lines := 0
				for _, l := range page.Lines {
					text := l.Text()
					stays = stays || strings.Contains(text, "MARK") || strings.Contains(text, "DRAFT")
					if strings.Contains(text, "words of running text that go on from line to line of it,") {
						lines++
					}
				}
				if !tt.stays && lines != 40 {
					t.Errorf("page %d has %d of 40 lines", page.Number, lines)
				}
			}
			if stays != tt.stays {
				t.Errorf("the mark stays: %v", stays)
			}
		})
	}
}

func TestStamps(t *testing.T) {
	for text, want := range map[string]bool{
		"RETRACTED ARTICLE": true, "Draft v2": true, "Accepted Manuscript": true, "Preprint – not peer-reviewed": true, "UNDER REVIEW": true,
		"DRAFT: do not cite": true, "Entwurf": true, "BROUILLON": true, "Article in press": false, "Correction": true, "RÉTRACTÉ": true,
		"Draft genomes of potatoes": false, "A Review of Tides": false, "Retracted: Waves in bays": false, "": false, "12": false,
	} {
		if got := layout.IsState(text); got != want {
			t.Errorf("%q is a stamp: %v", text, got)
		}
	}
}
