package enrich

import (
	"context"
	"errors"
	"time"

	"airqa/env/paperdb"
	"airqa/qa"
)

// Library reads papers.
type Library interface {
	// Files lists the papers.
	Files(ctx context.Context) ([]paperdb.Owned, error)
	// Enrichable returns a paper with what there is to summarise.
	Enrichable(ctx context.Context, paperID string) (paperdb.Paper, error)
}

// Store is a library that takes texts.
type Store interface {
	Library
	// Enrich fills cells of a paper as one transaction.
	Enrich(ctx context.Context, paperID string, fills []paperdb.Fill) error
}

// DefaultWorkers is how many calls run at once.
const DefaultWorkers = 4

// Config is how an [Enricher] works. Model, ModelName and Journal are required; for the rest zero means the default.
type Config struct {
	Model qa.Model
	// ModelName stands in the journal; replies of another name are not used.
	ModelName string
	Journal   *Journal
	// Fields are the cells to fill; none means all.
	Fields []Field
	// Pictures draws figures for a model that takes images; nil has them described from their captions. A figure that cannot
	// be drawn is described so, too.
	Pictures Drawer
	// Again fills cells, too, that hold something.
	Again   bool
	Workers int
	// MaxCalls and MaxTokens (prompts and replies) bound one call of Ask; 0 is no bound. A call is one reply, however many
	// requests it took. Tokens of calls under way are estimated.
	MaxCalls, MaxTokens int
	// Drain is closed to let the calls under way end and begin no other; nil for never.
	Drain <-chan struct{}
	// Progress is told how far the asking has come, one call at a time; nil for nobody.
	Progress func(Event)
	// Now is the time; nil is time.Now.
	Now func() time.Time
}

// Event is a step of [Enricher.Ask].
type Event struct {
	// Papers of Total have been gone through.
	Papers, Total int
	Calls, Failed int
	Tokens        int
}

// Enricher asks a model about papers and fills in what it said.
type Enricher struct{ cfg Config }

// tasks lists the cells of a paper that are to be filled.
func (e *Enricher) tasks(p paperdb.Paper, file string) []task {
	tasks := plan(p, e.cfg.Fields, e.cfg.Again)
	if e.cfg.Pictures != nil {
		show(p, file, tasks)
	}
	return tasks
}

// New checks a configuration.
func New(cfg Config) (*Enricher, error) {
	switch {
	case cfg.Model == nil || cfg.ModelName == "" || cfg.Journal == nil:
		return nil, errors.New("enrich: no model or no journal")
	case cfg.MaxCalls < 0 || cfg.MaxTokens < 0 || cfg.Workers < 0:
		return nil, errors.New("enrich: a negative number of calls, tokens or workers")
	}
	if len(cfg.Fields) == 0 {
		cfg.Fields = Fields()
	}
	if cfg.Workers == 0 {
		cfg.Workers = DefaultWorkers
	}
	if cfg.Progress == nil {
		cfg.Progress = func(Event) {}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Enricher{cfg: cfg}, nil
}
