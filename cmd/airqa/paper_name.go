package main

import (
	"fmt"
	"strings"

	"airqa/env"
	"airqa/internal/terminal"
)

// mostCandidates bounds the list of papers that an ambiguous name matches.
const mostCandidates = 5

// onePaper finds the paper of the data directory dir that name stands for.
func onePaper(list []env.Holding, dir, name string) (env.Holding, error) {
	found := env.FindPapers(list, name)
	switch {
	case len(found) == 0 || strings.TrimSpace(name) == "":
		return env.Holding{}, noPaper(dir, name)
	case len(found) == 1:
		return found[0], nil
	}
	var b strings.Builder
	for i, h := range found {
		if i == mostCandidates {
			fmt.Fprintf(&b, "\n  and %d more", len(found)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s", h.PaperID, terminal.Clip(h.Title, widest))
	}
	return env.Holding{}, fmt.Errorf("%q matches %d papers in %s:%s", name, len(found), dir, b.String())
}

func noPaper(dir, name string) error {
	return fmt.Errorf("no paper %q in %s; airqa papers --data %s lists them", name, dir, dir)
}
