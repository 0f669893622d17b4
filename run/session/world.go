package session

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"airqa/baselines"
	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/qa"
	"airqa/tools"
)

// NewWorld returns the baselines' view of a data directory. If a run limits retrieval by venue, it lists the papers of the
// venues that the questions name.
func NewWorld(ctx context.Context, e *env.Env, byConference bool, examples []qa.Example) (baselines.World, error) {
	schema, err := e.Schema(ctx)
	if err != nil {
		return baselines.World{}, err
	}
	world := baselines.World{Library: library{e}, Sources: tools.Sources{Retriever: e, Querier: e, Viewer: e}, Schema: schema}
	if !byConference {
		return world, nil
	}
	named := make(map[string]bool)
	for _, ex := range examples {
		for _, venue := range ex.Conference {
			named[strings.ToLower(venue)] = true
		}
	}
	world.Venues, err = byVenue(ctx, e.Papers(), func(venue string) bool { return named[venue] })
	return world, err
}

// VenuesIn lists the papers of the data directory at path by venue-year. The directory may be missing or unfinished, and needs
// no search index.
func VenuesIn(ctx context.Context, path string) (_ map[string][]string, err error) {
	papers, err := env.OpenPapers(ctx, path)
	if errors.Is(err, datadir.ErrNotDataDir) || errors.Is(err, datadir.ErrUnfinished) || errors.Is(err, fs.ErrNotExist) {
		return map[string][]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, papers.Close()) }()
	return byVenue(ctx, papers, func(string) bool { return true })
}

// byVenue lists the papers of some venue-years, in the order of ids.
func byVenue(ctx context.Context, papers *env.Papers, want func(venue string) bool) (map[string][]string, error) {
	all, err := papers.Venues(ctx)
	if err != nil {
		return nil, err
	}
	venues := make(map[string][]string)
	for _, v := range all {
		name := qa.VenueYear(v.Conference, v.Year)
		if !want(name) {
			continue
		}
		ids, err := papers.IDsOf(ctx, v)
		if err != nil {
			return nil, err
		}
		venues[name] = append(venues[name], ids...)
	}
	for _, ids := range venues { // several spellings of a venue have the same name
		slices.Sort(ids)
	}
	return venues, nil
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
