package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"airqa/env/paperdb"
	"airqa/internal/concurrent"
	"airqa/qa"
)

// Store is the destination of papers.
type Store interface {
	// Has reports whether the same PDF with the same metadata file was already read by the same parser. It returns the
	// paper's id.
	Has(ctx context.Context, f paperdb.File) (paperID string, ok bool, err error)
	// Put stores a paper with its PDF in one transaction and replaces a paper with the same id. After a crash there is
	// no partial paper.
	Put(ctx context.Context, p paperdb.Paper, pdf []byte) error
	// Owner returns the file that a paper was read from.
	Owner(ctx context.Context, paperID string) (paperdb.File, bool, error)
	// Title returns the title of a paper.
	Title(ctx context.Context, paperID string) (string, error)
}

// Config configures [Run].
type Config struct {
	Reader *Reader
	Store  Store
	// Extras are folders with additional data about the papers.
	Extras Extras
	Options
	// Progress receives the events of each file, one call at a time; it may be nil.
	Progress func(Event)
}

// Options are what a user chooses.
type Options struct {
	// Workers is the number of papers read concurrently; 0 means 2. Papers are written one at a time, in the order of
	// the paths.
	Workers int `short:"j" default:"2" placeholder:"N" help:"Concurrent workers."`
	// MaxPages is the maximum number of pages of a paper, for the caller that makes the Reader; 0 means [pdf.DefaultMaxPages].
	MaxPages int `default:"3000" placeholder:"N" help:"Maximum pages of a PDF; damaged files may claim millions."`
	// Again also reads papers that are already stored.
	Again bool `help:"Re-read papers that are already ingested."`
	// Replace lets a file replace another file with the same title and venue. Otherwise both are kept.
	Replace bool `help:"Replace papers with the same title and venue. Default: keep both."`
}

// State is the progress of a file.
type State string

// The states of an [Event].
const (
	Reading State = "reading"
	Added   State = "added"
	Skipped State = "skipped"
	Failed  State = "failed"
)

// Event is a step of a run.
type Event struct {
	Path  string
	State State
	// PaperID is set on Added and Skipped; Pages, Problems and Beside on Added; Err on Failed.
	PaperID string
	// Poor is the reason why the text of an added paper is doubtful, also the first of Problems; empty for most.
	Poor string
	// Beside is the other file with the paper's title, if any; Title is then the title given to this one.
	Beside, Title string
	Pages         int
	Problems      []string
	Err           error
	// Done of Total files are finished.
	Done, Total int
}

// Failure is a file or folder that could not be ingested, with the reason.
type Failure struct {
	Path string
	Err  error
}

// ErrImported is the failure of a file whose paper came from a released database.
var ErrImported = errors.New("its paper was imported")

// Summary is the result of a run.
type Summary struct {
	Added, Skipped int
	// Pages is the number of pages of the added papers.
	Pages int
	// Beside is the number of added papers with the same title as another file.
	Beside int
	// Poor lists the added papers whose text is doubtful.
	Poor   []Poor
	Failed []Failure
}

// Illegible begins the reason of papers most of whose letters are wrong.
const Illegible = "mostly illegible: "

// Poor is a paper that was added although most of its text may be lost, in the wrong order, or illegible.
type Poor struct {
	Path    string `json:"path"`
	PaperID string `json:"paper_id"`
	Reason  string `json:"reason"`
}

// Run ingests the PDFs at paths. It skips papers that are already stored. A paper that cannot be read is reported in
// the summary and does not stop the others. An error is from the store or the context; the papers before it are stored
// completely.
func Run(ctx context.Context, cfg Config, paths []string) (Summary, error) {
	if cfg.Reader == nil || cfg.Store == nil {
		return Summary{}, errors.New("ingest: reader and store are required")
	}
	if cfg.Workers < 1 {
		cfg.Workers = 2
	}
	r := &runner{cfg: cfg, paths: paths, claimed: map[string]bool{}}
	busy := make(chan struct{}, cfg.Workers) // an entry for each paper being read
	inOrder := func(yield func(string, error) bool) {
		for _, path := range paths {
			select {
			case busy <- struct{}{}:
			case <-ctx.Done():
				return
			}
			if !yield(path, nil) {
				return
			}
		}
	}
	// Only a few papers for each worker are read ahead of the writer, because they wait in memory.
	results := concurrent.MapWithin(ctx, 2*cfg.Workers, inOrder, func(ctx context.Context, path string) result {
		defer func() { <-busy }()
		res := r.read(ctx, path)
		res.path = path
		return res
	})
	for res, err := range results {
		if err != nil {
			return r.summary, ctx.Err()
		}
		if err := r.write(ctx, res); err != nil {
			return r.summary, err
		}
	}
	return r.summary, nil
}

// runner is the state of one run. Only the writing goroutine uses summary and claimed.
type runner struct {
	cfg     Config
	paths   []string
	summary Summary
	claimed map[string]bool // ids of papers with a file in this run
	events  sync.Mutex
	done    int // guarded by events
}

type result struct {
	path   string
	source Source
	Extraction
	known string // the id of an already stored paper
	err   error
	fatal bool
}

func (r *runner) read(ctx context.Context, path string) result {
	source, err := r.cfg.Extras.Open(path)
	if err != nil {
		return result{err: err}
	}
	source.File.Parser += chunkMark(r.cfg.Reader.Chunks)
	if !r.cfg.Again {
		id, ok, err := r.cfg.Store.Has(ctx, source.File)
		if err != nil {
			return result{err: fmt.Errorf("look for %s in the store: %w", path, err), fatal: true}
		}
		if ok {
			return result{known: id}
		}
	}
	r.tell(Event{Path: path, State: Reading})
	read, err := r.cfg.Reader.Read(ctx, source)
	return result{source: source, Extraction: read, err: err}
}

// write writes a paper to the store, unless it was skipped or could not be read.
func (r *runner) write(ctx context.Context, res result) error {
	switch {
	case res.fatal:
		return res.err
	case res.err != nil:
		r.fail(res.path, res.err)
	case res.known != "":
		r.summary.Skipped++
		r.claimed[res.known] = true
		r.tell(Event{Path: res.path, State: Skipped, PaperID: res.known})
	default:
		return r.store(ctx, res)
	}
	return nil
}

func (r *runner) store(ctx context.Context, res result) error {
	path := res.path
	other, err := r.otherFile(ctx, res)
	if err != nil {
		return err
	}
	event := Event{Path: path, State: Added}
	if other.SHA256 != "" {
		if !strings.HasPrefix(other.Parser, parserFamily) {
			r.fail(path, fmt.Errorf("%w from %s; use --replace to read it from this file instead", ErrImported, other.Name))
			return nil
		}
		res.source.second = true
		if res.Extraction, err = r.cfg.Reader.Read(ctx, res.source); err != nil {
			if ctx.Err() == nil { // else it was interrupted
				r.fail(path, err)
			}
			return ctx.Err()
		}
		event.Beside, event.Title = other.Name, res.Paper.Metadata.Title
		r.summary.Beside++
	}
	if err := r.cfg.Store.Put(ctx, res.Paper, res.source.PDF); err != nil {
		return fmt.Errorf("store %s: %w", path, err)
	}
	r.summary.Added++
	r.summary.Pages += len(res.Paper.Pages)
	event.PaperID, event.Pages, event.Problems = res.Paper.Metadata.PaperID, len(res.Paper.Pages), res.Paper.File.Problems
	if event.Poor = res.Poor; event.Poor != "" {
		r.summary.Poor = append(r.summary.Poor, Poor{path, event.PaperID, event.Poor})
	}
	r.claimed[event.PaperID] = true
	r.tell(event)
	return nil
}

// otherFile returns the file that already owns the id of a paper, or the zero value. Files are identified by content.
// With Replace, only a file of the same run, or one with a different title despite the same id, keeps the id.
func (r *runner) otherFile(ctx context.Context, res result) (paperdb.File, error) {
	id := res.Paper.Metadata.PaperID
	owner, ok, err := r.cfg.Store.Owner(ctx, id)
	if err != nil {
		return paperdb.File{}, fmt.Errorf("look for paper %s in the store: %w", id, err)
	}
	if !ok || owner.SHA256 == res.source.File.SHA256 {
		return paperdb.File{}, nil
	}
	if !r.cfg.Replace || r.claimed[id] {
		return owner, nil
	}
	title, err := r.cfg.Store.Title(ctx, id)
	if err != nil {
		return paperdb.File{}, fmt.Errorf("look for paper %s in the store: %w", id, err)
	}
	if qa.SameTitle(title, res.Paper.Metadata.Title) {
		return paperdb.File{}, nil
	}
	return owner, nil
}

func (r *runner) fail(path string, err error) {
	r.summary.Failed = append(r.summary.Failed, Failure{Path: path, Err: err})
	r.tell(Event{Path: path, State: Failed, Err: err})
}

func (r *runner) tell(e Event) {
	r.events.Lock()
	defer r.events.Unlock()
	if e.State != Reading {
		r.done++
	}
	if e.Done, e.Total = r.done, len(r.paths); r.cfg.Progress != nil {
		r.cfg.Progress(e)
	}
}
