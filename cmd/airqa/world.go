package main

import (
	"context"
	"strings"

	"airqa/baselines"
	"airqa/env"
)

// worldOf is a data directory as the baselines see it.
func worldOf(ctx context.Context, e *env.Env) (baselines.World, error) {
	schema, err := e.Schema(ctx)
	if err != nil {
		return baselines.World{}, err
	}
	return baselines.World{Library: library{e}, Retriever: e, Querier: e, Viewer: e, Schema: schema}, nil
}

// library reads papers for the baselines that put them into the prompt.
type library struct{ env *env.Env }

// Card implements baselines.Library.
func (l library) Card(ctx context.Context, paperID string) (baselines.Card, error) {
	m, err := l.env.Paper(ctx, paperID)
	return baselines.Card{Title: m.Title, Abstract: m.Abstract}, err
}

// Text implements baselines.Library: the sections with their titles, or the pages of a paper that has none.
func (l library) Text(ctx context.Context, paperID string) (string, error) {
	sections, err := l.env.Sections(ctx, paperID)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, s := range sections {
		parts = append(parts, strings.TrimSpace(s.Title+"\n"+s.Content))
	}
	if len(parts) == 0 {
		if parts, err = l.env.PageTexts(ctx, paperID); err != nil {
			return "", err
		}
	}
	return strings.Join(parts, "\n\n"), nil
}
