package papers

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"airqa/env/datadir"
	"airqa/ingest"
	"airqa/ingest/sources"
	"airqa/internal/files"
	"airqa/internal/terminal"
)

// Acquisition configures [Writer.Acquire].
type Acquisition struct {
	// Plan has the papers. Acquire fetches those that wait, and sets their states and reasons.
	Plan sources.Plan
	// Limit is the maximum number of papers to fetch; 0 means all.
	Limit int
	// Fetcher downloads; its folder, clock and progress are set here.
	Fetcher sources.Fetcher
	// Reading configures ingestion; its reader, store and progress are set here.
	Reading ingest.Config
	Chunks  datadir.Chunking
}

// Acquire downloads papers into the data directory and ingests each as soon as it is there, with progress bars. Failures of
// single papers are in the plan. The first Ctrl-C stops downloading and indexes the papers added so far. The same call
// resumes. It returns the number of bytes received.
func (w Writer) Acquire(c Acquisition) (received int64, err error) {
	q := &acquirer{Writer: w, Acquisition: c, papers: map[string]*sources.Paper{}, byPath: map[string]*sources.Paper{}}
	for i := range c.Plan.Papers {
		p := &c.Plan.Papers[i]
		if p.State == sources.Waiting && (c.Limit <= 0 || len(q.items) < c.Limit) {
			q.items, q.papers[p.ID] = append(q.items, p.Item), p
		}
	}
	q.arrived = make(chan string, len(q.items))
	if _, err := datadir.Open(w.To.Dir); errors.Is(err, datadir.ErrNotDataDir) && len(q.items) == 0 {
		return 0, nil // an interrupted index, on the other hand, is completed even if no paper is left to fetch
	}
	err = w.withReader(c.Reading, c.Chunks, func(ctx context.Context, cfg ingest.Config) (done string, err error) {
		dir, err := datadir.Open(w.To.Dir)
		if err != nil {
			return "", err
		}
		q.Reading, q.Fetcher.Dir, q.Fetcher.Now = cfg, dir.Downloads(), w.Now
		err = q.run(ctx)
		return fmt.Sprintf("%d of %d papers", q.added, len(q.items)), err
	})
	return q.received, err
}

// acquirer is one call of Acquire.
type acquirer struct {
	Writer
	Acquisition
	items   []sources.Item
	arrived chan string // paths of downloads; it never blocks

	mu       sync.Mutex
	papers   map[string]*sources.Paper // by id, which is the name of the download
	byPath   map[string]*sources.Paper // by path of the download
	added    int                       // papers ingested
	read     int                       // papers ingested or failed at it
	printed  int
	received int64
}

// run downloads and ingests side by side. A failure of either ends both.
func (q *acquirer) run(ctx context.Context) error {
	if len(q.items) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var fetched error
	var downloads sync.WaitGroup
	stage := q.Progress.Stage("fetch", len(q.items))
	downloads.Go(func() {
		defer close(q.arrived)
		q.Fetcher.Progress = q.noteFetch(stage)
		var sum sources.FetchSummary
		sum, fetched = q.Fetcher.Fetch(ctx, q.items)
		stage.Close(fmt.Sprintf("%d fetched, %d already present, %d failed, %.1f MB", sum.Downloaded, sum.Skipped, len(sum.Failed), megabytes(q.received)))
		if fetched != nil {
			cancel()
		}
	})
	err := q.ingest(ctx)
	cancel()
	downloads.Wait()
	if fetched != nil && !errors.Is(fetched, context.Canceled) {
		return fetched
	}
	return err
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }

// noteFetch returns the listener for downloads.
func (q *acquirer) noteFetch(stage *terminal.Stage) func(sources.Event) {
	begun := q.Now()
	return func(e sources.Event) {
		p := q.papers[e.Item.Name]
		q.received = e.Received
		note := fmt.Sprintf("%.1f MB", megabytes(e.Received))
		if took := q.Now().Sub(begun).Seconds(); took > 0 {
			note += fmt.Sprintf(", %.1f MB/s", megabytes(e.Received)/took)
		}
		stage.Set(e.Done, note)
		err := e.Err
		if err == nil && e.Path != "" {
			if err = addMetadata(p, e.Path); err == nil {
				q.mu.Lock()
				q.byPath[filepath.Clean(e.Path)] = p
				q.mu.Unlock()
				q.arrived <- e.Path
			}
		}
		if err != nil {
			q.fail(p, err.Error(), e.Item.URL)
		}
	}
}

// addMetadata puts the metadata of a paper next to its download, where ingestion finds it.
func addMetadata(p *sources.Paper, download string) error {
	raw, err := p.Read()
	if err != nil {
		return err
	}
	path := strings.TrimSuffix(download, filepath.Ext(download)) + ".json"
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, raw) {
		return nil
	}
	return files.WriteFile(path, raw)
}

// fail records that a paper is missing. The first failures are printed, the others are only counted.
func (q *acquirer) fail(p *sources.Paper, reason, where string) {
	const maxPrinted = 20
	q.mu.Lock()
	defer q.mu.Unlock()
	p.State, p.Reason = sources.Failed, reason
	switch q.printed++; {
	case q.printed <= maxPrinted:
		q.Progress.Print(fmt.Sprintf("error: %s: %s", where, reason))
	case q.printed == maxPrinted+1:
		q.Progress.Print("error: more papers failed; the table at the end counts them")
	}
}

// ingest reads downloads as they arrive, each with all others that are there.
func (q *acquirer) ingest(ctx context.Context) error {
	stage := q.Progress.Stage("ingest", len(q.items))
	speed := q.meter("pages/s")
	q.Reading.Progress = func(e ingest.Event) {
		q.noteIngest(e)
		stage.Set(q.read, speed(e.Pages))
	}
	var err error
	for path := range q.arrived {
		batch := []string{path}
		for range len(q.arrived) {
			batch = append(batch, <-q.arrived)
		}
		if _, err = ingest.Run(ctx, q.Reading, batch); err != nil {
			break
		}
	}
	stage.Close(fmt.Sprintf("%d added, %d failed, %s", q.added, q.read-q.added, speed(0)))
	return cmp.Or(err, ctx.Err())
}

// noteIngest records the end of a paper.
func (q *acquirer) noteIngest(e ingest.Event) {
	q.mu.Lock()
	p := q.byPath[filepath.Clean(e.Path)]
	q.mu.Unlock()
	switch e.State {
	case ingest.Failed:
		q.read++
		// The reasons of different files are counted together.
		q.fail(p, strings.ReplaceAll(e.Err.Error(), filepath.Base(e.Path), "the file"), e.Path)
	case ingest.Added, ingest.Skipped:
		q.read++
		if e.PaperID != p.ID {
			q.fail(p, "its file was ingested as another paper, "+e.PaperID, e.Path)
			return
		}
		q.added++
		q.mu.Lock()
		p.State = sources.Fetched
		q.mu.Unlock()
		if e.Poor != "" {
			q.Progress.Print(fmt.Sprintf("warning: poorly extracted: %s: %s", e.Path, e.Poor))
		}
		e.Problems = nil // airqa papers lists them
		q.reportFile(e)
	case ingest.Reading:
	}
}
