package enrich

import (
	"cmp"
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
	// Enrichable returns the parts of a paper that can be summarised.
	Enrichable(ctx context.Context, paperID string) (paperdb.Paper, error)
}

// Store is a library that can be changed.
type Store interface {
	Library
	// Enrich fills cells of a paper in one transaction.
	Enrich(ctx context.Context, paperID string, fills []paperdb.Fill) error
}

// DefaultWorkers is the default number of concurrent calls.
const DefaultWorkers = 4

// Config configures an [Enricher]. Model, ModelName and Journal are required; other zero values mean the default.
type Config struct {
	// Model answers. A [qa.SuspendedError], such as that of a spent budget, ends [Enricher.Ask].
	Model qa.Model
	// ModelName is recorded in the journal; replies of other models are not used.
	ModelName string
	Journal   *Journal
	// Visible removes the thinking from a reply; nil keeps all of it.
	Visible func(reply string) string
	// Fields are the cells to fill; none means all.
	Fields []Field
	// Pictures renders figures for a model that accepts images. If it is nil or a figure cannot be rendered, the figure
	// is described from its caption.
	Pictures Drawer
	// Again also replaces existing values.
	Again   bool
	Workers int
	// MaxCalls limits one call of Ask; 0 means unlimited. Retried requests count as one call.
	MaxCalls int
	// Drain is closed to stop after the calls in flight; it may be nil.
	Drain <-chan struct{}
	// Progress receives the result so far, one call at a time; it may be nil.
	Progress func(Asked)
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// Enricher asks a model about papers and stores the replies.
type Enricher struct{ cfg Config }

// tasks lists the cells of a paper to fill.
func (e *Enricher) tasks(p paperdb.Paper, file string) []task {
	tasks := plan(p, e.cfg.Fields, e.cfg.Again)
	if e.cfg.Pictures == nil {
		return tasks
	}
	pages, images := map[string]int{}, map[string]paperdb.Image{}
	for _, x := range p.Pages {
		pages[x.ID] = x.Number
	}
	for _, x := range p.Images {
		images[x.ID] = x
	}
	for i := range tasks {
		x, ok := images[tasks[i].row]
		page := pages[x.PageID]
		if tasks[i].field == Images && ok && page > 0 && x.Box[2] > 0 && x.Box[3] > 0 {
			tasks[i].place = &place{paper: p.Metadata.PaperID, file: file, page: page, box: x.Box}
		}
	}
	return tasks
}

// New checks a configuration.
func New(cfg Config) (*Enricher, error) {
	switch {
	case cfg.Model == nil || cfg.ModelName == "" || cfg.Journal == nil:
		return nil, errors.New("enrich: model and journal are required")
	case cfg.MaxCalls < 0 || cfg.Workers < 0:
		return nil, errors.New("enrich: negative number of calls or workers")
	}
	if len(cfg.Fields) == 0 {
		cfg.Fields = Fields()
	}
	cfg.Workers = cmp.Or(cfg.Workers, DefaultWorkers)
	if cfg.Visible == nil {
		cfg.Visible = func(reply string) string { return reply }
	}
	if cfg.Progress == nil {
		cfg.Progress = func(Asked) {}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Enricher{cfg: cfg}, nil
}
