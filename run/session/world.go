package session

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"airqa/baselines"
	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/qa"
	"airqa/tools"
)

// NewWorld returns the baselines' view of a data directory. It lists the papers by venue only if a run limits retrieval
// by venue.
func NewWorld(ctx context.Context, e *env.Env, byConference bool) (baselines.World, error) {
	schema, err := e.Schema(ctx)
	if err != nil {
		return baselines.World{}, err
	}
	world := baselines.World{Library: library{e}, Sources: tools.Sources{Retriever: e, Querier: e, Viewer: e}, Schema: schema}
	if byConference {
		world.Venues, err = VenuesOf(ctx, e)
	}
	return world, err
}

// VenuesOf lists the papers of a data directory by venue-year.
func VenuesOf(ctx context.Context, e *env.Env) (map[string][]string, error) {
	papers, err := e.Papers(ctx)
	return byVenue(papers), err
}

// VenuesIn is VenuesOf for the directory at path, which may be missing or unfinished and needs no search index.
func VenuesIn(ctx context.Context, path string) (map[string][]string, error) {
	held, err := env.Holdings(ctx, path)
	if errors.Is(err, datadir.ErrNotDataDir) || errors.Is(err, datadir.ErrUnfinished) || errors.Is(err, fs.ErrNotExist) {
		return map[string][]string{}, nil
	}
	papers := make([]paperdb.Metadata, len(held))
	for i, h := range held {
		papers[i] = h.Metadata
	}
	return byVenue(papers), err
}

func byVenue(papers []paperdb.Metadata) map[string][]string {
	venues := make(map[string][]string)
	for _, p := range papers {
		venue := qa.VenueYear(p.Conference, p.Year)
		venues[venue] = append(venues[venue], p.PaperID)
	}
	return venues
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
