package main

import (
	"fmt"
	"strings"

	"airqa/env"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/tools"
)

type searchCmd struct {
	dataFlags
	Retrieve env.Mode `default:"dense" enum:"dense,bm25,hybrid" help:"How Retrieve searches: dense (paper), bm25 or hybrid."`
	Limit    int      `default:"5" help:"Maximum number of passages."`
	Paper    []string `placeholder:"PAPER" help:"Search only this paper: uuid or a prefix of it, file name, or part of the title. Repeatable."`
	jsonFlag
	Text []string `arg:"" name:"text" help:"Query (- for standard input)."`
}

// foundPassage is a passage with the number of tokens of the query that were used; 0 for all of them.
type foundPassage struct {
	tools.Hit
	Query int `json:"query_tokens_used,omitempty"`
}

func (c searchCmd) Run(a *app) error {
	text, err := a.text(strings.Join(c.Text, " "))
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return qa.Usagef("the text to search for is empty")
	}
	if c.Limit < 1 {
		return qa.Usagef("--limit %d: must be at least 1", c.Limit)
	}
	world, err := c.open(a, env.Config{Mode: c.Retrieve})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	scope, err := c.scope(a, world)
	if err != nil {
		return err
	}
	hits, err := world.Retrieve(a.ctx, text, c.Limit, scope)
	if err != nil {
		return asFault(err)
	}
	titles, err := world.Papers().Titles(a.ctx, qa.Map(hits, func(h tools.Hit) string { return h.PDFID }))
	if err != nil {
		return err
	}
	if len(hits) == 0 {
		a.say("no passage matches")
	}
	read := world.PartRead(text)
	if read > 0 {
		a.say("%s", tools.PartReadNote(read))
	}
	found := qa.Map(hits, func(h tools.Hit) foundPassage { return foundPassage{h, read} })
	n := 0
	return printEach(a, c.JSON, found, func(h foundPassage) string {
		n++
		return fmt.Sprintf("%d. score %.4f, paper %s, page %d (%s.%s): %s\n   %s\n", n, h.Score, h.PDFID, h.PageNumber,
			h.TableName, h.ColumnName, terminal.Clip(titles[h.PDFID], 60), terminal.Clip(h.Text, 500))
	})
}

func (c searchCmd) scope(a *app, world *env.Env) (scope tools.Scope, err error) {
	for _, name := range c.Paper {
		p, err := world.Papers().FindOne(a.ctx, name)
		if err != nil {
			return scope, err
		}
		scope.Papers = append(scope.Papers, p.PaperID)
	}
	return scope, nil
}
