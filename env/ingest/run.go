package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"airqa/env/paperdb"
)

// Store is where papers go.
type Store interface {
	// Has tells whether a file is in already: the same PDF, the same metadata beside it, the same parser. It
	// returns the paper's id.
	Has(ctx context.Context, f paperdb.File) (paperID string, ok bool, err error)
	// Put writes a paper with its PDF as one transaction, in the place of a paper with the same id. A crash
	// leaves no half paper.
	Put(ctx context.Context, p paperdb.Paper, pdf []byte) error
	// Owner tells which file the paper with an id was read from.
	Owner(ctx context.Context, paperID string) (paperdb.File, bool, error)
}

// Config is how [Run] works.
type Config struct {
	Reader *Reader
	Store  Store
	// Extras are folders with what is known of the papers besides.
	Extras Extras
	// Workers is how many papers are read at once; 0 means 2. Writing is one at a time, in the order of the paths.
	Workers int
	// Again reads papers that are in already, too.
	Again bool
	// Replace lets a file take the place of another file with the same paper id.
	Replace bool
	// Progress is told what happens to each file, one call at a time; nil for none.
	Progress func(Event)
}

// State is how far a file has come.
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
	// PaperID is set on Added and Skipped, Pages and Problems on Added, Err on Failed.
	PaperID  string
	Pages    int
	Problems []string
	Err      error
	// Done of Total files are finished.
	Done, Total int
}

// Failure is a file that could not be taken in, and why.
type Failure struct {
	Path string
	Err  error
}

// Summary is what became of the files of a run.
type Summary struct {
	Added, Skipped int
	// Pages counts those of the papers added.
	Pages int
	// Warned maps the paths of papers that were added to what is wrong with them.
	Warned map[string][]string
	Failed []Failure
}

// Run takes in the PDFs at paths. A paper that is in already is skipped; one that cannot be read is reported in the summary
// and does not stop the rest. The error is that of the store, or the context's: then the papers before it are in, whole.
func Run(ctx context.Context, cfg Config, paths []string) (Summary, error) {
	if cfg.Reader == nil || cfg.Store == nil {
		return Summary{}, errors.New("ingest: no reader or no store")
	}
	if cfg.Workers < 1 {
		cfg.Workers = 2
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &runner{cfg: cfg, paths: paths, results: make([]chan result, len(paths))}
	r.summary.Warned = map[string][]string{}
	for i := range r.results {
		r.results[i] = make(chan result, 1)
	}
	var workers sync.WaitGroup
	jobs := r.dispatch(ctx, &workers)
	for range cfg.Workers {
		workers.Go(func() {
			for i := range jobs {
				r.results[i] <- r.read(ctx, paths[i])
			}
		})
	}
	err := r.write(ctx)
	stop()
	workers.Wait()
	return r.summary, err
}

// runner is the state of one run. summary and done belong to the goroutine that writes.
type runner struct {
	cfg     Config
	paths   []string
	results []chan result
	window  chan struct{} // papers that were read and wait to be written
	summary Summary
	done    int
	events  sync.Mutex
}

// result is a paper that was read, or why not.
type result struct {
	source Source
	paper  paperdb.Paper
	known  string // the id of a paper that is in already
	err    error
	fatal  bool
}

// dispatch hands out the numbers of the files in order, a few ahead of the writer: papers wait in memory.
func (r *runner) dispatch(ctx context.Context, workers *sync.WaitGroup) <-chan int {
	jobs := make(chan int)
	r.window = make(chan struct{}, 2*r.cfg.Workers)
	workers.Go(func() {
		defer close(jobs)
		for i := range r.paths {
			select {
			case r.window <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	return jobs
}

func (r *runner) read(ctx context.Context, path string) result {
	source, err := r.cfg.Extras.Open(path)
	if err != nil {
		return result{err: err}
	}
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
	paper, err := r.cfg.Reader.Read(ctx, source)
	return result{source: source, paper: paper, err: err}
}

// write takes the results in the order of the paths.
func (r *runner) write(ctx context.Context) error {
	for i, path := range r.paths {
		var res result
		select {
		case <-ctx.Done():
			return ctx.Err()
		case res = <-r.results[i]:
		}
		<-r.window
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.finish(ctx, path, res); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) finish(ctx context.Context, path string, res result) error {
	switch {
	case res.fatal:
		return res.err
	case res.err != nil:
		r.fail(path, res.err)
		return nil
	case res.known != "":
		r.summary.Skipped++
		r.end(Event{Path: path, State: Skipped, PaperID: res.known})
		return nil
	}
	conflict, err := r.conflict(ctx, res)
	if err != nil {
		return err
	}
	if conflict != nil {
		r.fail(path, conflict)
		return nil
	}
	if err := r.cfg.Store.Put(ctx, res.paper, res.source.PDF); err != nil {
		return fmt.Errorf("store %s: %w", path, err)
	}
	r.added(path, res.paper)
	return nil
}

func (r *runner) added(path string, p paperdb.Paper) {
	r.summary.Added++
	r.summary.Pages += len(p.Pages)
	if len(p.File.Problems) > 0 {
		r.summary.Warned[path] = p.File.Problems
	}
	r.end(Event{Path: path, State: Added, PaperID: p.Metadata.PaperID, Pages: len(p.Pages), Problems: p.File.Problems})
}

// conflict is an error when another file has the paper's id: two papers with one title, or two copies of one.
func (r *runner) conflict(ctx context.Context, res result) (conflict, err error) {
	owner, ok, err := r.cfg.Store.Owner(ctx, res.paper.Metadata.PaperID)
	if err != nil {
		return nil, fmt.Errorf("look for paper %s in the store: %w", res.paper.Metadata.PaperID, err)
	}
	own := res.source.File
	if !ok || r.cfg.Replace || owner.SHA256 == own.SHA256 {
		return nil, nil
	}
	return fmt.Errorf("same title as another file, %s, which is in already: --replace puts this one in its place, or give it its own metadata in %s",
		owner.Name, filepath.Base(metadataPath(res.source.Path))), nil
}

func (r *runner) fail(path string, err error) {
	r.summary.Failed = append(r.summary.Failed, Failure{Path: path, Err: err})
	r.end(Event{Path: path, State: Failed, Err: err})
}

// end tells of a file that is finished.
func (r *runner) end(e Event) {
	r.done++
	e.Done = r.done
	r.tell(e)
}

func (r *runner) tell(e Event) {
	if r.cfg.Progress == nil {
		return
	}
	r.events.Lock()
	defer r.events.Unlock()
	e.Total = len(r.paths)
	r.cfg.Progress(e)
}
