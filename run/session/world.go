package session

import (
	"context"
	"errors"
	"strings"

	"airqa/baselines"
	"airqa/env"
	"airqa/env/paperdb"
	"airqa/tools"
)

// NewWorld returns the baselines' view of a plan's data directory. If a run limits retrieval by venue, it lists the papers of the
// venues that the questions name.
func NewWorld(ctx context.Context, p Plan) (baselines.World, error) {
	e := p.World
	schema, err := e.Schema(ctx)
	if err != nil {
		return baselines.World{}, err
	}
	world := baselines.World{Library: library{e}, Sources: tools.Sources{Retriever: e, Querier: e, Viewer: e}, Prompts: p.Prompts, Schema: schema}
	if !p.Settings.ByConference {
		return world, nil
	}
	named := make(map[string]bool)
	for _, ex := range p.Examples {
		for _, venue := range ex.Conference {
			named[strings.ToLower(venue)] = true
		}
	}
	world.Venues, err = e.Papers().ByVenue(ctx, func(venue string) bool { return named[venue] })
	return world, err
}

// library reads papers for the baselines that put them into the prompt.
type library struct{ env *env.Env }

// Card returns the metadata of a paper.
func (l library) Card(ctx context.Context, paperID string) (baselines.Card, error) {
	m, err := l.env.Paper(ctx, paperID)
	if errors.Is(err, paperdb.ErrNoPaper) {
		err = &tools.Fault{Kind: "unknown_paper", Text: "paper " + paperID + " is not in the database"}
	}
	return baselines.Card{Title: m.Title, Abstract: m.Abstract}, err
}

// Text returns the pages of a paper in order. Sections would repeat their subsections.
func (l library) Text(ctx context.Context, paperID string) (string, error) {
	pages, err := l.env.PageTexts(ctx, paperID)
	return strings.Join(pages, "\n\n"), err
}
