package env

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"airqa/env/datadir"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/internal/terminal"
)

// Papers looks up the papers of a data directory. None of its methods reads all of their metadata.
type Papers struct {
	*paperdb.Reader
	dir *datadir.Dir
	// path is the directory as the caller named it.
	path string
}

// OpenPapers opens the papers of the data directory at path. Unlike [Open], it needs no search index and no model, so it
// works after an interrupted ingest. The caller closes them.
func OpenPapers(ctx context.Context, path string) (*Papers, error) {
	dir, db, err := index.OpenPapers(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Papers{db, dir, path}, nil
}

// Close closes what [OpenPapers] opened.
func (p *Papers) Close() error { return errors.Join(p.Reader.Close(), p.dir.Release()) }

// IllegibleFiles returns a line that names the illegible papers by their files; "" if there are none.
func (p *Papers) IllegibleFiles(ctx context.Context) (string, error) {
	const most = 5
	marked, err := p.Illegible(ctx)
	if err != nil || len(marked) == 0 {
		return "", err
	}
	var names []string
	for _, m := range marked[:min(most, len(marked))] {
		names = append(names, terminal.Line(m.Name))
	}
	if n := len(marked) - most; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return fmt.Sprintf("mostly illegible, so that their text answers nothing: %s", strings.Join(names, ", ")), nil
}

// LegibleAgain is the advice about illegible papers.
const LegibleAgain = "remove them (airqa papers rm) and ingest copies with new OCR (such as ocrmypdf --force-ocr); " +
	"ingest --mineru DIR replaces only tables, figures and equations"

// Papers returns the papers of the directory, which the caller does not close.
func (e *Env) Papers() *Papers { return &Papers{e.db, e.dir, e.path} }

// Outlines returns what all legible papers have to ask about, see paperdb.Reader.Outlines.
func (e *Env) Outlines(ctx context.Context) ([]paperdb.Outline, error) { return e.db.Outlines(ctx) }

// Elements lists the sections, tables, figures and equations of all papers, see paperdb.Reader.Elements.
func (e *Env) Elements(ctx context.Context) ([]paperdb.Element, error) { return e.db.Elements(ctx) }

// Parts returns metadata, pages, sections, figures, tables, equations and the file of a paper, or paperdb.ErrNoPaper.
func (e *Env) Parts(ctx context.Context, paperID string) (paperdb.Paper, error) {
	p, err := e.db.Enrichable(ctx, paperID)
	if err == nil {
		p.Equations, err = e.db.Equations(ctx, paperID)
	}
	if err == nil {
		p.File, err = e.db.File(ctx, paperID)
	}
	return p, err
}
