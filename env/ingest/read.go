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

// Read converts a paper to rows: see [paperdb.Paper]. Problems that do not prevent reading, such as a page without
// text, are in File.Problems. If the file cannot be opened, the error is a [*pdf.OpenError]. The store sets
// Metadata.PDFPath.
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
	problems = append(structureProblems(s.PDF, len(problems) > 0), problems...)
	found := floats.Find(source.Doc)
	source.Regions = found.Regions()
	parts := structure.Read(source)
	found.MarkRows(source.Doc)
	if err := s.lookUp(parts.Title); err != nil {
		return paperdb.Paper{}, err
	}
	s.enrich(source.Doc.Pages, &found, &parts)
	p = r.rows(s, source.Doc, found, parts)
	p.File.Problems = slices.Concat(problems, s.problems, missingParts(s, source, p))
	return p, nil
}

// structureProblems returns problems of a file's structure. The check takes a third of the reading time, so it is limited to
// files with an irregular end or faulty pages.
func structureProblems(data []byte, trouble bool) []string {
	if pdf.Sound(data) && !trouble {
		return nil
	}
	_, warnings, err := pdf.Validate(data)
	if err != nil {
		return []string{err.Error()}
	}
	return warnings
}

// missingParts reports expected parts that were not found.
func missingParts(s Source, source structure.Source, p paperdb.Paper) []string {
	var out []string
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

func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
