package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/env/datadir"
	"airqa/env/ingest/floats"
	"airqa/env/ingest/structure"
	"airqa/env/paperdb"
	"airqa/env/pdf"
)

// Reader turns PDFs into rows. Its methods may be called from several goroutines.
type Reader struct {
	// Chunks is how pages are cut; what is zero is as in [datadir.DefaultChunking]. It is set before the first Read.
	Chunks datadir.Chunking

	pool *pdf.Pool
}

// NewReader reads with the instances of a pool.
func NewReader(pool *pdf.Pool) (*Reader, error) {
	if pool == nil {
		return nil, errors.New("ingest: no pool to read with")
	}
	return &Reader{pool: pool}, nil
}

// Read turns a paper into rows: see [paperdb.Paper]. What is wrong with the file but does not stop it, such as a page without
// text, is in File.Problems. The error of a file that cannot be opened is a [*pdf.OpenError]. Metadata.PDFPath is left
// to the store.
func (r *Reader) Read(ctx context.Context, s Source) (p paperdb.Paper, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("read %s: internal error: %v", s.File.Name, v)
		}
	}()
	doc, err := r.pool.Open(ctx, s.PDF)
	if err != nil {
		return paperdb.Paper{}, err
	}
	defer func() { _ = doc.Close() }()
	source, problems, err := readDocument(ctx, doc)
	if err != nil {
		return paperdb.Paper{}, err
	}
	problems = append(structural(s.PDF, len(problems) > 0), problems...)
	found := floats.Find(source.Doc)
	source.Regions = found.Regions()
	parts := structure.Read(source)
	found.MarkRows(source.Doc)
	if err := s.lookUp(parts.Title); err != nil {
		return paperdb.Paper{}, err
	}
	s.enrich(source.Doc.Pages, &found, &parts)
	p = r.rows(s, source.Doc, found, parts)
	p.File.Problems = slices.Concat(problems, s.problems, missing(s, source, p))
	return p, nil
}

// structural is what is wrong with a file's structure. The check takes as long as a third of the reading, so it is for files
// that do not end well or whose pages are in trouble.
func structural(data []byte, trouble bool) []string {
	if pdf.Sound(data) && !trouble {
		return nil
	}
	_, warnings, err := pdf.Validate(data)
	if err != nil {
		return []string{err.Error()}
	}
	return warnings
}

// missing names the parts that a paper should have and that were not found.
func missing(s Source, source structure.Source, p paperdb.Paper) []string {
	var out []string
	if p.Metadata.Title == stem(s.Path) {
		out = append(out, "no title found: the file's name stands in for it")
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
		out = append(out, fmt.Sprintf("metadata says %d pages, the PDF has %d", n, len(source.Doc.Pages)))
	}
	return out
}

func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
