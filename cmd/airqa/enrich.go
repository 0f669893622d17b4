package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"airqa/agent/action"
	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/ingest/enrich"
	"airqa/internal/terminal"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/models"
)

type enrichCmd struct {
	dataFlags
	modelFlag
	promptsFlag
	endpointFlags `set:"temperature=0.1"`
	Fields        []string `placeholder:"FIELD" help:"Fields to fill, comma-separated: tldr, tags, pages, sections, images, tables. Default: all."`
	workersFlag
	MaxCalls int `name:"max-calls" placeholder:"N" help:"Maximum number of calls."`
	budgetFlags
	Pictures bool `help:"Send figures as images, even if airqa list models does not list the model as accepting them."`
	Again    bool `help:"Regenerate existing values. Cached replies are reused."`
}

func (c enrichCmd) Run(a *app) (err error) {
	fields, err := c.check()
	if err != nil {
		return err
	}
	model, err := c.model(a)
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
	replies, err := cache.Open(filepath.Join(dir.Path(), cache.Folder), cache.Config{Redact: a.redactor(), Now: a.now, Exclusive: true})
	if errors.Is(err, cache.ErrInUse) {
		return fmt.Errorf("%s: another airqa enrich is using it; wait until it is done", c.Data)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, replies.Close()) }()
	metered, err := model.Connect(models.Requests{Account: budget.NewAccount(c.Budget, budget.Spent{}, a.now)})
	if err != nil {
		return err
	}
	ctx, drain, stop := a.interrupts()
	defer stop()
	cfg := enrich.Config{
		Model: model.Cached(models.Requests{Cache: replies}, metered), Visible: action.Visible, Fields: fields, Again: c.Again,
		Workers: c.Workers, MaxCalls: c.MaxCalls, Drain: drain, Prompts: c.Prompts,
	}
	e, asked, askErr, err := c.ask(ctx, a, cfg, dir)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("stopped; all replies so far are kept, and the same command resumes from here")
	}
	var applied enrich.Applied
	to := env.WriterConfig{Dir: c.Data, Vectors: c.Vectors, Embedder: texts}
	err = a.writer(to).Write(ctx, "embed", func(store *env.Writer) (err error) { // into the database and the index
		applied, err = e.Apply(ctx, store)
		return err
	})
	if err != nil {
		return fmt.Errorf("%w\n  All replies are kept; the same command resumes from here", err)
	}
	return c.end(a, asked, applied, askErr)
}

func (c enrichCmd) check() ([]enrich.Field, error) {
	switch {
	case c.Workers < 1:
		return nil, qa.Usagef("-j %d: must be at least 1", c.Workers)
	case c.MaxCalls < 0:
		return nil, qa.Usagef("--max-calls %d: cannot be negative", c.MaxCalls)
	case c.Model == models.Offline:
		return nil, qa.Usagef("--model offline only answers questions; summaries need a language model")
	}
	fields, err := enrich.ParseFields(c.Fields)
	if err != nil {
		return nil, withCode(exitUsage, fmt.Errorf("--fields: %w", err))
	}
	return fields, nil
}

func (c enrichCmd) model(a *app) (models.Model, error) {
	calls, err := calling(c.endpointFlags, c.budgetFlags, qa.QuestionLimits{})
	if err != nil {
		return models.Model{}, err
	}
	calls.Temperature = new(0.1) // low so that summaries are stable
	model, err := a.session().OpenModel(c.Model, calls)
	model.MaxReply = 300                // for forecasts: three times the length requested by the prompts
	delete(model.Described, "base_url") // replies of the same model at another address are used, too
	return model, err
}

// ask sends the requests, under a progress bar. It only reads the papers, so other processes can read them too. askErr is a
// failed request, err a failed start.
func (c enrichCmd) ask(ctx context.Context, a *app, cfg enrich.Config, dir *datadir.Dir) (e *enrich.Enricher, asked enrich.Asked, askErr, err error) {
	if c.Pictures {
		pages, err := env.Open(ctx, env.Config{Dir: dir.Path(), NoSearch: true})
		if err != nil {
			return nil, asked, nil, err
		}
		defer func() { askErr = errors.Join(askErr, pages.Close()) }()
		cfg.Pictures = pages
	}
	var bar *terminal.Stage
	cfg.Progress = func(sum enrich.Asked) {
		if bar == nil { // only the sum has the number of papers
			bar = a.progress.Stage("enrich", sum.Total)
		}
		note := callsText(sum)
		if sum.Failed > 0 {
			note += fmt.Sprintf(", %d failed", sum.Failed)
		}
		bar.Set(sum.Papers, note)
	}
	if e, err = enrich.New(cfg); err != nil {
		return nil, asked, nil, err
	}
	if err := dir.Hold(""); err != nil {
		return nil, asked, nil, err
	}
	defer func() { askErr = errors.Join(askErr, dir.Release()) }()
	papers, err := paperdb.OpenReader(ctx, paperdb.Config{Path: dir.Database()})
	if err != nil {
		return nil, asked, nil, err
	}
	defer func() { askErr = errors.Join(askErr, papers.Close()) }()
	asked, askErr = e.Ask(ctx, papers)
	if bar != nil {
		last := fmt.Sprintf("%d of %d papers processed, %s", asked.Papers, asked.Total, callsText(asked))
		if asked.Known > 0 {
			last += fmt.Sprintf(", %d replies reused", asked.Known)
		}
		bar.Close(last)
	}
	return e, asked, askErr, nil
}

func callsText(a enrich.Asked) string {
	return fmt.Sprintf("%d calls, %d tokens", a.Calls, a.Usage.Prompt+a.Usage.Completion)
}

// end prints the summary and sets the exit code.
func (c enrichCmd) end(a *app, asked enrich.Asked, applied enrich.Applied, err error) error {
	a.say("%d cells of %d papers filled, %d still empty", applied.Cells, applied.Papers, applied.Open)
	if asked.Unseen > 0 {
		a.say("warning: %d figures could not be rendered and were described from their captions", asked.Unseen)
	}
	switch {
	case err != nil:
		return err
	case asked.BudgetReached:
		return withCode(exitBudget, fmt.Errorf("budget reached after %d calls and %d tokens; the same command resumes from here",
			asked.Calls, asked.Usage.Prompt+asked.Usage.Completion))
	case asked.Drained:
		return fmt.Errorf("stopped with %d cells left; the same command resumes from here", applied.Open)
	case asked.Failed > 0:
		return withCode(exitFailedExamples, fmt.Errorf("%d of %d calls failed; the first: %w\n  The same command retries them",
			asked.Failed, asked.Calls, asked.FirstFailure))
	}
	a.next("airqa sql --data %s \"SELECT title, tldr, tags FROM metadata\"", c.Data)
	return nil
}
