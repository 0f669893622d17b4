package sources

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/env/paperdb"
	"airqa/internal/files"
)

// Parser is the version of the import. A paper imported by a different version is copied again.
const Parser = "released-1"

// Source is the database to import from: a paperdb.Released.
type Source interface {
	IDs(ctx context.Context) ([]string, error)
	Paper(ctx context.Context, id string) (paperdb.Paper, error)
}

// Store is the destination of papers, see ingest.Store. Put without a PDF stores only the rows.
type Store interface {
	Put(ctx context.Context, p paperdb.Paper, pdf []byte) error
	Owner(ctx context.Context, paperID string) (paperdb.File, bool, error)
}

// ImportConfig configures [Import].
type ImportConfig struct {
	From  Source
	Store Store
	// Name identifies the database of its papers: the name of its file, with the id of a data directory.
	Name string
	// PDFs finds the papers' PDFs; nil means none.
	PDFs *PDFs
	// Take selects papers by id; nil means all.
	Take func(id string) bool
	// Replace replaces papers with the same id from other sources.
	Replace bool
	// Known recognises an unchanged database; it may be nil.
	Known *Known
	// Progress is called after each paper; it may be nil.
	Progress func(done, total int, title string)
}

// ImportFailure is a paper that could not be copied, with the reason.
type ImportFailure struct {
	PaperID string
	Err     error
}

// ImportSummary is the result of an import.
type ImportSummary struct {
	// All is the number of papers of the database, Total that of the selected ones.
	All, Total, Added, Skipped int
	// WithPDF is the number of added papers with a PDF.
	WithPDF int
	// Warned maps the ids of added papers to their corrections.
	Warned map[string][]string
	Failed []ImportFailure
}

// Import copies all papers that are not stored yet. A paper that cannot be stored is reported in the summary and does
// not stop the others. An error is from a database or the context; the papers before it are stored completely, and the
// same call resumes there.
func Import(ctx context.Context, cfg ImportConfig) (ImportSummary, error) {
	if cfg.From == nil || cfg.Store == nil {
		return ImportSummary{}, errors.New("import: no source or no store")
	}
	if cfg.Progress == nil {
		cfg.Progress = func(int, int, string) {}
	}
	ids, err := cfg.From.IDs(ctx)
	if err != nil {
		return ImportSummary{}, err
	}
	all := len(ids)
	if cfg.Take != nil {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !cfg.Take(strings.ToLower(id)) })
	}
	c := copier{ImportConfig: cfg, sum: ImportSummary{All: all, Total: len(ids), Warned: map[string][]string{}}}
	version, err := cfg.version(ctx)
	if err != nil {
		return c.sum, err
	}
	if same, err := cfg.unchanged(ctx, version, ids); err != nil || same {
		c.sum.Skipped = len(ids)
		cfg.Progress(len(ids), len(ids), "")
		return c.sum, err
	}
	if err := c.all(ctx, ids); err != nil {
		return c.sum, err
	}
	if version != "" && len(c.sum.Failed) == 0 {
		return c.sum, cfg.Known.Dir.SetImported(cfg.Name, version)
	}
	return c.sum, nil
}

type copier struct {
	ImportConfig
	sum ImportSummary
}

// all imports papers.
func (c *copier) all(ctx context.Context, ids []string) error {
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		title, err := c.copy(ctx, id)
		if err != nil {
			return err
		}
		c.Progress(i+1, len(ids), title)
	}
	return nil
}

// copy imports one paper and returns its title. A problem of a single paper is not an error.
func (c *copier) copy(ctx context.Context, id string) (string, error) {
	p, err := c.From.Paper(ctx, id)
	if err != nil {
		return "", err
	}
	title := p.Metadata.Title
	if err := paperdb.Check(p); err != nil {
		c.fail(p, err)
		return title, nil
	}
	file := c.PDFs.find(p.Metadata)
	rows, err := json.Marshal(p)
	if err != nil {
		return title, fmt.Errorf("import paper %s: %w", p.Metadata.PaperID, err)
	}
	// The size of the PDF is part of the version, so that a PDF found later is added.
	p.File = paperdb.File{SHA256: files.Hash(fmt.Appendf(rows, " %d", file.size)), Name: c.Name, Parser: Parser, Problems: p.File.Problems}
	switch state, err := c.state(ctx, p); {
	case err != nil:
		return title, fmt.Errorf("look for paper %s in the store: %w", p.Metadata.PaperID, err)
	case state == known:
		c.sum.Skipped++
		return title, nil
	case state == taken:
		c.fail(p, errors.New("another source has already added a paper with this id; use --replace to replace it"))
		return title, nil
	}
	return title, c.put(ctx, p, file)
}

// state is the state of a paper in the store.
type state int

const (
	missing state = iota
	known
	taken // the id belongs to a paper of another source
)

func (c *copier) state(ctx context.Context, p paperdb.Paper) (state, error) {
	owner, have, err := c.Store.Owner(ctx, p.Metadata.PaperID)
	switch {
	case err != nil || !have:
		return missing, err
	case owner.SHA256 == p.File.SHA256 && owner.Parser == Parser:
		return known, nil
	case owner.Name != c.Name && !c.Replace:
		return taken, nil
	}
	return missing, nil
}

func (c *copier) put(ctx context.Context, p paperdb.Paper, file pdf) error {
	data, err := c.PDFs.read(file)
	if err != nil {
		p.File.Problems = append(p.File.Problems, err.Error())
	}
	err = c.Store.Put(ctx, p, data)
	switch {
	case paperdb.Refused(err):
		c.fail(p, err)
		return nil
	case err != nil:
		return fmt.Errorf("store paper %s: %w", p.Metadata.PaperID, err)
	}
	c.sum.Added++
	if data != nil {
		c.sum.WithPDF++
	}
	if len(p.File.Problems) > 0 {
		c.sum.Warned[p.Metadata.PaperID] = p.File.Problems
	}
	return nil
}

func (c *copier) fail(p paperdb.Paper, err error) {
	c.sum.Failed = append(c.sum.Failed, ImportFailure{PaperID: p.Metadata.PaperID, Err: err})
}
