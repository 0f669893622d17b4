// Package env is what the tools of an agent act on, opened as one thing from one data directory: [Env] finds
// passages, runs queries and draws pages (tools.Retriever, tools.Querier, tools.Viewer) and hands out papers to
// whoever builds a prompt. [Writer] is the other side, which ingestion fills. Start from [Open] and
// [OpenWriter]. The package knows no agent and no model.
package env

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/qa"
	"airqa/tools"
)

// Defaults of [Config]. The reference implementation gives a query 600 seconds and shows 10 rows of a result
// without bound; the tool that shows rows to a model cuts them by tokens.
const (
	DefaultQueryRows     = 1000
	DefaultQueryDeadline = 30 * time.Second
)

// Config is how an [Env] is opened. Dir is required; for the rest zero means the default.
type Config struct {
	// Dir is the data directory.
	Dir string
	// QueryRows is the most rows of a query, QueryDeadline its most time.
	QueryRows     int
	QueryDeadline time.Duration
	// QueryWorkers is the most processes that run queries at a time, QueryInProcess runs them in this one: see
	// paperdb.Config. Without the latter a program calls paperdb.WorkerMain first in its main.
	QueryWorkers   int
	QueryInProcess bool
	// DPI is the resolution of pictures in pixels per inch; 0 means pdf.DefaultDPI.
	DPI float64
	// PDF is how pages are drawn.
	PDF pdf.Config
	// Mode is how Retrieve searches; empty is [Dense].
	Mode Mode
	// NoSearch leaves the vector collections closed, for whoever needs tables and pages only: Retrieve then fails.
	NoSearch bool
	// Embedder turns queries into vectors and must be the one that the collection was made with; nil is
	// all-MiniLM-L6-v2 in process.
	Embedder embed.Embedder
	// Vectors is the URL of a Milvus server that holds the collections (see package milvus); empty is the
	// directory's own files.
	Vectors string
	// Notice is called with a line for the user about an index that works but should be rebuilt; nil for nobody.
	Notice func(line string)
}

// drawer draws a page of the PDF at path: what pdf.Viewer.View does.
type drawer func(ctx context.Context, path string, page int, box []float64) (qa.Image, []string, error)

// Env reads one data directory. Any number of episodes may use it at once.
type Env struct {
	dir         *datadir.Dir
	db          *paperdb.Reader
	store       vectors.Store // nil with NoSearch
	mode        Mode
	embedder    embed.Embedder
	stats       *bm25.Stats // nil in mode Dense
	texts       passages
	pool        *pdf.Pool
	draw        drawer
	limits      paperdb.Limits
	fingerprint string
	window      int // of the dense collection
}

// withoutWindows is the notice about a dense collection that was made before long texts were embedded in windows.
func withoutWindows(cfg Config) string {
	to := "files"
	if cfg.Vectors != "" {
		to = "milvus://..."
	}
	return fmt.Sprintf("the search index covers only the beginning of long passages; rebuild it: airqa vectors copy --data %s --to %s", cfg.Dir, to)
}

var (
	_ tools.Retriever = (*Env)(nil)
	_ tools.Querier   = (*Env)(nil)
	_ tools.Viewer    = (*Env)(nil)
)

// Open opens the data directory dir with the default limits.
func Open(ctx context.Context, dir string) (*Env, error) {
	return OpenConfig(ctx, Config{Dir: dir})
}

// OpenConfig opens a data directory for reading. The errors are one line with a hint: no data directory,
// another format, an ingest at work, a search index that is behind the papers.
func OpenConfig(ctx context.Context, cfg Config) (*Env, error) {
	if cfg.QueryRows == 0 {
		cfg.QueryRows = DefaultQueryRows
	}
	if cfg.QueryDeadline == 0 {
		cfg.QueryDeadline = DefaultQueryDeadline
	}
	if cfg.Mode == "" {
		cfg.Mode = Dense
	}
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
	pool, err := pdf.NewPool(cfg.PDF)
	if err != nil {
		return nil, err
	}
	db, err := paperdb.OpenReaderConfig(ctx, paperdb.Config{Path: dir.Database(), Workers: cfg.QueryWorkers, InProcess: cfg.QueryInProcess})
	if err != nil {
		return nil, fmt.Errorf("open data directory %s: %w", dir.Path(), errors.Join(err, pool.Close()))
	}
	e := &Env{
		dir: dir, db: db, pool: pool, draw: pdf.Viewer{Pool: pool, DPI: cfg.DPI}.View,
		limits: paperdb.Limits{Rows: cfg.QueryRows, Deadline: cfg.QueryDeadline},
		mode:   cfg.Mode, embedder: cfg.Embedder,
	}
	if err := e.openIndex(ctx, cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("open data directory %s: %w", dir.Path(), err), e.Close())
	}
	return e, nil
}

// openIndex opens the collections that the mode needs and makes sure that they were made from the papers of the
// database, by the embedder's model.
func (e *Env) openIndex(ctx context.Context, cfg Config) error {
	var err error
	if e.fingerprint, _, err = fingerprint(ctx, e.db); err != nil {
		return err
	}
	if cfg.NoSearch {
		return nil
	}
	if e.store, err = openStore(ctx, e.dir, cfg.Vectors); err != nil {
		return err
	}
	want := wanted{source: e.fingerprint, model: e.embedder.Info()}
	if e.mode != BM25 {
		dense, err := checkCollection(ctx, e.store, collectionOf(want.model), want)
		if err != nil {
			return err
		}
		if e.window = dense.Window; e.window == 0 && cfg.Notice != nil {
			cfg.Notice(withoutWindows(cfg))
		}
	}
	if e.mode == Dense {
		return nil
	}
	index, err := checkCollection(ctx, e.store, bm25.Name, want)
	if err != nil {
		return err
	}
	e.stats = new(bm25.Stats)
	return json.Unmarshal(index.Encoder, e.stats)
}

// Retrieval reports how vectors are made, for the record of a run: the embedding model and the length of the windows in which it
// reads passages. Indexes without windows leave that out; keyword search has no vectors.
func (e *Env) Retrieval() map[string]any {
	if e.mode == BM25 {
		return nil
	}
	info := e.embedder.Info()
	settings := map[string]any{"embedder": info.Model, "embedder_hash": info.Hash}
	if e.window > 0 {
		settings["embed_window"] = e.window
	}
	return settings
}

// fingerprint computes the fingerprint of what the database holds, and how many papers that is.
func fingerprint(ctx context.Context, db *paperdb.Reader) (string, int, error) {
	files, err := db.Files(ctx)
	if err != nil {
		return "", 0, err
	}
	var sources []datadir.Source
	for _, f := range files {
		sources = append(sources, datadir.Source{PaperID: f.PaperID, SHA256: f.SHA256, MetadataSHA256: f.MetadataSHA256, Parser: f.Parser})
	}
	return datadir.Fingerprint(sources), len(files), nil
}

// Close closes the directory. No other call may follow or be under way.
func (e *Env) Close() error {
	errs := []error{e.db.Close(), e.pool.Close()}
	if e.store != nil {
		errs = append(errs, e.store.Close())
	}
	return errors.Join(errs...)
}

// Fingerprint names the content: which papers, from which files, read by which parser. A copy of the directory
// has the same one.
func (e *Env) Fingerprint() string { return e.fingerprint }

// Schema is the text of the database's schema for a prompt, see paperdb.Reader.Schema.
func (e *Env) Schema(ctx context.Context) (string, error) { return e.db.Schema(ctx) }

// Papers returns the metadata of all papers, by id.
func (e *Env) Papers(ctx context.Context) ([]paperdb.Metadata, error) { return e.db.Papers(ctx) }

// Paper returns the metadata of a paper; paperdb.ErrNoPaper when there is none of that id.
func (e *Env) Paper(ctx context.Context, paperID string) (paperdb.Metadata, error) {
	return e.db.Paper(ctx, paperID)
}

// Sections returns the sections of a paper in order; none for an unknown paper.
func (e *Env) Sections(ctx context.Context, paperID string) ([]paperdb.Section, error) {
	return e.db.Sections(ctx, paperID)
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
