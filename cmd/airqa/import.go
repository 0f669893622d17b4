package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"airqa/env"
	"airqa/env/ingest/sources/release"
	"airqa/env/paperdb"
	"airqa/internal/exit"
	"airqa/internal/progress"
	"airqa/run/session"
)

type importCmd struct {
	dataFlags
	Database string `arg:"" name:"database" help:"A released AirQA database, such as ai_research.duckdb."`
	PDFs     string `name:"pdfs" placeholder:"DIR" help:"Folder with the papers' PDFs: UUID.pdf anywhere below, or at the path that the database has of it. Without it these paths are looked for from here."`
	Replace  bool   `help:"Let a paper take the place of one with the same id that was read from a PDF or another database."`
}

func (importCmd) Help() string {
	return `Examples:
  airqa import --data papers ai_research.duckdb
  airqa import --data papers --pdfs data/dataset/airqa/papers ai_research.duckdb

The rows are taken as they are, and vectors are made of them. Papers without a PDF can be searched and queried, but no page
of theirs can be drawn. Running it again skips what is in.`
}

func (c importCmd) Run(a *app) (err error) {
	texts, err := c.index(a, true)
	if err != nil {
		return err
	}
	from, err := paperdb.OpenReleased(a.ctx, c.Database)
	if errors.Is(err, fs.ErrNotExist) {
		return exit.With(exit.Usage, err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	pdfs, err := c.pdfs()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pdfs.Close()) }()
	cfg := release.Config{From: from, Name: filepath.Base(c.Database), PDFs: pdfs, Replace: c.Replace}
	sum, err := a.importPapers(env.WriterConfig{Dir: c.Data, Vectors: c.Vectors, Embedder: texts}, cfg)
	if err != nil {
		return err
	}
	return c.end(a, sum)
}

func (c importCmd) pdfs() (*release.PDFs, error) {
	if c.PDFs == "" {
		return release.At(".")
	}
	pdfs, err := release.OpenPDFs(c.PDFs)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	return pdfs, nil
}

// importPapers copies papers into a data directory, with bars. Ctrl-C does what it does to an ingest.
func (a *app) importPapers(to env.WriterConfig, cfg release.Config) (sum release.Summary, err error) {
	ctx, drain, stop := a.interrupts()
	defer stop()
	interrupted := false
	err = a.session().Write(ctx, to, "embed", func(store *env.Writer) (err error) {
		cfg.Store = store
		sum, interrupted, err = a.copyPapers(ctx, drain, cfg)
		return err
	})
	switch {
	case errors.Is(context.Cause(ctx), exit.ErrInterrupted):
		return sum, errors.New("stopped before everything was searchable; the same command goes on from here")
	case err == nil && interrupted:
		return sum, fmt.Errorf("stopped after %d of %d papers; the same command goes on from here",
			sum.Added+sum.Skipped+len(sum.Failed), sum.Total)
	}
	return sum, err
}

// copyPapers copies until drain is closed. A paper is one transaction: there is nothing to wait for but the one under way.
func (a *app) copyPapers(ctx context.Context, drain <-chan struct{}, cfg release.Config) (sum release.Summary, interrupted bool, err error) {
	ctx, cancel := session.UntilDrained(ctx, drain)
	defer cancel()
	var stage *progress.Stage
	cfg.Progress = func(done, total int, title string) {
		if stage == nil {
			stage = a.progress.Stage("import", total)
		}
		stage.Set(done, title)
	}
	sum, err = release.Import(ctx, cfg)
	if errors.Is(context.Cause(ctx), exit.ErrInterrupted) {
		interrupted, err = true, nil
	}
	if stage != nil {
		stage.Close(fmt.Sprintf("%d added, %d of them with PDF, %d there before, %d failed", sum.Added, sum.WithPDF, sum.Skipped, len(sum.Failed)))
	}
	return sum, interrupted, err
}

// mostFailures are told one by one; a database that does not fit has thousands.
const mostFailures = 20

// end says what was mended and what failed, and turns the summary into an exit code.
func (c importCmd) end(a *app, sum release.Summary) error {
	if n := len(sum.Warned); n > 0 {
		a.say("note: %d papers have problems, table boxes stored as corners among them; see: airqa papers --data %s", n, c.Data)
	}
	for i, f := range sum.Failed {
		if i == mostFailures {
			a.say("error: and %d more", len(sum.Failed)-i)
			break
		}
		a.say("error: paper %s: %v", f.PaperID, f.Err)
	}
	switch n := len(sum.Failed); {
	case sum.Total == 0:
		return fmt.Errorf("%s has no papers", c.Database)
	case n == sum.Total:
		return fmt.Errorf("none of %d papers could be taken in", n)
	case n > 0:
		return exit.With(exit.FailedExamples, fmt.Errorf("%d of %d papers could not be taken in; the others are in %s", n, sum.Total, c.Data))
	}
	a.say("next: airqa search --data %s \"what you look for\"", c.Data)
	return nil
}
