package papers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/join"
	"airqa/ingest/sources"
	"airqa/internal/concurrent"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/session"
)

// Select draws papers from arXiv categories, see [sources.Fetcher.Select]. A dry run keeps nothing.
func (w Writer) Select(f sources.Fetcher, c sources.Selection, dryRun bool) (*sources.Catalog, error) {
	if f.Now = w.Now; !dryRun {
		dir, err := datadir.Create(w.To.Dir)
		if err != nil {
			return nil, err
		}
		f.Dir = dir.Downloads()
	}
	ctx, drain, stop := w.Interrupts()
	defer stop()
	ctx, cancel := concurrent.Until(ctx, drain, qa.ErrInterrupted)
	defer cancel()
	stage := w.Progress.Stage("list", len(c.Categories))
	catalog, drawing, err := f.Select(ctx, c, func(category string, papers int) {
		stage.Set(slices.Index(c.Categories, category), fmt.Sprintf("%s: %s", category, terminal.Plural(papers, "paper")))
	})
	stage.Close(fmt.Sprintf("%d of %s, seed %d", len(drawing.Papers), terminal.Plural(drawing.Of, "paper"), c.Seed))
	if ctx.Err() != nil {
		err = errors.New("stopped while listing papers; the same command resumes from here")
	}
	return catalog, err
}

// Fetch downloads papers into the data directory, created if needed, and reports failed downloads. It sets folder, clock and progress
// of f, and takes the metadata of papers at arXiv.
func (w Writer) Fetch(f sources.Fetcher, items []sources.Item) (sum sources.FetchSummary, err error) {
	if len(items) == 0 {
		return sum, nil
	}
	dir, err := datadir.Create(w.To.Dir)
	if err != nil {
		return sum, err
	}
	if err := dir.Begin(w.To.Task); err != nil {
		return sum, err
	}
	ctx, drain, stop := w.Interrupts()
	defer stop()
	ctx, cancel := concurrent.Until(ctx, drain, qa.ErrInterrupted) // finished downloads are kept: nothing to wait for
	defer cancel()
	stage := w.Progress.Stage("fetch", len(items))
	f.Dir, f.Now, f.Records = dir.Downloads(), w.Now, true
	f.Progress = func(e sources.Event) {
		stage.Set(e.Done, fmt.Sprintf("%s %.1f MB", e.Item.Name, float64(e.Bytes)/(1<<20)))
	}
	sum, err = f.Fetch(ctx, items)
	stage.Close(fmt.Sprintf("%d fetched, %d already present, %d failed", sum.Downloaded, sum.Skipped, len(sum.Failed)))
	for _, failed := range sum.Failed {
		w.Notify.Infof("error: %s: %v", failed.Paper, failed.Err)
	}
	if len(sum.Unknown) > 0 {
		w.Notify.Notef("arXiv has no metadata of %s: read from the PDF", strings.Join(sum.Unknown, ", "))
	}
	if errors.Is(err, context.Canceled) {
		return sum, errors.New("stopped while fetching; the same command resumes from here")
	}
	if err == nil && len(sum.Paths) == 0 { // else adding them ends the task
		err = dir.End(w.To.Task)
	}
	return sum, err
}

// Import copies papers of the database at a path into the data directory, with progress bars. Ctrl-C works as for an ingest.
func (w Writer) Import(database string, cfg sources.ImportConfig) (sum sources.ImportSummary, err error) {
	err = w.fill(func(ctx context.Context, store *env.Writer) (done string, err error) {
		cfg.Store = store
		dir, err := datadir.Open(w.To.Dir)
		if err != nil {
			return "", err
		}
		cfg.Path, cfg.Dir = database, dir
		var stage *terminal.Stage
		cfg.Progress = func(done, total int, title string) {
			if stage == nil {
				stage = w.Progress.Stage("import", total)
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
func Join(s session.Session, cfg join.Config) (_ *join.Join, err error) {
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
