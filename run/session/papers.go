package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/join"
	"airqa/env/pdf"
	"airqa/ingest"
	"airqa/ingest/fetch"
	"airqa/ingest/release"
	"airqa/internal/concurrent"
	"airqa/internal/terminal"
	"airqa/qa"
)

// note is for packages that know no levels of notices.
func (s Session) note(line string) { s.Notify.Notef("%s", line) }

// Ingest reads files into a data directory and shows progress. The first Ctrl-C stops reading and indexes the papers
// added so far; the second stops that too. The same command resumes.
func (s Session) Ingest(to env.WriterConfig, files []string, cfg ingest.Config, chunks datadir.Chunking) (sum ingest.Summary, err error) {
	ctx, drain, stop := s.Interrupts()
	defer stop()
	pool, err := pdf.NewPool(pdf.Config{MaxInstances: cfg.Workers, MaxPages: cfg.MaxPages, Notice: s.note})
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if cfg.Reader, err = ingest.NewReader(pool); err != nil {
		return sum, err
	}
	err = s.fill(ctx, drain, to, func(ctx context.Context, store *env.Writer) (done string, err error) {
		if cfg.Reader.Chunks, err = store.ChunkAs(chunks); err != nil {
			return "", err
		}
		cfg.Store = store
		sum, err = s.readPapers(ctx, files, cfg)
		return fmt.Sprintf("%d of %d files", sum.Added+sum.Skipped+len(sum.Failed), len(files)), err
	})
	return sum, err
}

// fill adds papers with put, which reports how far it came. Its context ends when drain is closed: each paper is one
// transaction, so only the one being written must finish. What is in by then is indexed, unless ctx ends too.
func (s Session) fill(ctx context.Context, drain <-chan struct{}, to env.WriterConfig, put func(context.Context, *env.Writer) (done string, err error)) error {
	stopped := ""
	var dir *datadir.Dir
	begun := false
	err := s.Write(ctx, to, "embed", func(store *env.Writer) (err error) {
		if dir, err = datadir.Open(to.Dir); err != nil {
			return err
		}
		if err := dir.Begin(to.Task); err != nil {
			return err
		}
		adding, cancel := concurrent.Until(ctx, drain, qa.ErrInterrupted)
		defer cancel()
		done, err := put(adding, store)
		begun = done != ""
		if errors.Is(context.Cause(adding), qa.ErrInterrupted) {
			stopped, err = cmp.Or(done, "0 papers"), nil
		}
		return err
	})
	switch {
	case errors.Is(context.Cause(ctx), qa.ErrInterrupted):
		return errors.New("stopped before everything was indexed; the same command resumes from here")
	case err == nil && stopped != "":
		return fmt.Errorf("stopped after %s; the same command resumes from here", stopped)
	case err == nil:
		return dir.End(to.Task)
	case !begun:
		return errors.Join(err, to.Task.Drop())
	}
	return err
}

// readPapers reads files until the context ends, with a progress bar.
func (s Session) readPapers(ctx context.Context, files []string, cfg ingest.Config) (ingest.Summary, error) {
	stage := s.Progress.Stage("ingest", len(files))
	begun, pages := s.Now(), 0
	cfg.Progress = func(e ingest.Event) {
		pages += e.Pages
		s.reportFile(e)
		stage.Set(e.Done, rate(pages, s.Now().Sub(begun), "pages/s")+" "+filepath.Base(e.Path))
	}
	sum, err := ingest.Run(ctx, cfg, files)
	beside := ""
	if sum.Beside > 0 {
		beside = fmt.Sprintf(" (%d with the same title as another file)", sum.Beside)
	}
	poor := ""
	if len(sum.Poor) > 0 {
		poor = fmt.Sprintf(", %d poorly extracted", len(sum.Poor))
	}
	stage.Close(fmt.Sprintf("%d added%s, %d already present, %d failed%s, %s", sum.Added, beside, sum.Skipped, len(sum.Failed), poor,
		rate(pages, s.Now().Sub(begun), "pages/s")))
	for _, p := range sum.Poor {
		if strings.HasPrefix(p.Reason, ingest.Illegible) {
			p.Reason += "; " + env.LegibleAgain
		}
		s.Notify.Warnf("poorly extracted: %s: %s", p.Path, p.Reason)
	}
	return sum, err
}

// mostWarnings is how many problems of one file are printed.
const mostWarnings = 5

// reportFile prints the problems of a file as soon as they are known.
func (s Session) reportFile(e ingest.Event) {
	if e.State == ingest.Failed {
		s.Progress.Print(fmt.Sprintf("error: %s: %v", e.Path, e.Err))
	}
	if e.Beside != "" {
		s.Progress.Print(fmt.Sprintf("note: %s has the same title as %s and is kept separately as %q; --replace replaces the other one", e.Path, e.Beside, e.Title))
	}
	for _, text := range e.Problems[:min(len(e.Problems), mostWarnings)] {
		s.Progress.Print(fmt.Sprintf("warning: %s: %s", e.Path, text))
	}
	if n := len(e.Problems) - mostWarnings; n > 0 {
		s.Progress.Print(fmt.Sprintf("warning: %s: and %d more (airqa papers lists them)", e.Path, n))
	}
}

// Write opens a data directory for writing, calls fill to add papers, and indexes them with a progress bar. If fill
// fails, nothing is indexed, and the next writer catches up; only after a failure of the model, the words are.
func (s Session) Write(ctx context.Context, to env.WriterConfig, stage string, fill func(*env.Writer) error) error {
	var bar *terminal.Stage // appears with the first text
	var begun time.Time
	indexed := 0
	speed := func() string { return rate(indexed, s.Now().Sub(begun), "texts/s") }
	to.Progress = func(done, total int) { // cached vectors take no time and count in the rate
		if bar == nil {
			bar, begun = s.Progress.Stage(stage, total), s.Now()
		}
		indexed = done
		bar.Set(done, speed())
	}
	to.Notice = func(line string) { s.Notify.Warnf("%s", line) }
	store, err := env.OpenWriter(ctx, to)
	if err != nil {
		return err
	}
	defer func() {
		if bar != nil {
			bar.Close(fmt.Sprintf("%d texts indexed, %s", indexed, speed()))
		}
	}()
	err = fill(store)
	if _, ok := errors.AsType[*embed.FailedError](err); err == nil || ok {
		err = store.Finish(ctx)
	}
	return errors.Join(err, store.Close())
}

// rate formats a number per second.
func rate(n int, took time.Duration, unit string) string {
	if took <= 0 || n == 0 {
		return "0 " + unit
	}
	return fmt.Sprintf("%.0f %s", float64(n)/took.Seconds(), unit)
}

// Import copies papers of the database at a path into a data directory, with progress bars. Ctrl-C works as for an ingest.
func (s Session) Import(to env.WriterConfig, database string, cfg sources.ImportConfig) (sum sources.ImportSummary, err error) {
	ctx, drain, stop := s.Interrupts()
	defer stop()
	err = s.fill(ctx, drain, to, func(ctx context.Context, store *env.Writer) (done string, err error) {
		cfg.Store = store
		dir, err := datadir.Open(to.Dir)
		if err != nil {
			return "", err
		}
		cfg.Known = &release.Known{Path: database, Dir: dir}
		var stage *terminal.Stage
		cfg.Progress = func(done, total int, title string) {
			if stage == nil {
				stage = s.Progress.Stage("import", total)
			}
			stage.Set(done, title)
		}
		sum, err = sources.Import(ctx, cfg)
		if stage != nil {
			stage.Close(fmt.Sprintf("%d added, %d of them with PDF, %d already present, %d failed", sum.Added, sum.WithPDF, sum.Skipped, len(sum.Failed)))
		}
		if from, ok := cfg.From.(io.Closer); ok { // its memory is for the index
			err = errors.Join(err, from.Close())
		}
		if err != nil && sum.Total == 0 {
			return "", err
		}
		return fmt.Sprintf("%d of %d papers", sum.Added+sum.Skipped+len(sum.Failed), sum.Total), err
	})
	return sum, err
}

// Join joins data directories with a progress bar. Ctrl-C stops it without a change; the same join begins again.
func (s Session) Join(cfg join.Config) (_ *join.Join, err error) {
	ctx, drain, stop := s.Interrupts()
	defer stop()
	ctx, cancel := concurrent.Until(ctx, drain, qa.ErrInterrupted)
	defer cancel()
	var stage *terminal.Stage
	cfg.Progress = func(done, total int, what string) {
		if stage == nil {
			stage = s.Progress.Stage("join", total)
		}
		stage.Set(done, what)
	}
	j, err := join.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if cfg.DryRun {
		return j, nil
	}
	err = j.Run(ctx)
	if stage != nil {
		stage.Close(terminal.Plural(j.Added(), "paper") + " added")
	}
	if err != nil && errors.Is(context.Cause(ctx), qa.ErrInterrupted) {
		return j, errors.New("stopped; the data directory has the papers that it had, and the same command joins again")
	}
	return j, err
}

// Fetch downloads papers into a data directory, created if needed, and reports failed downloads. It sets folder, clock and progress
// of f.
func (s Session) Fetch(to env.WriterConfig, f sources.Fetcher, items []sources.Item) (sum sources.FetchSummary, err error) {
	if len(items) == 0 {
		return sum, nil
	}
	dir, err := datadir.Create(to.Dir)
	if err != nil {
		return sum, err
	}
	if err := dir.Begin(to.Task); err != nil {
		return sum, err
	}
	ctx, drain, stop := s.Interrupts()
	defer stop()
	ctx, cancel := concurrent.Until(ctx, drain, qa.ErrInterrupted) // finished downloads are kept: nothing to wait for
	defer cancel()
	stage := s.Progress.Stage("fetch", len(items))
	f.Dir, f.Now = dir.Downloads(), s.Now
	f.Progress = func(e sources.Event) {
		stage.Set(e.Done, fmt.Sprintf("%s %.1f MB", e.Item.Name, float64(e.Bytes)/(1<<20)))
	}
	sum, err = f.Fetch(ctx, items)
	stage.Close(fmt.Sprintf("%d fetched, %d already present, %d failed", sum.Downloaded, sum.Skipped, len(sum.Failed)))
	for _, failed := range sum.Failed {
		s.Notify.Infof("error: %s: %v", failed.Paper, failed.Err)
	}
	if errors.Is(err, context.Canceled) {
		return sum, errors.New("stopped while fetching; the same command resumes from here")
	}
	if err == nil && len(sum.Paths) == 0 { // else adding them ends the task
		err = dir.End(to.Task)
	}
	return sum, err
}

// Remove removes papers from a data directory and brings its search index up to date. A second Ctrl-C stops that; the next
// writer completes it.
func (s Session) Remove(to env.WriterConfig, papers []env.Removing) error {
	ctx, _, stop := s.Interrupts()
	defer stop()
	return s.Write(ctx, to, "embed", func(store *env.Writer) error { return store.Remove(ctx, papers) })
}

// CompleteRemoval completes an interrupted removal of papers, if there is one.
func (s Session) CompleteRemoval(ctx context.Context, to env.WriterConfig) error {
	if !env.RemovalPending(to.Dir) {
		return nil
	}
	s.Notify.Notef("completing the interrupted removal of papers from %s", to.Dir)
	return s.Write(ctx, to, "embed", func(*env.Writer) error { return nil })
}
