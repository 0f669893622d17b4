package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/internal/files"
)

// importVersion is stored as the parser of imported papers. A paper imported by a different version is copied again.
const importVersion = "released-1"

// Database is the database to import from: a paperdb.Released.
type Database interface {
	IDs(ctx context.Context) ([]string, error)
	Paper(ctx context.Context, id string) (paperdb.Paper, error)
	// PDFPaths lists the papers without reading them.
	PDFPaths(ctx context.Context) ([]paperdb.Metadata, error)
}

// Store is the destination of papers: an env.Writer. Put without a PDF stores only the rows.
type Store interface {
	Put(ctx context.Context, p paperdb.Paper, pdf []byte) error
	Owner(ctx context.Context, paperID string) (paperdb.File, bool, error)
	Files(ctx context.Context) ([]paperdb.Owned, error)
}

// ImportConfig configures [Import].
type ImportConfig struct {
	From  Database
	Store Store
	// Name identifies the database of its papers: the name of its file, with the id of a data directory.
	Name string
	// PDFs finds the papers' PDFs; nil means none.
	PDFs *PDFs
	// Take selects papers by id; nil means all.
	Take func(id string) bool
	// Replace replaces papers with the same id from other sources.
	Replace bool
	// Dir records that the database at Path was imported completely, so that another import of the same file does not read
	// its papers. nil means that they are always read.
	Dir  *datadir.Dir
	Path string
	// Progress is called after each paper; it may be nil.
	Progress func(done, total int, title string)
}

// ImportSummary is the result of an import.
type ImportSummary struct {
	// All is the number of papers of the database, Total the number of selected ones.
	All, Total, Added, Skipped int
	// WithPDF is the number of added papers with a PDF.
	WithPDF int
	// Warned maps the ids of added papers to their corrections.
	Warned map[string][]string
	// Failed are the papers that could not be copied, by id.
	Failed []Failure
}

// Import copies the rows of all papers that are not stored yet, one transaction per paper, and their PDFs. A paper that
// cannot be stored is reported in the summary and does not stop the others. An error is from a database or the context; the
// papers before it are stored completely, and the same call resumes there.
func Import(ctx context.Context, cfg ImportConfig) (ImportSummary, error) {
	if cfg.Progress == nil {
		cfg.Progress = func(int, int, string) {}
	}
	ids, err := cfg.From.IDs(ctx)
	if err != nil {
		return ImportSummary{}, err
	}
	m := importer{ImportConfig: cfg, sum: ImportSummary{All: len(ids), Warned: map[string][]string{}}}
	if cfg.Take != nil {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !cfg.Take(strings.ToLower(id)) })
	}
	m.sum.Total = len(ids)
	version, known, err := cfg.version(ctx, ids)
	if err != nil {
		return m.sum, err
	}
	if known {
		m.sum.Skipped = len(ids)
		cfg.Progress(len(ids), len(ids), "")
		return m.sum, nil
	}
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return m.sum, err
		}
		p, err := cfg.From.Paper(ctx, id)
		if err == nil {
			err = m.add(ctx, p)
		}
		if err != nil {
			return m.sum, err
		}
		cfg.Progress(i+1, len(ids), p.Metadata.Title)
	}
	if version != "" && len(m.sum.Failed) == 0 {
		return m.sum, cfg.Dir.SetImported(cfg.Name, version)
	}
	return m.sum, nil
}

// version identifies the content of the database and the sizes of the PDFs. known means that this version was imported
// completely and the store still has all papers from it. Without a Dir, there is no version.
func (c ImportConfig) version(ctx context.Context, ids []string) (version string, known bool, err error) {
	if c.Dir == nil {
		return "", false, nil
	}
	sum, err := files.HashFile(c.Path)
	if err != nil {
		return "", false, fmt.Errorf("read %s: %w", filepath.Base(c.Path), err)
	}
	papers, err := c.From.PDFPaths(ctx)
	if err != nil {
		return "", false, err
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %s\n", importVersion, sum) // a hash takes everything
	for _, m := range papers {
		_, size := c.PDFs.find(m)
		_, _ = fmt.Fprintf(h, "%s %d\n", m.PaperID, size)
	}
	version = hex.EncodeToString(h.Sum(nil))
	if last, err := c.Dir.Imported(c.Name); err != nil || last != version {
		return version, false, err
	}
	stored, err := c.Store.Files(ctx)
	imported := make(map[string]bool, len(stored))
	for _, f := range stored {
		imported[f.PaperID] = f.Name == c.Name && strings.HasPrefix(f.Parser, importVersion)
	}
	missing := slices.ContainsFunc(ids, func(id string) bool { return !imported[strings.ToLower(id)] })
	return version, !missing, err
}

type importer struct {
	ImportConfig
	sum ImportSummary
}

// add stores a paper, unless it is stored already. A problem of a single paper is not an error.
func (m *importer) add(ctx context.Context, p paperdb.Paper) error {
	if err := paperdb.Check(p); err != nil {
		m.fail(p, err)
		return nil
	}
	id := p.Metadata.PaperID
	path, size := m.PDFs.find(p.Metadata)
	rows, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("import paper %s: %w", id, err)
	}
	// The size of the PDF is part of the version, so that a PDF found later is added.
	p.File = paperdb.File{SHA256: files.Hash(fmt.Appendf(rows, " %d", size)), Name: m.Name, Parser: importVersion, Problems: p.File.Problems}
	owner, stored, err := m.Store.Owner(ctx, id)
	switch {
	case err != nil:
		return fmt.Errorf("look for paper %s in the store: %w", id, err)
	case stored && owner.SHA256 == p.File.SHA256 && owner.Parser == importVersion:
		m.sum.Skipped++
		return nil
	case stored && owner.Name != m.Name && !m.Replace:
		m.fail(p, errors.New("another source has already added a paper with this id; use --replace to replace it"))
		return nil
	}
	pdf, err := m.PDFs.read(path, size)
	if err != nil {
		p.File.Problems = append(p.File.Problems, err.Error())
	}
	return m.put(ctx, p, pdf)
}

func (m *importer) put(ctx context.Context, p paperdb.Paper, pdf []byte) error {
	err := m.Store.Put(ctx, p, pdf)
	switch {
	case paperdb.Refused(err):
		m.fail(p, err)
		return nil
	case err != nil:
		return fmt.Errorf("store paper %s: %w", p.Metadata.PaperID, err)
	}
	m.sum.Added++
	if pdf != nil {
		m.sum.WithPDF++
	}
	if len(p.File.Problems) > 0 {
		m.sum.Warned[p.Metadata.PaperID] = p.File.Problems
	}
	return nil
}

func (m *importer) fail(p paperdb.Paper, err error) {
	m.sum.Failed = append(m.sum.Failed, Failure{Paper: p.Metadata.PaperID, Err: err})
}
