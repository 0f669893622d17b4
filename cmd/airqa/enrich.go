package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/enrich"
	"airqa/env/paperdb"
	"airqa/internal/exit"
	"airqa/internal/progress"
	"airqa/run/session"
)

type enrichCmd struct {
	dataFlags
	modelFlags     `set:"temperature=0.1"`
	Fields         []string `placeholder:"FIELD" help:"What to fill: tldr, tags, pages, sections, images, tables, with commas between; without it all of them."`
	Workers        int      `short:"j" default:"4" help:"Calls at once."`
	MaxCalls       int      `name:"max-calls" placeholder:"N" help:"Stop after so many calls."`
	MaxTotalTokens int      `name:"max-total-tokens" placeholder:"N" help:"Stop before prompts and replies together have more tokens."`
	Pictures       bool     `help:"Show the model the figures, too: for models that take images. Without it they are described from caption and page."`
	Again          bool     `help:"Fill again what is filled. Only what this model was not asked in the same words is asked."`
}

func (enrichCmd) Help() string {
	return `Examples:
  airqa enrich --data papers --model openai:gpt-4o-mini --fields tldr,tags --max-calls 1000
  airqa enrich --data papers --model openai:gpt-4o-mini --fields images --pictures
  OPENAI_BASE_URL=http://127.0.0.1:8000/v1 airqa enrich --data papers --model openai:Qwen2.5-72B-Instruct -j 16

Every reply is kept in enrich.jsonl in the data directory as it comes: a run that is stopped, killed or out of its budget
pays for nothing twice, and the same command goes on. Papers can be searched while it asks. What is filled is left alone.`
}

func (c enrichCmd) Run(a *app) (err error) {
	a.modelAt = c.BaseURL
	fields, err := c.check()
	if err != nil {
		return err
	}
	model, _, err := c.modelFlags.open(a)
	if err != nil {
		return err
	}
	texts, err := c.index(a, false)
	if err != nil {
		return err
	}
	dir, err := datadir.Open(c.Data)
	if err != nil {
		return err
	}
	journal, err := enrich.OpenJournal(filepath.Join(dir.Path(), enrich.JournalName), a.redactor())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	ctx, drain, stop := a.interrupts()
	defer stop()
	bar := enrichBar{a: a}
	cfg := enrich.Config{
		Model: model, ModelName: c.Model, Journal: journal, Fields: fields, Again: c.Again, Workers: c.Workers,
		MaxCalls: c.MaxCalls, MaxTokens: c.MaxTotalTokens, Drain: drain, Progress: bar.set, Now: a.now,
	}
	e, asked, askErr, err := c.ask(ctx, cfg, dir)
	if err != nil {
		return err
	}
	bar.close(asked)
	if ctx.Err() != nil {
		return errors.New("stopped; every reply that came is kept, and the same command goes on from here")
	}
	applied, err := c.apply(ctx, a, e, texts)
	if err != nil {
		return fmt.Errorf("%w\n  Every reply is kept; the same command goes on from here", err)
	}
	return c.end(a, asked, applied, askErr)
}

func (c enrichCmd) check() ([]enrich.Field, error) {
	switch {
	case c.Workers < 1:
		return nil, exit.Misuse("-j %d: at least one call at once", c.Workers)
	case c.MaxCalls < 0 || c.MaxTotalTokens < 0:
		return nil, exit.Misuse("--max-calls and --max-total-tokens cannot be negative")
	case c.Model == session.OfflineModel:
		return nil, exit.Misuse("--model offline follows rules for answering questions; summaries take a language model")
	}
	fields, err := enrich.ParseFields(c.Fields)
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("--fields: %w", err))
	}
	return fields, nil
}

// ask only reads the papers, so that others can, too. The first error is that of the asking.
func (c enrichCmd) ask(ctx context.Context, cfg enrich.Config, dir *datadir.Dir) (e *enrich.Enricher, asked enrich.Asked, askErr, err error) {
	if c.Pictures {
		pages, err := env.Open(ctx, env.Config{Dir: dir.Path(), NoSearch: true})
		if err != nil {
			return nil, asked, nil, err
		}
		defer func() { askErr = errors.Join(askErr, pages.Close()) }()
		cfg.Pictures = pages
	}
	if e, err = enrich.New(cfg); err != nil {
		return nil, asked, nil, err
	}
	papers, err := paperdb.OpenReader(ctx, paperdb.Config{Path: dir.Database()})
	if err != nil {
		return nil, asked, nil, err
	}
	defer func() { askErr = errors.Join(askErr, papers.Close()) }()
	asked, askErr = e.Ask(ctx, papers)
	return e, asked, askErr, nil
}

// apply writes what was replied and makes it searchable.
func (c enrichCmd) apply(ctx context.Context, a *app, e *enrich.Enricher, texts embed.Embedder) (applied enrich.Applied, err error) {
	to := env.WriterConfig{Dir: c.Data, Vectors: c.Vectors, Embedder: texts}
	err = a.session().Write(ctx, to, "embed", func(store *env.Writer) (err error) {
		applied, err = e.Apply(ctx, store)
		return err
	})
	return applied, err
}

// end says what came out and turns it into an exit code.
func (c enrichCmd) end(a *app, asked enrich.Asked, applied enrich.Applied, err error) error {
	a.say("%d cells of %d papers filled, %d still empty", applied.Cells, applied.Papers, applied.Open)
	if asked.Unseen > 0 {
		a.say("warning: %d figures could not be drawn and were described from their captions", asked.Unseen)
	}
	switch {
	case err != nil:
		return err
	case asked.BudgetReached:
		return exit.With(exit.Budget, fmt.Errorf("the budget is reached after %d calls and %d tokens; the same command goes on from here",
			asked.Calls, asked.Usage.Prompt+asked.Usage.Completion))
	case asked.Drained:
		return fmt.Errorf("stopped with %d cells left; the same command goes on from here", applied.Open)
	case asked.Failed > 0:
		return exit.With(exit.FailedExamples, fmt.Errorf("%d of %d calls failed, the first because: %w\n  The same command tries them again",
			asked.Failed, asked.Calls, asked.FirstFailure))
	}
	a.say("next: airqa sql --data %s \"SELECT title, tldr, tags FROM metadata\"", c.Data)
	return nil
}

// enrichBar is the bar of the asking. It is opened by the first step, which knows how many papers there are.
type enrichBar struct {
	a     *app
	stage *progress.Stage
}

func (b *enrichBar) set(e enrich.Event) {
	if b.stage == nil {
		b.stage = b.a.progress.Stage("enrich", e.Total)
	}
	note := fmt.Sprintf("%d calls, %d tokens", e.Calls, e.Tokens)
	if e.Failed > 0 {
		note += fmt.Sprintf(", %d failed", e.Failed)
	}
	b.stage.Set(e.Papers, note)
}

func (b *enrichBar) close(asked enrich.Asked) {
	if b.stage == nil {
		return
	}
	last := fmt.Sprintf("%d of %d papers asked about, %d calls, %d tokens",
		asked.Papers, asked.Total, asked.Calls, asked.Usage.Prompt+asked.Usage.Completion)
	if asked.Known > 0 {
		last += fmt.Sprintf(", %d replies from before", asked.Known)
	}
	b.stage.Close(last)
}
