package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/ingest/floats"
	"airqa/ingest/layout"
	"airqa/ingest/structure"
	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
)

// Reader converts PDFs to rows. It is safe for concurrent use.
type Reader struct {
	// Chunks defines how pages are split; zero fields default to [datadir.DefaultChunking]. Set it before the first
	// Read.
	Chunks datadir.Chunking

	pool *pdf.Pool
}

// NewReader returns a Reader that uses the PDFium instances of a pool.
func NewReader(pool *pdf.Pool) (*Reader, error) {
	if pool == nil {
		return nil, errors.New("ingest: no pool to read with")
	}
	return &Reader{pool: pool}, nil
}

// Extraction is a paper that was read.
type Extraction struct {
	// Paper has the rows. Problems that did not prevent reading, such as a page without text, are in File.Problems.
	Paper paperdb.Paper
	// Poor is the reason why the text is doubtful, also the first problem; empty for most papers.
	Poor     string
	Fidelity Fidelity
}

// Read converts a paper to rows: see [paperdb.Paper]. If the file cannot be opened, the error is a [*pdf.OpenError]. The
// store sets Metadata.PDFPath. A paper with nothing to search is an error too.
func (r *Reader) Read(ctx context.Context, s Source) (out Extraction, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("read %s: internal error: %v", s.File.Name, v)
		}
	}()
	doc, err := r.pool.Open(ctx, s.PDF)
	if err != nil {
		return out, err
	}
	defer func() { _ = doc.Close() }()
	c, err := readDocument(ctx, doc)
	if err != nil {
		return out, err
	}
	source := c.Source
	problems := append(structureProblems(s.PDF, len(c.problems) > 0), c.problems...)
	found := floats.Find(source.Doc)
	source.Regions = found.Regions()
	parts := structure.Read(source)
	if c.illegible != "" {
		parts.Title = "" // the name of the file says more
	}
	found.MarkRows(source.Doc)
	if err := s.lookUp(parts.Title); err != nil {
		return out, err
	}
	s.enrich(source.Doc.Pages, &found, &parts)
	p := r.rows(s, source.Doc, found, parts)
	if err := emptyPaper(p, c.broken); err != nil {
		return out, err
	}
	poor := c.doubt()
	switch {
	case c.illegible != "":
		poor = c.illegible
	case poor != "":
		problems = append([]string{poor}, problems...)
	}
	if c.unread != "" {
		problems = append(problems, c.unread)
	}
	p.File.Illegible, p.File.Withdrawn = c.illegible, withdrawal(source.Doc, p.Metadata.Title)
	p.File.Problems = slices.Concat(problems, s.problems, missingParts(s, source, p))
	return Extraction{Paper: p, Poor: poor, Fidelity: c.Fidelity}, nil
}

// emptyPaper returns an error if no page has text and no other source provided anything.
func emptyPaper(p paperdb.Paper, broken *pdf.PageError) error {
	pages := terminal.Plural(len(p.Pages), "page")
	switch {
	case len(p.Chunks)+len(p.Tables)+len(p.Images)+len(p.Equations) > 0:
		return nil
	case broken != nil:
		return fmt.Errorf("none of its %s can be read: %w", pages, broken)
	}
	return fmt.Errorf("no text layer on its %s; is it a scan without OCR?", pages)
}

// structureProblems returns problems of a file's structure. The check takes a third of the reading time, so it is limited to
// files with an irregular end or faulty pages.
func structureProblems(data []byte, trouble bool) []string {
	if pdf.Sound(data) && !trouble {
		return nil
	}
	warnings, err := pdf.Validate(data)
	if err != nil {
		return []string{err.Error()}
	}
	return warnings
}

// missingParts reports expected parts that were not found.
func missingParts(s Source, source structure.Source, p paperdb.Paper) []string {
	var out []string
	if mark := p.File.Withdrawn; mark != "" {
		out = append(out, fmt.Sprintf("the paper is marked %q", mark))
	}
	if p.Metadata.Title == stem(s.Path) {
		out = append(out, "no title found: using the file name")
	}
	for _, part := range []struct {
		name  string
		found bool
	}{
		{"abstract", p.Metadata.Abstract != ""},
		{"sections", len(p.Sections) > 0},
		{"references", len(p.References) > 0},
	} {
		if !part.found {
			out = append(out, "no "+part.name+" found")
		}
	}
	if n := s.Metadata.NumPages; n != 0 && n != len(source.Doc.Pages) {
		out = append(out, fmt.Sprintf("metadata has %d pages, the PDF has %d", n, len(source.Doc.Pages)))
	}
	return out
}

var (
	withdrawn = lazyregexp.New(`(?i)retract|withdraw`)
	// markedTitle matches the mark that publishers put before a title.
	markedTitle = lazyregexp.New(`^(?i)\W*(retracted|withdrawn|retraction|withdrawal)(\s+(article|paper|notice))?\W*[:\-–—]`)
)

// withdrawal returns the mark of a withdrawn paper before its title, as a stamp on page 1 or around any page, or "".
func withdrawal(doc *layout.Document, title string) string {
	marks := []string{strings.TrimRight(markedTitle.FindString(title), " :-–—")}
	for i, page := range doc.Pages {
		marks = append(marks, strings.Split(page.Dropped, "\n")...)
		for _, l := range page.Lines {
			if text := l.Text(); i == 0 && (l.Size > 1.1*doc.BodySize || text == strings.ToUpper(text)) {
				marks = append(marks, text)
			}
		}
	}
	at := slices.IndexFunc(marks, func(m string) bool { return withdrawn.MatchString(m) && layout.IsState(m) })
	if at < 0 {
		return ""
	}
	return marks[at]
}

func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
