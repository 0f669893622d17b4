package structure_test

import (
	"strings"
	"testing"

	"airqa/ingest/structure"
	"airqa/internal/testkit/layouttest"
)

func TestTitlesAmongOtherLargePrint(t *testing.T) {
	abstract := func(p *layouttest.Page) {
		p.Set(250, 220, 12, layouttest.Bold, "Abstract")
		head(p, p.Lines(72, 240, prose("text", 6)...), 12, layouttest.Bold, "1 Introduction")
	}
	tests := []struct {
		name         string
		set          func(p *layouttest.Page)
		meta, author string
		want         string
	}{
		{"a journal with its volume below", func(p *layouttest.Page) {
			p.Set(150, 70, 24, layouttest.Bold, "Statistical Software Letters").Set(150, 90, 10, layouttest.Roman, "August 2014, Volume 59, Issue 10.")
			p.Set(200, 140, 16, layouttest.Bold, "Neat Data")
			abstract(p)
		}, "", "", "Neat Data"},
		{"a journal of a running head", func(p *layouttest.Page) {
			p.Set(200, 120, 8, layouttest.Roman, "Computers & Engineering 149 (2020) 106773").Set(150, 140, 18, layouttest.Roman, "Computers & Engineering")
			p.Set(72, 180, 15, layouttest.Roman, "Learning in production lines: a review")
			abstract(p)
		}, "", "", "Learning in production lines: a review"},
		{"a kind of article", func(p *layouttest.Page) {
			p.Set(72, 70, 18, layouttest.Bold, "RESEARCH ARTICLE").Set(72, 110, 16, layouttest.Bold, "Numbers emerge in networks")
			abstract(p)
		}, "", "", "Numbers emerge in networks"},
		{"a notice beside the title", func(p *layouttest.Page) {
			p.Set(72, 80, 18, layouttest.Bold, "Number detectors emerge in").Set(440, 88, 6, layouttest.Roman, "Copyright 2019")
			p.Set(440, 95, 6, layouttest.Roman, "some rights reserved").Set(72, 100, 18, layouttest.Bold, "a deep network")
			abstract(p)
		}, "", "", "Number detectors emerge in a deep network"},
		{"a title over a draft of itself", func(p *layouttest.Page) {
			p.Set(100, 80, 17, layouttest.Roman, "A Study of Hash Tables").Set(100, 100, 17, layouttest.Roman, "A Study of Hash Tables")
			abstract(p)
		}, "", "", "A Study of Hash Tables"},
		{"a lecturer in large type", func(p *layouttest.Page) {
			p.Set(100, 80, 24, layouttest.Roman, "Sorting in linear time").Set(100, 120, 20, layouttest.Roman, "Ada Byron")
			abstract(p)
		}, "", "", "Sorting in linear time"},
		{"the author in the metadata", func(p *layouttest.Page) {
			p.Set(100, 80, 20, layouttest.Roman, "Sorting in linear time").Set(100, 110, 20, layouttest.Roman, "Dr. Ada Byron, Torino")
			abstract(p)
		}, "", "Dr. Ada Byron, Torino", "Sorting in linear time"},
		{"authors with marks", func(p *layouttest.Page) {
			p.Set(100, 80, 17, layouttest.Roman, "Sorting in linear time").Set(100, 100, 14, layouttest.Roman, "Ada Byron a , Alan M. Turing b,*")
			abstract(p)
		}, "", "", "Sorting in linear time"},
		{"metadata that is printed", func(p *layouttest.Page) {
			p.Set(100, 80, 24, layouttest.Bold, "Gazette of Software").Set(100, 140, 15, layouttest.Bold, "Neat data for").Set(100, 158, 15, layouttest.Bold, "everybody")
			abstract(p)
		}, "Neat Data for Everybody", "", "Neat data for everybody"},
		{"metadata with the author", func(p *layouttest.Page) {
			p.Set(100, 80, 14, layouttest.Bold, "Ada Maria Byron").Set(100, 116, 14, layouttest.Bold, "Adaptive methods for")
			p.Set(100, 132, 14, layouttest.Bold, "mixed models")
			abstract(p)
		}, "Ada Maria Byron - Adaptive methods for mixed models", "", "Adaptive methods for mixed models"},
		{"metadata that is a file name", func(p *layouttest.Page) { abstract(p) }, "proc.dvi", "", ""},
		{"metadata of a word processor", func(p *layouttest.Page) { abstract(p) }, "Microsoft Word - paper_final.docx", "", ""},
		{"metadata in LaTeX", func(p *layouttest.Page) { abstract(p) }, `{\fontsize{60}{0}\logo}i`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := layouttest.NewPage()
			tt.set(p)
			got := structure.Read(structure.Source{Doc: layouttest.Analyze(p), Title: tt.meta, Author: tt.author}).Title
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTitlesOfCovers(t *testing.T) {
	for _, tt := range []struct{ school, genre, title, more string }{
		{"Střední průmyslová škola Třebíč", "Maturitní práce", "WEBOVÁ APLIKACE PRO PŘIHLÁŠKY DO", "DOMOVA"},
		{"ΕΘΝΙΚΟ ΜΕΤΣΟΒΙΟ ΠΟΛΥΤΕΧΝΕΙΟ", "ΔΙΠΛΩΜΑΤΙΚΗ ΕΡΓΑΣΙΑ", "Μελέτη κατανεμημένων συστημάτων", "μνήμης"},
		{"Московский государственный университет", "Дипломная работа", "Адаптивные алгоритмы оценивания", "параметров"},
		{"Universidad de Granada", "Tesis doctoral", "Un estudio de las redes", "profundas"},
		{"University of Somewhere", "Master's Thesis", "A study of distributed", "memory"},
	} {
		cover, text := layouttest.NewPage(), layouttest.NewPage()
		cover.Set(150, 100, 20, layouttest.Bold, tt.school).Set(200, 250, 18, layouttest.Bold, tt.genre)
		cover.Set(120, 500, 16, layouttest.Bold, tt.title).Set(120, 520, 16, layouttest.Bold, tt.more)
		cover.Set(200, 560, 12, layouttest.Roman, "2020")
		text.Lines(72, 80, prose("text", 40)...)
		got := structure.Read(structure.Source{Doc: layouttest.Analyze(cover, text, text)}).Title
		if want := tt.title + " " + tt.more; got != want {
			t.Errorf("%s: got %q, want %q", tt.school, got, want)
		}
	}
}

func TestThePageOfASiteHasNoTitle(t *testing.T) {
	cover, paper := layouttest.NewPage(), layouttest.NewPage()
	cover.Lines(72, 60, "See discussions, stats, and author profiles for this publication at: https://www.researchgate.net/publication/2200")
	cover.Set(72, 100, 13, layouttest.Bold, "A title as the site prints it")
	cover.Lines(72, 130, "Article in Some Journal · March 2010", "CITATIONS 12", "READS 345")
	paper.Set(100, 80, 18, layouttest.Bold, "A Title as the Paper Prints It").Set(250, 140, 12, layouttest.Bold, "Abstract")
	head(paper, paper.Lines(72, 160, prose("text", 6)...), 12, layouttest.Bold, "1 Introduction")
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(cover, paper)}).Title
	if got != "A Title as the Paper Prints It" {
		t.Errorf("got %q", got)
	}
}

func TestPartsOfATitleAcrossAGutterAreInOrder(t *testing.T) {
	p := layouttest.NewPage()
	for _, part := range []struct {
		x    float64
		text string
	}{{100, "Regression Error"}, {290, "Characteristic"}, {420, "Curves"}} {
		p.Set(part.x, 80, 14, layouttest.Bold, part.text)
	}
	p.Set(120, 140, 12, layouttest.Bold, "Abstract")
	for _, x := range []float64{72, 320} {
		for i := range 45 {
			p.Set(x, 160+12*float64(i), 10, layouttest.Roman, strings.Repeat("words of a column ", 2))
		}
	}
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p)}).Title
	if got != "Regression Error Characteristic Curves" {
		t.Errorf("got %q", got)
	}
}
