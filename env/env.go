// Package env is the environment that the tools act on, opened from one data directory. [Env] retrieves passages, runs
// SQL queries and renders pages (tools.Retriever, tools.Querier, tools.Viewer), and provides paper data for prompts.
// [Writer] stores ingested papers. Start from [Open] and [OpenWriter]. The package does not depend on an agent or a
// model.
package env

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/qa"
	"airqa/tools"
)

// Defaults of [Config]. The reference implementation has a timeout of 600 seconds and shows 10 rows. Here, the tool
// that shows rows to a model truncates them by tokens.
const (
	DefaultQueryRows     = 1000
	DefaultQueryDeadline = 30 * time.Second
)

// Config configures an [Env]. Dir is required; other zero values mean the default.
type Config struct {
	Dir string
	// Fingerprint selects the generation with these papers, as an earlier run saw them, if it is still there; otherwise,
	// and if it is empty, the current one is opened.
	Fingerprint string
	// QueryRows is the maximum number of rows of a query, QueryDeadline its timeout.
	QueryRows     int
	QueryDeadline time.Duration
	// QueryWorkers is the maximum number of worker processes for queries. QueryInProcess runs queries in this process
	// instead; without it, main must call paperdb.WorkerMain first. See paperdb.Config.
	QueryWorkers   int
	QueryInProcess bool
	// DPI is the resolution of page images in pixels per inch; 0 means pdf.DefaultDPI.
	DPI float64
	// PDF configures the renderer.
	PDF pdf.Config
	// Mode is the search mode of Retrieve; empty means [Dense].
	Mode Mode
	// NoSearch leaves the vector collections closed, for callers that need only tables and pages. Retrieve then fails.
	NoSearch bool
	// Embedder embeds queries; Env keeps their vectors, see [embed.Kept]. It must be the model that the collection was built with; nil means all-MiniLM-L6-v2 in
	// process.
	Embedder embed.Embedder
	// Vectors is the URL of a Milvus server with the collections (see package milvus); empty means the directory's own
	// files.
	Vectors string
}

// drawer renders a page of the PDF at path, as pdf.Viewer.View does.
type drawer func(ctx context.Context, path string, page int, box []float64) (qa.Image, []string, error)

// Env reads one data directory. It is safe for concurrent use by any number of episodes.
type Env struct {
	dir         *datadir.Dir
	path        string // dir as the caller named it
	db          *paperdb.Reader
	store       vectors.Store // nil with NoSearch
	mode        Mode
	embedder    *embed.Kept
	keywords    index.Keywords // unset in mode Dense
	texts       passages
	pool        *pdf.Pool
	draw        drawer
	glyphs      func(ctx context.Context, path string, page int) ([]pdf.Glyph, error)
	limits      paperdb.Limits
	fingerprint string
	window      int    // of the dense collection, in tokens
	index       string // of the dense collection; empty if it is exact
}

var (
	_ tools.Retriever = (*Env)(nil)
	_ tools.Querier   = (*Env)(nil)
	_ tools.Viewer    = (*Env)(nil)
)

// Open opens a data directory for reading. Errors are one line with a hint: not a data directory, unsupported
// format, ingest in progress, outdated search index.
func Open(ctx context.Context, cfg Config) (*Env, error) {
	cfg.QueryRows = cmp.Or(cfg.QueryRows, DefaultQueryRows)
	cfg.QueryDeadline = cmp.Or(cfg.QueryDeadline, DefaultQueryDeadline)
	cfg.Mode = cmp.Or(cfg.Mode, Dense)
	if cfg.Embedder == nil {
		var err error
		if cfg.Embedder, err = minilm.Open(minilm.Config{}); err != nil {
			return nil, err
		}
	}
	dir, err := datadir.Open(cfg.Dir)
	if err != nil {
		return nil, err
	}
	cfg.PDF.MaxPages = cmp.Or(cfg.PDF.MaxPages, math.MaxInt32) // the limit of ingest may have been raised
	calls := remoteCalls
	if _, local := cfg.Embedder.(*minilm.Model); local {
		calls = runtime.GOMAXPROCS(0) // in process, one query uses one core
	}
	e := &Env{
		dir: dir, path: cfg.Dir, limits: paperdb.Limits{Rows: cfg.QueryRows, Deadline: cfg.QueryDeadline}, mode: cfg.Mode,
		embedder: embed.NewKept(embed.Queries(cfg.Embedder), embed.KeptConfig{Calls: calls}),
	}
	if e.pool, err = pdf.NewPool(cfg.PDF); err != nil {
		return nil, err
	}
	viewer := pdf.Viewer{Pool: e.pool, DPI: cfg.DPI}
	e.draw, e.glyphs = viewer.View, viewer.Glyphs
	if err := dir.Hold(cfg.Fingerprint); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if err := e.openPapers(ctx, cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("open data directory %s: %w", dir.Path(), err), e.Close())
	}
	return e, nil
}

// remoteCalls is the maximum number of concurrent requests for queries to an embedding endpoint.
const remoteCalls = 8

// openPapers opens the database and the collections that the mode needs, and checks that these match the papers and the
// embedding model.
func (e *Env) openPapers(ctx context.Context, cfg Config) (err error) {
	settings := paperdb.Config{Path: e.dir.Database(), Workers: cfg.QueryWorkers, InProcess: cfg.QueryInProcess}
	if e.db, err = paperdb.OpenReader(ctx, settings); err != nil {
		return err
	}
	if e.fingerprint, err = e.dir.Recorded(); err != nil {
		return err
	}
	if cfg.NoSearch {
		return nil
	}
	if e.store, err = index.OpenStore(ctx, e.dir, cfg.Vectors); err != nil {
		return err
	}
	want := index.Requirements{Source: e.fingerprint, Model: e.embedder.Info()}
	if e.mode != BM25 {
		dense, err := index.Check(ctx, e.store, index.CollectionOf(want.Model), want)
		if err != nil {
			return err
		}
		e.index = dense.Index
		e.window = dense.Window
	}
	if e.mode == Dense {
		return nil
	}
	words, err := index.Check(ctx, e.store, bm25.Name, want)
	if err != nil {
		return err
	}
	e.keywords, err = index.KeywordsOf(words, e.store)
	return err
}

// Retrieval returns the embedding settings for the record of a run: the model, the window length in tokens, an approximate
// index and a prefix of queries. Keyword search has no settings.
func (e *Env) Retrieval() map[string]any {
	if e.mode == BM25 {
		return nil
	}
	info := e.embedder.Info()
	settings := map[string]any{"embedder": info.Model, "embedder_hash": info.Hash, "embed_window": e.window}
	if e.index != "" {
		settings["vector_index"] = e.index
	}
	if info.QueryPrefix != "" {
		settings["embed_query_prefix"] = info.QueryPrefix
	}
	return settings
}

// Close closes the directory. It must not overlap with or precede other calls.
func (e *Env) Close() error {
	var errs []error
	e.embedder.Close()
	if e.db != nil {
		errs = append(errs, e.db.Close())
	}
	errs = append(errs, e.pool.Close())
	if e.store != nil {
		errs = append(errs, e.store.Close())
	}
	return errors.Join(append(errs, e.dir.Release())...)
}

// Pin keeps the papers as they are for an unfinished run in the directory run, until Unpin: see datadir.Dir.Pin.
func (e *Env) Pin(run string) error { return e.dir.Pin(run) }

// Unpin ends Pin, when the run is finished.
func (e *Env) Unpin(run string) error { return e.dir.Unpin(run) }

// Fingerprint identifies the content: the papers, their files and the parser version. Copies of a directory share it.
func (e *Env) Fingerprint() string { return e.fingerprint }

// Schema returns the database schema as text for a prompt, see paperdb.Reader.Schema.
func (e *Env) Schema(ctx context.Context) (string, error) { return e.db.Schema(ctx) }

// Paper returns the metadata of a paper, or paperdb.ErrNoPaper.
func (e *Env) Paper(ctx context.Context, paperID string) (paperdb.Metadata, error) {
	return e.db.Paper(ctx, paperID)
}

// PageTexts returns the text of each page of a paper in order; none for an unknown paper.
func (e *Env) PageTexts(ctx context.Context, paperID string) ([]string, error) {
	pages, err := e.db.Pages(ctx, paperID)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(pages))
	for i, p := range pages {
		texts[i] = p.Content
	}
	return texts, nil
}

// Query runs one SELECT in the database sandbox, see paperdb.Reader.Query. What models write around a statement is removed,
// see [tools.Statement], and an error ends with DuckDB's form of a slip into another dialect.
func (e *Env) Query(ctx context.Context, sql string) (qa.Rows, error) {
	sql = tools.Statement(sql)
	rows, err := e.db.Query(ctx, sql, e.limits)
	var wrong *paperdb.QueryError
	if errors.As(err, &wrong) {
		return qa.Rows{}, &tools.Fault{Kind: wrong.Kind, Text: wrong.Text + form(sql, wrong.Text)}
	}
	return rows, err
}
