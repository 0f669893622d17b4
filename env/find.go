package env

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/fuzzy"
	"airqa/internal/terminal"
)

// FindPapers returns the papers of the data directory dir that match name: the one with that UUID; otherwise those with that file
// name (with or without folder and extension) or title; otherwise those whose UUID begins with name or whose file name or title
// contains it. Case and the width of spaces do not matter. When there is none, the error names papers with a similar name.
func FindPapers(list []Holding, dir, name string) ([]Holding, error) {
	want := folded(name)
	file := strings.TrimSuffix(filepath.Base(want), ".pdf")
	for _, is := range []func(h Holding) bool{
		func(h Holding) bool { return h.PaperID == want },
		func(h Holding) bool { return stem(h) == file || folded(h.Title) == want },
		func(h Holding) bool {
			return begins(h, want) || strings.Contains(folded(h.File.Name), want) || strings.Contains(folded(h.Title), want)
		},
	} {
		if found := filtered(list, is); len(found) > 0 && want != "" {
			return found, nil
		}
	}
	err := fmt.Errorf("no paper %q in %s; airqa papers --data %s lists them", name, dir, dir)
	if near := similar(list, want); len(near) > 0 {
		err = fmt.Errorf("%w. Similar names:%s", err, named(near))
	}
	return nil, err
}

// FindPaper returns the one paper that name stands for: the only one that [FindPapers] returns, or the only one of these whose UUID,
// file name or title begins with name. When there are several, the error lists them.
func FindPaper(list []Holding, dir, name string) (Holding, error) {
	found, err := FindPapers(list, dir, name)
	if err != nil {
		return Holding{}, err
	}
	if first := filtered(found, func(h Holding) bool { return begins(h, folded(name)) }); len(first) == 1 {
		found = first
	}
	if len(found) > 1 {
		return Holding{}, fmt.Errorf("%q matches %d papers in %s:%s", name, len(found), dir, named(found))
	}
	return found[0], nil
}

func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// stem is the file name of a paper without its extension.
func stem(h Holding) string { return strings.TrimSuffix(folded(h.File.Name), ".pdf") }

func begins(h Holding, want string) bool {
	return strings.HasPrefix(h.PaperID, want) || strings.HasPrefix(folded(h.File.Name), want) || strings.HasPrefix(folded(h.Title), want)
}

func filtered(list []Holding, keep func(Holding) bool) []Holding {
	return slices.DeleteFunc(slices.Clone(list), func(h Holding) bool { return !keep(h) })
}

// maxNamed is the maximum number of papers that an error lists, and leastSimilar the score from which a name is similar.
const (
	maxNamed     = 5
	leastSimilar = 75
)

// similar returns papers with a name like want, the most similar one first.
func similar(list []Holding, want string) []Holding {
	score := func(h Holding) int {
		return max(fuzzy.Ratio(h.PaperID[:min(len(want), len(h.PaperID))], want), fuzzy.UWRatio(stem(h), want), fuzzy.UWRatio(h.Title, want))
	}
	near := filtered(list, func(h Holding) bool { return want != "" && score(h) >= leastSimilar })
	slices.SortStableFunc(near, func(a, b Holding) int { return score(b) - score(a) })
	return near
}

// named lists papers, one to a line.
func named(list []Holding) string {
	const titleWidth = 60
	var b strings.Builder
	for i, h := range list {
		if i == maxNamed {
			fmt.Fprintf(&b, "\n  and %d more", len(list)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s", h.PaperID, terminal.Clip(h.Title, titleWidth))
	}
	return b.String()
}
