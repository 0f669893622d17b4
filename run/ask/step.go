package ask

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/trace"
)

// actionText describes the action of a step.
func actionText(s qa.Step) string {
	switch {
	case s.Action == nil && s.ParseError != nil:
		return "reply without an action"
	case s.Action == nil:
		return "reply"
	case s.Action.Name == "Answer":
		return "Answer"
	}
	if sql, ok := s.Action.Args["sql"].(string); ok {
		return s.Action.Name + ": " + sql
	}
	return s.Action.Text
}

// resultText describes a result in a line.
func resultText(o qa.Observation) string {
	v := trace.ReadResult(o)
	switch {
	case o.Status == qa.StatusError || o.Status == qa.StatusParse:
		return o.Text
	case len(v.Passages) > 0:
		return passagesText(v.Passages)
	case v.Table != nil:
		var cells []string
		for _, c := range v.Table.Rows[0] {
			if !qa.IsUUID(c.Text) || len(v.Table.Rows[0]) == 1 {
				cells = append(cells, c.Text)
			}
		}
		return terminal.Plural(len(v.Table.Rows), "row") + ": " + strings.Join(cells, " | ")
	case len(v.Images) > 0:
		return fmt.Sprintf("image of page %d, %d x %d pixels", v.Images[0].Page, v.Images[0].Width, v.Images[0].Height)
	}
	return v.Text
}

// passagesText is "5 passages on pages 3, 5, 7", of one paper, or "5 passages of 2 papers".
func passagesText(list []trace.Passage) string {
	var papers, pages []string
	n := 0
	for _, p := range list {
		if p.Hidden {
			continue
		}
		n++
		if !slices.Contains(papers, p.Paper) {
			papers = append(papers, p.Paper)
		}
		if page := fmt.Sprint(p.Page); p.Page > 0 && !slices.Contains(pages, page) {
			pages = append(pages, page)
		}
	}
	text := terminal.Plural(n, "passage")
	switch {
	case len(papers) > 1:
		return text + " of " + terminal.Plural(len(papers), "paper")
	case len(pages) == 1:
		return text + " on page " + pages[0]
	case len(pages) > 1:
		return text + " on pages " + strings.Join(pages, ", ")
	}
	return text
}
