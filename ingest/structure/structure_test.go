package structure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/pdf"
	"airqa/ingest/layout"
	"airqa/ingest/structure"
	"airqa/internal/testkit/layouttest"
)

// prose fills n lines of the page width.
func prose(topic string, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("the %s continues in line %02d, which is as long as a line of text has to be to fill the page,", topic, i)
	}
	return lines
}

// head adds a heading and a few lines of text, and returns the next baseline.
func head(p *layouttest.Page, y, size float64, font, title string) float64 {
	p.Set(72, y+6, size, font, title)
	return p.Lines(72, y+24, prose("text", 4)...) + 8
}

// found is a heading with its first page.
type found struct {
	Heading string
	Level   int
	Page    int
}

func headings(p structure.Paper) []found {
	var out []found
	for _, s := range p.Sections {
		out = append(out, found{s.Heading, s.Level, s.Pages[0]})
	}
	return out
}

func TestHeadingsByPrintAndNumber(t *testing.T) {
	tests := []struct {
		name   string
		titles []struct {
			size        float64
			font, title string
		}
		want []found
	}{
		{
			"decimal", titles(
				12, layouttest.Bold, "1 Introduction", 12, layouttest.Bold, "2 Method", 10, layouttest.Bold, "2.1 Data", 10, layouttest.Bold, "2.2 Model",
				12, layouttest.Bold, "3 Results", 12, layouttest.Bold, "Limitations", 12, layouttest.Bold, "References", 12, layouttest.Bold, "A Proofs"),
			[]found{
				{"1 Introduction", 1, 1},
				{"2 Method", 1, 1},
				{"2.1 Data", 2, 1},
				{"2.2 Model", 2, 1},
				{"3 Results", 1, 1},
				{"Limitations", 1, 1},
				{"References", 1, 1},
				{"A Proofs", 1, 1},
			},
		},
		{
			"labels of a drawing", titles(
				12, layouttest.Bold, "1 Introduction", 12, layouttest.Bold, "2 Method", 12, layouttest.Bold, "A B",
				12, layouttest.Bold, "A Node", 12, layouttest.Bold, "3 Results"),
			[]found{{"1 Introduction", 1, 1}, {"2 Method", 1, 1}, {"A Node", 1, 1}, {"3 Results", 1, 1}},
		},
		{
			"roman", titles(
				10, layouttest.Roman, "I. INTRODUCTION", 10, layouttest.Roman, "II. THE SYSTEM", 10, layouttest.Italic, "A. Parts", 10, layouttest.Italic, "B. Whole",
				10, layouttest.Roman, "III. RESULTS", 10, layouttest.Italic, "A. Numbers", 10, layouttest.Roman, "REFERENCES"),
			[]found{
				{"I. INTRODUCTION", 1, 1},
				{"II. THE SYSTEM", 1, 1},
				{"A. Parts", 2, 1},
				{"B. Whole", 2, 1},
				{"III. RESULTS", 1, 1},
				{"A. Numbers", 2, 1},
				{"REFERENCES", 1, 1},
			},
		},
		{
			"out of order is a list or a cell", titles(
				12, layouttest.Bold, "1 Introduction", 12, layouttest.Bold, "7 Dwarfs", 12, layouttest.Bold, "2 Method", 10, layouttest.Bold, "4.2 Points"),
			[]found{{"1 Introduction", 1, 1}, {"2 Method", 1, 1}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := layouttest.NewPage()
			y := 80.0
			for _, title := range tt.titles {
				y = head(p, y, title.size, title.font, title.title)
			}
			got := structure.Read(structure.Source{Doc: layouttest.Analyze(p)})
			if diff := cmp.Diff(tt.want, headings(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// titles takes alternating sizes, fonts and titles.
func titles(values ...any) (out []struct {
	size        float64
	font, title string
},
) {
	for i := 0; i+2 < len(values); i += 3 {
		size, ok := values[i].(float64)
		if !ok {
			size = float64(values[i].(int))
		}
		out = append(out, struct {
			size        float64
			font, title string
		}{size, values[i+1].(string), values[i+2].(string)})
	}
	return out
}

func TestAnchorsTellHeadingsApart(t *testing.T) {
	p := layouttest.NewPage()
	y := head(p, 80, 12, layouttest.Bold, "1 Introduction")
	second := y
	y = head(p, y, 12, layouttest.Bold, "2 Results for 3 Models and a Title That Does Not")
	p.Lines(72, y, "1 Not a heading but an item")
	anchors := []pdf.Anchor{
		{Name: "section*.1", Page: 1, X: 72, Y: 110},
		{Name: "section.1", Page: 1, X: 72, Y: 74},
		{Name: "section.2", Page: 1, X: 72, Y: second - 6},
		{Name: "subsection.9.9", Page: 1, X: 72, Y: 700},
		{Name: "figure.1", Page: 1, X: 72, Y: 300},
	}
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p), Anchors: anchors})
	want := []found{{"1 Introduction", 1, 1}, {"2 Results for 3 Models and a Title That Does Not", 1, 1}}
	if diff := cmp.Diff(want, headings(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAnchorsOfBoxesAndStatementsAreNoHeadings(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(72, 60, 16, layouttest.Bold, "A Paper")
	y := 90.0
	var anchors []pdf.Anchor
	for i, title := range []string{
		"1 Data", "\\author[options]{name}", "Remark 1.1 – On the data", "Use the following form for your data:", "• The height may not be right", "2 Results",
	} {
		anchors = append(anchors, pdf.Anchor{Name: fmt.Sprintf("section.%d", i+1), Page: 1, X: 72, Y: y - 4})
		y = head(p, y, 12, layouttest.Bold, title)
	}
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p), Anchors: anchors})
	if diff := cmp.Diff([]found{{"1 Data", 1, 1}, {"2 Results", 1, 1}}, headings(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTextMayFollowAHeadingOnItsLine(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(72, 60, 16, layouttest.Bold, "A Paper")
	y := head(p, 90, 12, layouttest.Bold, "1 Data")
	p.Set(72, y, 10, layouttest.Bold, "1.1 Version Number.")
	p.Set(172, y, 10, layouttest.Roman, "The version may be given where all files are named and more")
	y = p.Lines(72, y+12, prose("version", 3)...) + 10
	head(p, y, 12, layouttest.Bold, "2 Results")
	anchors := []pdf.Anchor{{Name: "section.1", Page: 1, X: 72, Y: 86}, {Name: "subsection.1.1", Page: 1, X: 72, Y: 160}, {Name: "section.2", Page: 1, X: 72, Y: y - 4}}
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p), Anchors: anchors})
	if diff := cmp.Diff([]found{{"1 Data", 1, 1}, {"1.1 Version Number.", 2, 1}, {"2 Results", 1, 1}}, headings(got)); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	if text := got.Sections[1].Text; !strings.HasPrefix(text, "The version may be given where") {
		t.Errorf("text %s", text)
	}
}

func TestTheOutlineNamesHeadings(t *testing.T) {
	p := layouttest.NewPage()
	y := head(p, 80, 10, layouttest.Roman, "ON BIRDS")
	head(p, y, 10, layouttest.Roman, "ON TREES")
	outline := []pdf.Heading{{Title: "On Birds", Level: 1, Page: 1}, {Title: "On Trees", Level: 1, Page: 1}, {Title: "Lost", Level: 1, Page: 4}}
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p), Outline: outline})
	if diff := cmp.Diff([]found{{"On Birds", 1, 1}, {"On Trees", 1, 1}}, headings(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestASectionHoldsItsSubsections(t *testing.T) {
	one, two := layouttest.NewPage(), layouttest.NewPage()
	y := head(one, 80, 12, layouttest.Bold, "1 Introduction")
	y = head(one, y, 12, layouttest.Bold, "2 Method")
	head(one, y, 10, layouttest.Bold, "2.1 Data")
	head(two, 80, 12, layouttest.Bold, "3 Results")
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(one, two)}).Sections
	if len(got) != 4 {
		t.Fatalf("got %+v", got)
	}
	method, data := got[1], got[2]
	if want := method.Text[:len(method.Text)-len(data.Text)]; method.Text != want+data.Text || len(want) == 0 {
		t.Errorf("the text of 2 does not end in that of 2.1:\n%s\n--\n%s", method.Text, data.Text)
	}
	if diff := cmp.Diff([]int{2}, got[3].Pages); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

func TestTitleAndAbstract(t *testing.T) {
	tests := []struct {
		name            string
		set             func(p *layouttest.Page)
		meta            string
		title, abstract string
	}{
		{"heading", func(p *layouttest.Page) {
			p.Set(100, 70, 17, layouttest.Bold, "The Title of the Paper∗")
			p.Set(250, 120, 12, layouttest.Bold, "Abstract")
			p.Lines(100, 140, "We show this.", "And that.")
		}, "", "The Title of the Paper", "We show this. And that."},
		{"run in", func(p *layouttest.Page) {
			p.Set(100, 70, 17, layouttest.Roman, "A Title over").Set(100, 90, 17, layouttest.Roman, "Two Lines")
			p.Lines(72, 140, "Abstract—We show this.", "And that.", "Index Terms—this, that")
		}, "", "A Title over Two Lines", "We show this. And that."},
		{"a logo under a longer title", func(p *layouttest.Page) {
			p.Set(100, 70, 14, layouttest.Bold, "A Tool: An Agent for Searching Papers").Set(150, 90, 12, layouttest.Roman, "Ada B.")
			p.Set(200, 120, 20, layouttest.Bold, "Paper Search")
			p.Set(250, 150, 12, layouttest.Bold, "Abstract")
			p.Lines(100, 170, "We show this.")
		}, "", "A Tool: An Agent for Searching Papers", "We show this."},
		{"a smaller subtitle", func(p *layouttest.Page) {
			p.Set(100, 70, 17, layouttest.Bold, "STAR: A Reasoner").Set(100, 90, 14, layouttest.Bold, "Learning from Itself")
			p.Set(100, 110, 12, layouttest.Bold, "Ada B.")
			p.Lines(72, 140, "Abstract. We show this.")
		}, "", "STAR: A Reasoner Learning from Itself", "We show this."},
		{"a line that ends with a colon", func(p *layouttest.Page) {
			p.Set(100, 70, 17, layouttest.Bold, "A Game:").Set(100, 88, 12, layouttest.Roman, "What It Teaches").Set(100, 110, 10, layouttest.Roman, "Ada B.")
			p.Lines(72, 140, "Abstract—We show this.")
		}, "", "A Game: What It Teaches", "We show this."},
		{"a drop cap", func(p *layouttest.Page) {
			p.Set(100, 70, 20, layouttest.Roman, "How to Use the Class")
			p.Set(72, 140, 30, layouttest.Roman, "W").Set(90, 130, 10, layouttest.Roman, "ITH a recent file of this class, it is easy to write")
		}, "", "How to Use the Class", ""},
		{"contents", func(p *layouttest.Page) {
			p.Set(100, 70, 17, layouttest.Bold, "A Large Model").Set(250, 120, 12, layouttest.Bold, "Abstract")
			p.Lines(100, 140, "We show this.", "And that.", "Contents", "1 Introduction . . . . . . . . . 3")
		}, "", "A Large Model", "We show this. And that."},
		{"Chinese", func(p *layouttest.Page) {
			p.Set(100, 70, 17, layouttest.Bold, "输出功率的研究").Set(250, 92, 17, layouttest.Bold, "摘 要")
			p.Lines(100, 140, "本文研究功率。", "关键词：功率 模型")
		}, "", "输出功率的研究", "本文研究功率。"},
		{"Russian", func(p *layouttest.Page) {
			p.Set(100, 70, 17, layouttest.Bold, "Исследование методов")
			p.Lines(72, 140, "Аннотация. Мы показываем это.", "Ключевые слова: метод")
		}, "", "Исследование методов", "Мы показываем это."},
		{"Spanish", func(p *layouttest.Page) {
			p.Set(100, 70, 17, layouttest.Bold, "Un sistema web").Set(250, 120, 12, layouttest.Bold, "Resumen")
			p.Lines(100, 140, "Mostramos esto.", "Palabras clave: sistema")
		}, "", "Un sistema web", "Mostramos esto."},
		{"metadata", func(p *layouttest.Page) { p.Lines(72, 140, "Nothing larger than text.") }, " Named in the File ", "Named in the File", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := layouttest.NewPage()
			tt.set(p)
			y := head(p, 250, 12, layouttest.Bold, "1 Introduction")
			if tt.meta != "" {
				p = layouttest.NewPage()
				tt.set(p)
			} else {
				head(p, y, 12, layouttest.Bold, "2 Method")
			}
			got := structure.Read(structure.Source{Doc: layouttest.Analyze(p), Title: tt.meta})
			if got.Title != tt.title || got.Abstract != tt.abstract {
				t.Errorf("got %q and %q, want %q and %q", got.Title, got.Abstract, tt.title, tt.abstract)
			}
		})
	}
}

// Sentences are never a title.
func TestSentencesAreNoTitle(t *testing.T) {
	p := layouttest.NewPage()
	p.Lines(72, 100, "This file has no title. It begins with a sentence that", "says so. And it continues with another one.")
	if got := structure.Read(structure.Source{Doc: layouttest.Analyze(p)}).Title; got != "" {
		t.Errorf("got %q", got)
	}
}

func TestBibliographiesInOtherLanguages(t *testing.T) {
	for _, title := range []string{"参考文献", "Список литературы", "Literatur", "Referencias", "Références", "参考文献："} {
		p := layouttest.NewPage()
		head(p, 80, 12, layouttest.Bold, "1 Introduction")
		p.Set(72, 210, 12, layouttest.Bold, title)
		p.Lines(72, 230, "[1] 张万超. 研究 [D]. 2017.", "[2] B. Two. 2018.", "[3] C. Three. 2019.")
		got := structure.Read(structure.Source{Doc: layouttest.Analyze(p)}).References
		if len(got) != 3 || got[0].Text != "[1] 张万超. 研究 [D]. 2017." {
			t.Errorf("%s: got %+v", title, got)
		}
	}
}

func TestEquations(t *testing.T) {
	p := layouttest.NewPage()
	y := p.Lines(72, 100, prose("text", 6)...)
	right := 72 + 0.5*10*float64(len(prose("text", 1)[0]))
	p.Set(250, y+10, 10, layouttest.Math, "y=f(x)").Set(right-15, y+10, 10, layouttest.Roman, "(1)")
	y = p.Lines(72, y+34, prose("text", 3)...)
	p.Set(240, y+4, 7, layouttest.Math, "n").Set(236, y+14, 10, layouttest.Math, "a+b").Set(right-30, y+14, 10, layouttest.Roman, "(A.2b)")
	y = p.Lines(72, y+40, prose("text", 3)...)
	p.Lines(72, y, "and so it follows from what was said above in (3)")
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p)}).Equations
	type equation struct{ Number, Text string }
	var brief []equation
	for _, e := range got {
		brief = append(brief, equation{e.Number, e.Text})
	}
	if diff := cmp.Diff([]equation{{"1", "y=f(x)"}, {"A.2b", "n a+b"}}, brief); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReferencesAreSplit(t *testing.T) {
	tests := []struct {
		name    string
		set     func(p *layouttest.Page)
		anchors []pdf.Anchor
		want    []string
	}{
		{"numbers", func(p *layouttest.Page) {
			p.Lines(72, 230, "[1] A. One. First. 2001.", "[2] B. Two. Second, see also", "[9] which is no entry. 2002.", "[3] C. Three. Third. 2003.")
		}, nil, []string{"[1] A. One. First. 2001.", "[2] B. Two. Second, see also [9] which is no entry. 2002.", "[3] C. Three. Third. 2003."}},
		{
			"anchors", func(p *layouttest.Page) {
				p.Lines(72, 230, "A. One. First. 2001.", "B. Two. Second, a long one,", "2002.")
			},
			[]pdf.Anchor{{Name: "cite.one", Page: 1, X: 72, Y: 220}, {Name: "cite.two", Page: 1, X: 72, Y: 232}},
			[]string{"A. One. First. 2001.", "B. Two. Second, a long one, 2002."},
		},
		{"hanging indents", func(p *layouttest.Page) {
			p.Lines(72, 230, "A. One. First, a long one,")
			p.Lines(84, 242, "2001.")
			p.Lines(72, 254, "B. Two. Second, a repre-")
			p.Lines(84, 266, "sentation. 2002.")
		}, nil, []string{"A. One. First, a long one, 2001.", "B. Two. Second, a representation. 2002."}},
		{"space between", func(p *layouttest.Page) {
			for i := range 4 {
				p.Lines(72, 230+40*float64(i), fmt.Sprintf("%c. Name. Title, a long one, and more", 'A'+i), "of it. 2001.")
			}
		}, nil, []string{
			"A. Name. Title, a long one, and more of it. 2001.", "B. Name. Title, a long one, and more of it. 2001.",
			"C. Name. Title, a long one, and more of it. 2001.", "D. Name. Title, a long one, and more of it. 2001.",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := layouttest.NewPage()
			head(p, 80, 12, layouttest.Bold, "1 Introduction")
			p.Set(72, 210, 12, layouttest.Bold, "References")
			tt.set(p)
			var got []string
			for _, ref := range structure.Read(structure.Source{Doc: layouttest.Analyze(p), Anchors: tt.anchors}).References {
				got = append(got, ref.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestFiguresAreNoRunningText(t *testing.T) {
	p := layouttest.NewPage()
	y := head(p, 80, 12, layouttest.Bold, "1 Introduction")
	p.Set(200, y+20, 10, layouttest.Roman, "label in a figure")
	head(p, y+60, 12, layouttest.Bold, "2 Method")
	regions := map[int][]layout.Box{1: {{X0: 100, Y0: y, X1: 500, Y1: y + 40}}}
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p), Regions: regions})
	if text := got.Sections[0].Text; len(text) == 0 || text[len(text)-1] != ',' {
		t.Errorf("got %q", text)
	}
}

func TestAnEmptyPaper(t *testing.T) {
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(), Title: "T"})
	if diff := cmp.Diff(structure.Paper{Title: "T"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_ = structure.Read(structure.Source{Doc: layouttest.Analyze(layouttest.NewPage())})
}
