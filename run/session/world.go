package session

import (
	"context"
	"errors"
	"slices"
	"strings"

	"airqa/baselines"
	"airqa/env"
	"airqa/env/paperdb"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/tools"
)

// NewWorld returns the baselines' view of a plan's data directory. If the scope limits retrieval by venue, it lists the papers of
// the venues that the questions name.
func NewWorld(ctx context.Context, p Plan) (baselines.World, error) {
	e := p.World
	schema, err := e.Schema(ctx)
	if err != nil {
		return baselines.World{}, err
	}
	world := baselines.World{Library: library{e}, Sources: tools.Sources{Retriever: e, Querier: e, Viewer: e}, Prompts: p.Prompts, Schema: schema}
	if p.Settings.Scope != qa.ScopeConference {
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

// OpenWorld is [NewWorld] for a plan. It notes the papers of gold answers and the papers that Retrieve cannot reach, and informs
// the user of questions that need these.
func (s Session) OpenWorld(ctx context.Context, p *Plan) (baselines.World, error) {
	world, err := NewWorld(ctx, *p)
	if err != nil {
		return world, err
	}
	if p.Note.GoldPapers, err = env.GoldPapers(ctx, p.World, p.Examples); err != nil {
		return world, err
	}
	if p.Note.OutOfScope, err = outOfScope(ctx, world, *p); err != nil {
		return world, err
	}
	inScope := func(ex qa.Example) bool { return p.Note.OutOfScope[ex.UUID] == nil }
	if others := slices.DeleteFunc(slices.Clone(p.Picked), inScope); len(others) > 0 {
		s.Notify.Notef("gold papers of %d of %s are outside the scope of Retrieve (--scope %s); --scope all reaches them",
			len(others), terminal.Plural(len(p.Picked), "question"), p.Settings.Scope)
	}
	return world, nil
}

// outOfScope returns the gold papers in the data directory that Retrieve cannot reach, by question; none if no job retrieves.
func outOfScope(ctx context.Context, world baselines.World, p Plan) (map[string][]string, error) {
	at := slices.IndexFunc(p.Jobs, func(j Job) bool { return j.Baseline.Searches() })
	if at < 0 || p.Settings.Scope == qa.ScopeAll {
		return nil, nil
	}
	solver := baselines.New(p.Jobs[at].Baseline, world, nil, p.Settings)
	outside := make(map[string][]string)
	var all []string
	for _, ex := range p.Examples {
		outside[ex.UUID] = solver.OutOfScope(ex, slices.Concat(ex.Papers(), p.Note.GoldPapers[ex.UUID]))
		all = append(all, outside[ex.UUID]...)
	}
	known, err := p.World.Papers().Known(ctx, all)
	for uuid, papers := range outside {
		papers = slices.DeleteFunc(papers, func(id string) bool { return !known[strings.ToLower(id)] })
		if outside[uuid] = papers; len(papers) == 0 {
			delete(outside, uuid)
		}
	}
	return outside, err
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
