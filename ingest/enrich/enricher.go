package enrich

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"airqa/env/paperdb"
	"airqa/internal/files"
	"airqa/prompts"
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

// Model is a model that keeps its replies.
type Model interface {
	qa.Model
	// Kept returns the kept reply to a request.
	Kept(r qa.Request) (reply qa.Reply, ok bool, err error)
}

// DefaultWorkers is the default number of concurrent calls.
const DefaultWorkers = 4

// Config configures an [Enricher]. Model is required; other zero values mean the default.
type Config struct {
	// Model answers. A [qa.SuspendedError], such as that of a spent budget, ends [Enricher.Ask].
	Model Model
	// Visible removes the thinking from a reply; nil keeps all of it.
	Visible func(reply string) string
	// Prompts are the texts that the model is shown.
	Prompts prompts.Set
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
}

// Enricher asks a model about papers and fills their cells with the replies.
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
			tasks[i].figure = &qa.Image{
				SHA256: files.Hash(fmt.Sprintf("%s page %d box %v", file, page, x.Box)), MIME: "image/png", PaperID: p.Metadata.PaperID,
				Page: page, Box: []float64{float64(x.Box[0]), float64(x.Box[1]), float64(x.Box[2]), float64(x.Box[3])},
			}
		}
	}
	return tasks
}

// New checks a configuration.
func New(cfg Config) (*Enricher, error) {
	switch {
	case cfg.Model == nil:
		return nil, errors.New("enrich: a model is required")
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
	return &Enricher{cfg: cfg}, nil
}
