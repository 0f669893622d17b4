package ingest

import (
	"math"
	"strconv"
	"strings"

	"airqa/env/paperdb"
	"airqa/ingest/floats"
	"airqa/ingest/layout"
	"airqa/ingest/structure"
	"airqa/qa"
)

// rowMaker assigns ids and ordinals to rows.
type rowMaker struct {
	paper string
	next  map[counter]int
}

type counter struct {
	page int
	kind string
}

// id returns the id of the next part of a kind on a page.
func (m *rowMaker) id(page int, kind string) string {
	m.next[counter{page, kind}]++
	return qa.PartUUID(m.paper, page, kind, m.next[counter{page, kind}])
}

func (m *rowMaker) page(n int) string { return qa.PageUUID(m.paper, n) }

func (r *Reader) rows(s Source, doc *layout.Document, found floats.Floats, parts structure.Paper) paperdb.Paper {
	p := paperdb.Paper{File: s.File}
	p.Metadata = paperdb.Metadata{Title: first(parts.Title, stem(s.Path)), Abstract: parts.Abstract, NumPages: len(doc.Pages)}
	s.apply(&p.Metadata)
	m := &rowMaker{paper: p.Metadata.PaperID, next: map[counter]int{}}
	chunks := newChunker(r.Chunks)
	for _, page := range doc.Pages {
		width, height := page.Shown()
		p.Pages = append(p.Pages, paperdb.Page{
			ID: m.page(page.Number), Number: page.Number, Width: int(width), Height: int(height),
			Content: doc.Lines(page.Lines),
		})
		for _, text := range chunks.page(doc, page.Lines) {
			p.Chunks = append(p.Chunks, paperdb.Chunk{
				ID: m.id(page.Number, "chunk"), Text: text, Ordinal: len(p.Chunks) + 1, PageID: m.page(page.Number),
			})
		}
	}
	p.File.Labels = labels(doc.Pages)
	m.floats(doc, found, &p)
	m.texts(parts, &p)
	return p
}

// labels returns the labels of the pages, nil if they are the numbers of the pages or missing.
func labels(pages []layout.Page) []string {
	out, differ := make([]string, len(pages)), false
	for i, page := range pages {
		out[i] = strings.Join(strings.Fields(page.Label), " ")
		differ = differ || out[i] != "" && out[i] != strconv.Itoa(page.Number)
	}
	if !differ {
		return nil
	}
	return out
}

func (m *rowMaker) floats(doc *layout.Document, found floats.Floats, p *paperdb.Paper) {
	for i, f := range found.Figures {
		p.Images = append(p.Images, paperdb.Image{
			ID: m.id(f.Page, "image"), Caption: f.Caption, Box: wholePoints(doc.Pages[f.Page-1].AsShown(f.Box)), Ordinal: i, PageID: m.page(f.Page),
		})
	}
	for i, t := range found.Tables {
		p.Tables = append(p.Tables, paperdb.Table{
			ID: m.id(t.Page, "table"), Caption: t.Caption, Content: t.HTML, Box: wholePoints(doc.Pages[t.Page-1].AsShown(t.Box)), Ordinal: i, PageID: m.page(t.Page),
		})
	}
}

func (m *rowMaker) texts(parts structure.Paper, p *paperdb.Paper) {
	for i, s := range parts.Sections {
		p.Sections = append(p.Sections, paperdb.Section{
			ID: qa.SectionUUID(m.paper, i), Title: s.Heading, Content: s.Text, Ordinal: i, PageNumbers: s.Pages,
		})
	}
	for i, e := range parts.Equations {
		p.Equations = append(p.Equations, paperdb.Equation{
			ID: m.id(e.Page, "equation"), Content: e.Text, Ordinal: i, PageID: m.page(e.Page),
		})
	}
	for i, ref := range parts.References {
		p.References = append(p.References, paperdb.Reference{
			ID: qa.ReferenceUUID(m.paper, i+1), Content: ref.Text, Ordinal: i, PageID: m.page(ref.Page),
		})
	}
}

// wholePoints converts a box to [x0, y0, width, height], rounded outwards.
func wholePoints(b layout.Box) [4]int {
	x0, y0 := math.Floor(max(0, b.X0)), math.Floor(max(0, b.Y0))
	return [4]int{int(x0), int(y0), int(math.Ceil(b.X1) - x0), int(math.Ceil(b.Y1) - y0)}
}
