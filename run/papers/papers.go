// Package papers adds papers to a data directory, under progress bars: it reads PDFs ([Writer.Ingest]), downloads
// ([Writer.Fetch], [Writer.Acquire]), copies a database ([Writer.Import]) or joins directories ([Join]). Each can be interrupted,
// and the same call resumes. Package ingest reads the PDFs.
package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/pdf"
	"airqa/ingest"
	"airqa/internal/concurrent"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/session"
)

// Writer writes a data directory in a session.
type Writer struct {
	session.Session
	To env.WriterConfig
}

// Ingest reads files into the data directory and shows progress. The first Ctrl-C stops reading and indexes the papers
// added so far; the second stops that too. The same command resumes.
func (w Writer) Ingest(files []string, cfg ingest.Config, chunks datadir.Chunking) (sum ingest.Summary, err error) {
	err = w.withReader(cfg, chunks, func(ctx context.Context, cfg ingest.Config) (done string, err error) {
		sum, err = w.readFiles(ctx, files, cfg)
		return fmt.Sprintf("%d of %d files", sum.Added+sum.Skipped+len(sum.Failed), len(files)), err
	})
	return sum, err
}

// withReader adds papers with put, which receives cfg with reader and store; see [Writer.fill].
func (w Writer) withReader(cfg ingest.Config, chunks datadir.Chunking, put func(context.Context, ingest.Config) (done string, err error)) error {
	pool, err := pdf.NewPool(pdf.Config{
		MaxInstances: cfg.Workers, MaxPages: cfg.MaxPages, Notice: func(line string) { w.Notify.Notef("%s", line) },
	})
	if err != nil {
		return err
	}
	if cfg.Reader, err = ingest.NewReader(pool); err == nil {
		err = w.fill(func(ctx context.Context, store *env.Writer) (done string, err error) {
			if cfg.Reader.Chunks, err = store.ChunkAs(chunks); err != nil {
				return "", err
			}
			cfg.Store = store
			return put(ctx, cfg)
		})
	}
	return errors.Join(err, pool.Close())
}

// fill adds papers with put, which reports how far it came. Its context ends when an interrupt drains: each paper is one
// transaction, so only the one being written must finish. What is in by then is indexed, unless a second interrupt ends that, too.
func (w Writer) fill(put func(context.Context, *env.Writer) (done string, err error)) error {
	ctx, drain, stop := w.Interrupts()
	defer stop()
	stopped := ""
	var dir *datadir.Dir
	begun := false
	err := w.Write(ctx, "embed", func(store *env.Writer) (err error) {
		if dir, err = datadir.Open(w.To.Dir); err != nil {
			return err
		}
		if err := dir.Begin(w.To.Task); err != nil {
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
		return dir.End(w.To.Task)
	case !begun:
		return errors.Join(err, w.To.Task.Drop())
	}
	return err
}

// readFiles reads files until the context ends, with a progress bar.
func (w Writer) readFiles(ctx context.Context, files []string, cfg ingest.Config) (ingest.Summary, error) {
	stage := w.Progress.Stage("ingest", len(files))
	speed := w.meter("pages/s")
	cfg.Progress = func(e ingest.Event) {
		w.reportFile(e)
		stage.Set(e.Done, speed(e.Pages)+" "+filepath.Base(e.Path))
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
	stage.Close(fmt.Sprintf("%d added%s, %d already present, %d failed%s, %s",
		sum.Added, beside, sum.Skipped, len(sum.Failed), poor, speed(0)))
	for _, p := range sum.Poor {
		if strings.HasPrefix(p.Reason, ingest.Illegible) {
			p.Reason += "; " + env.LegibleAgain
		}
		w.Notify.Warnf("poorly extracted: %s: %s", p.Path, p.Reason)
	}
	return sum, err
}

// reportFile prints the problems of a file as soon as they are known.
func (w Writer) reportFile(e ingest.Event) {
	const mostWarnings = 5
	if e.State == ingest.Failed {
		w.Progress.Print(fmt.Sprintf("error: %s: %v", e.Path, e.Err))
	}
	if e.Beside != "" {
		w.Progress.Print(fmt.Sprintf("note: %s has the same title as %s and is kept separately as %q; --replace replaces the other one", e.Path, e.Beside, e.Title))
	}
	for i, text := range e.Problems {
		if i == mostWarnings {
			w.Progress.Print(fmt.Sprintf("warning: %s: and %d more (airqa papers lists them)", e.Path, len(e.Problems)-i))
			break
		}
		w.Progress.Print(fmt.Sprintf("warning: %s: %s", e.Path, text))
	}
}

// Write opens the data directory for writing, calls fill to add papers, and indexes them with a progress bar. If fill
// fails, nothing is indexed, and the next writer catches up; only after a failure of the model, the words are.
func (w Writer) Write(ctx context.Context, stage string, fill func(*env.Writer) error) error {
	var bar *terminal.Stage // appears with the first text
	var speed func(int) string
	indexed := 0
	w.To.Progress = func(done, total int) { // cached vectors take no time and count in the rate
		if bar == nil {
			bar, speed = w.Progress.Stage(stage, total), w.meter("texts/s")
		}
		bar.Set(done, speed(done-indexed))
		indexed = done
	}
	w.To.Notice = func(line string) { w.Notify.Warnf("%s", line) }
	store, err := env.OpenWriter(ctx, w.To)
	if err != nil {
		return err
	}
	defer func() {
		if bar != nil {
			bar.Close(fmt.Sprintf("%d texts indexed, %s", indexed, speed(0)))
		}
	}()
	err = fill(store)
	if _, ok := errors.AsType[*embed.FailedError](err); err == nil || ok {
		err = store.Finish(ctx)
	}
	return errors.Join(err, store.Close())
}

// meter returns a function that adds to a count, which begins now, and formats it per second.
func (w Writer) meter(unit string) func(more int) string {
	begun, n := w.Now(), 0
	return func(more int) string {
		n += more
		took := w.Now().Sub(begun)
		if took <= 0 || n == 0 {
			return "0 " + unit
		}
		return fmt.Sprintf("%.0f %s", float64(n)/took.Seconds(), unit)
	}
}

// Remove removes papers and brings the search index up to date. A second Ctrl-C stops that; the next writer completes it.
func (w Writer) Remove(papers []env.Removing) error {
	ctx, _, stop := w.Interrupts()
	defer stop()
	return w.Write(ctx, "embed", func(store *env.Writer) error { return store.Remove(ctx, papers) })
}

// CompleteRemoval completes an interrupted removal of papers, if there is one.
func (w Writer) CompleteRemoval(ctx context.Context) error {
	if !env.RemovalPending(w.To.Dir) {
		return nil
	}
	w.Notify.Notef("completing the interrupted removal of papers from %s", w.To.Dir)
	return w.Write(ctx, "embed", func(*env.Writer) error { return nil })
}
