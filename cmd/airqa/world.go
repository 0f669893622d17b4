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

// Text implements baselines.Library: the pages in order. Sections would repeat what their subsections say.
func (l library) Text(ctx context.Context, paperID string) (string, error) {
	pages, err := l.env.PageTexts(ctx, paperID)
	return strings.Join(pages, "\n\n"), err
}
