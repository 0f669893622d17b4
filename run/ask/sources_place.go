package ask

import (
	"context"
	"errors"
	"slices"
	"strings"

	"airqa/env/paperdb"
	"airqa/internal/evidence"
	"airqa/internal/lazyregexp"
	"airqa/internal/words"
)

// lookup finds the places of sources in papers. It reads each paper once.
type lookup struct {
	papers Papers
	known  map[string]*paper
	// involved are the papers of all sources, for those that name none.
	involved []string
}

// paper is a paper with its folded pages.
type paper struct {
	paperdb.Paper
	pages []string // folded, by the index of Pages
}

func newLookup(papers Papers, found []Source, also []string) *lookup {
	l := &lookup{papers: papers, known: make(map[string]*paper)}
	var ids []string
	for _, s := range found {
		ids = append(append(ids, s.PaperID), s.papers...)
	}
	for _, id := range append(ids, also...) {
		if id != "" && !slices.Contains(l.involved, id) {
			l.involved = append(l.involved, id)
		}
	}
	return l
}

// place fills in where a source is, as far as the database knows it.
func (l *lookup) place(ctx context.Context, s *Source) error {
	p, err := l.paperOf(ctx, s)
	if err != nil || p == nil {
		return err
	}
	s.Title, s.Withdrawn = p.Metadata.Title, p.File.Withdrawn
	if s.Kind == QueryRow || s.Page == 0 {
		return nil
	}
	s.Label = p.File.Label(s.Page)
	if s.Kind == Passage && !p.asTable(s) {
		p.asFigure(s)
	}
	s.Section = p.section(*s)
	if s.Box == nil && s.Kind == Passage {
		s.Box, err = l.papers.Locate(ctx, s.PaperID, s.Page, s.Quote)
		if err != nil && ctx.Err() == nil {
			err = nil // the PDF is not there, or cannot be read
		}
	}
	return err
}

// paperOf returns the paper of a source, nil if it is unknown. It searches the text where the source does not name a page.
func (l *lookup) paperOf(ctx context.Context, s *Source) (*paper, error) {
	ids := []string{s.PaperID}
	switch {
	case s.PaperID != "" && (s.Page > 0 || s.Kind == QueryRow):
		return l.paper(ctx, s.PaperID)
	case s.Kind == QueryRow:
		return nil, nil
	case s.PaperID == "" && len(s.papers) > 0:
		ids = s.papers
	case s.PaperID == "":
		ids = l.involved
	}
	for _, id := range ids {
		p, err := l.paper(ctx, id)
		if err != nil {
			return nil, err
		}
		if page := p.pageOf(*s); page > 0 {
			s.PaperID, s.Page = id, page
			return p, nil
		}
	}
	if s.PaperID == "" {
		return nil, nil
	}
	return l.paper(ctx, s.PaperID)
}

// paper reads a paper, nil if it is not in the database.
func (l *lookup) paper(ctx context.Context, id string) (*paper, error) {
	if p, ok := l.known[id]; ok {
		return p, nil
	}
	parts, err := l.papers.Parts(ctx, id)
	if errors.Is(err, paperdb.ErrNoPaper) {
		l.known[id] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &paper{Paper: parts}
	for _, page := range parts.Pages {
		p.pages = append(p.pages, words.Fold(page.Content))
	}
	l.known[id] = p
	return p, nil
}

// pageOf is the page that has a quote, 0 if none has. The content of a table may be printed in another order.
func (p *paper) pageOf(s Source) int {
	if p == nil {
		return 0
	}
	folded := words.Fold(s.Quote)
	for i, page := range p.pages {
		if strings.Contains(page, folded) {
			return p.Pages[i].Number
		}
	}
	for _, t := range p.Tables {
		if strings.Contains(words.Fold(plainTable(t.Content)), folded) {
			return p.number(t.PageID)
		}
	}
	return 0
}

// number is the number of a page by its id, 0 if it is unknown.
func (p *paper) number(id string) int {
	for _, page := range p.Pages {
		if page.ID == id {
			return page.Number
		}
	}
	return 0
}

// asFigure makes a passage that is the caption of a figure a figure.
func (p *paper) asFigure(s *Source) {
	folded := words.Fold(s.Quote)
	for _, im := range p.Images {
		caption := words.Fold(im.Caption)
		if p.number(im.PageID) == s.Page && len(strings.TrimSpace(caption)) > 0 && (strings.Contains(caption, folded) || strings.Contains(folded, caption)) {
			s.Kind, s.Caption, s.Box = Figure, im.Caption, floats(im.Box)
			return
		}
	}
}

// references matches the title of a bibliography, whose pages may have other things, too.
var references = lazyregexp.New(`(?i)references|bibliography|参考文献`)

// section is the title of the innermost section with a quote, or that is the only one of its page.
func (p *paper) section(s Source) string {
	var here, has []paperdb.Section
	folded := words.Fold(s.Quote)
	for _, section := range p.Sections {
		if !slices.Contains(section.PageNumbers, s.Page) {
			continue
		}
		here = append(here, section)
		if s.Quote != "" && strings.Contains(words.Fold(section.Title+"\n"+section.Content), folded) {
			has = append(has, section)
		}
	}
	switch {
	case len(has) > 0:
		return slices.MinFunc(has, func(a, b paperdb.Section) int { return len(a.Content) - len(b.Content) }).Title
	case len(here) == 1 && !references.MatchString(here[0].Title):
		return here[0].Title
	}
	return ""
}

// floats is a box of the database, nil if it has no area.
func floats(box [4]int) []float64 {
	if box[2] <= 0 || box[3] <= 0 {
		return nil
	}
	return []float64{float64(box[0]), float64(box[1]), float64(box[2]), float64(box[3])}
}

// columnMark is between the cells of a row as text.
const columnMark = " | "

// plainTable is a table in HTML as text, a line for each row. Other texts are unchanged.
func plainTable(content string) string {
	rows := evidence.TableCells(content)
	if rows == nil {
		return content
	}
	lines := make([]string, len(rows))
	for i, cells := range rows {
		lines[i] = strings.Join(cells, columnMark)
	}
	return strings.Join(lines, "\n")
}

// Shares from which a passage is a row of a table: of the words of the passage in the table, and of the row in the
// passage.
const (
	insideTable = 0.7
	insideRow   = 0.6
)

// asTable makes a passage that is a row of a table of its page that row, and reports whether it is one.
func (p *paper) asTable(s *Source) bool {
	quoted := words.Fold(s.Quote)
	for _, t := range p.Tables {
		if p.number(t.PageID) != s.Page {
			continue
		}
		rows := evidence.TableCells(t.Content)
		if words.Share(quoted, words.Fold(t.Caption+"\n"+plainTable(t.Content)), nil) < insideTable {
			continue
		}
		best, most := -1, insideRow
		for i, cells := range rows {
			folded := words.Fold(strings.Join(cells, " "))
			if n := words.Share(folded, quoted, nil); n > most && (s.value.isIn(folded) || words.Shared(s.value.numbers, stems(folded)) > 0) {
				best, most = i, n
			}
		}
		if best < 0 && !strings.Contains(words.Fold(t.Caption), quoted) {
			continue
		}
		s.Kind, s.Caption, s.Box = Table, t.Caption, floats(t.Box)
		if best >= 0 {
			s.Quote, s.After = clip(labelled(rows, best), mostQuote)
			s.Before = false
		}
		return true
	}
	return false
}

// labelled is a row with the names of its columns, as far as the first row of the table has one for each cell.
func labelled(rows [][]string, i int) string {
	cells, names := rows[i], rows[0]
	if i == 0 || len(names) != len(cells) || slices.Equal(names, cells) {
		return strings.Join(cells, columnMark)
	}
	var parts []string
	for k, text := range cells {
		switch {
		case text == "":
		case names[k] == "":
			parts = append(parts, text)
		default:
			parts = append(parts, names[k]+": "+text)
		}
	}
	return strings.Join(parts, ", ")
}
