package env

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"airqa/env/paperdb"
	"airqa/internal/fuzzy"
	"airqa/internal/terminal"
)

// matches are the ids of the papers that a name may stand for, in order, the best reason first.
type matches struct {
	id      []string // has this UUID
	full    []string // has this file name or title
	partial []string // contains it, or has a UUID that begins with it
	begin   []string // of all these, those whose UUID, file name or title begins with it
}

// best returns those with the best reason.
func (m matches) best() []string {
	for _, ids := range [][]string{m.id, m.full} {
		if len(ids) > 0 {
			return ids
		}
	}
	return m.partial
}

// Find returns the ids of the papers that match name, in order: the one with that UUID; otherwise those with that file name
// (with or without folder and extension) or title; otherwise those whose UUID begins with name or whose file name or title
// contains it. Case and the width of spaces do not matter. When there is none, the error names papers with a similar name.
func (p *Papers) Find(ctx context.Context, name string) ([]string, error) {
	m, err := p.match(ctx, name)
	return m.best(), err
}

// FindOne returns the one paper that name stands for: the only one that [Papers.Find] returns, or the only one of these whose
// UUID, file name or title begins with name. When there are several, the error lists them. Of the result, only id and title
// are set.
func (p *Papers) FindOne(ctx context.Context, name string) (paperdb.Name, error) {
	m, err := p.match(ctx, name)
	if err != nil {
		return paperdb.Name{}, err
	}
	ids := m.best()
	first := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, begins := slices.BinarySearch(m.begin, id)
		return !begins
	})
	if len(first) == 1 {
		ids = first
	}
	if len(ids) > 1 {
		return paperdb.Name{}, p.ambiguous(ctx, name, "", ids)
	}
	titles, err := p.Titles(ctx, ids)
	return paperdb.Name{PaperID: ids[0], Title: titles[ids[0]]}, err
}

func (p *Papers) ambiguous(ctx context.Context, name, consequence string, ids []string) error {
	named, err := p.named(ctx, ids)
	if err != nil {
		return err
	}
	return fmt.Errorf("%q matches %d papers in %s%s:%s", name, len(ids), p.path, consequence, named)
}

// match compares a name with ids, titles and files. It is an error if none matches.
func (p *Papers) match(ctx context.Context, name string) (m matches, err error) {
	want := folded(name)
	none := fmt.Errorf("no paper %q in %s; airqa papers --data %s lists them", name, p.path, p.path)
	if want == "" {
		return m, none
	}
	m, err = p.search(ctx, want)
	if err != nil || len(m.best()) > 0 {
		return m, err
	}
	near, err := p.similar(ctx, want)
	if err != nil {
		return m, err
	}
	if len(near) == 0 {
		return m, none
	}
	named, err := p.named(ctx, near)
	if err != nil {
		return m, err
	}
	return m, fmt.Errorf("%w. Similar names:%s", none, named)
}

func (p *Papers) search(ctx context.Context, want string) (m matches, err error) {
	if m.partial, err = p.IDsWithPrefix(ctx, want); err != nil {
		return m, err
	}
	m.begin = slices.Clone(m.partial)
	if len(m.partial) > 0 && m.partial[0] == want {
		m.id = m.partial
		return m, nil
	}
	file := strings.TrimSuffix(filepath.Base(want), ".pdf")
	for n, err := range p.Names(ctx, caseless(want), caseless(file)) {
		if err != nil {
			return m, err
		}
		m.add(n, want, file)
	}
	for _, ids := range []*[]string{&m.full, &m.partial, &m.begin} {
		slices.Sort(*ids)
		*ids = slices.Compact(*ids)
	}
	return m, nil
}

// add adds the paper of a name that matches want, or the file name without extension, file.
func (m *matches) add(n paperdb.Name, want, file string) {
	text := folded(n.Title + n.File) // one of them is empty
	if n.File != "" && stem(n) == file || n.File == "" && text == want {
		m.full = append(m.full, n.PaperID)
	}
	if strings.Contains(text, want) {
		m.partial = append(m.partial, n.PaperID)
	}
	if strings.HasPrefix(text, want) {
		m.begin = append(m.begin, n.PaperID)
	}
}

// folded is a name in lower case, with single spaces.
func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// caseless returns the longest part of a folded text that all names with this text contain in lower case, however the database
// engine writes other letters in lower case.
func caseless(folded string) (longest string) {
	for part := range strings.FieldsFuncSeq(folded, func(r rune) bool {
		return unicode.IsSpace(r) || r > unicode.MaxASCII && (unicode.SimpleFold(r) != r || unicode.IsMark(r))
	}) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// stem is the file name of a paper without its extension.
func stem(n paperdb.Name) string { return strings.TrimSuffix(folded(n.File), ".pdf") }

// An error lists at most maxNamed papers. A name is similar from the score leastSimilar on, of the maxSimilar names that share
// most with the wanted one.
const (
	maxNamed     = 5
	leastSimilar = 75
	maxSimilar   = 500
)

// similar returns the papers with a name like want, the most similar one first.
func (p *Papers) similar(ctx context.Context, want string) ([]string, error) {
	like, err := p.NamesLike(ctx, want, maxSimilar)
	scores := make(map[string]int)
	for _, n := range like {
		score := max(fuzzy.Ratio(n.PaperID[:min(len(want), len(n.PaperID))], want), fuzzy.UWRatio(stem(n), want), fuzzy.UWRatio(n.Title, want))
		if score >= leastSimilar {
			scores[n.PaperID] = max(scores[n.PaperID], score)
		}
	}
	ids := slices.Sorted(maps.Keys(scores))
	slices.SortStableFunc(ids, func(a, b string) int { return scores[b] - scores[a] })
	return ids, err
}

// named lists papers, one to a line.
func (p *Papers) named(ctx context.Context, ids []string) (string, error) {
	const titleWidth = 60
	shown := ids[:min(len(ids), maxNamed)]
	titles, err := p.Titles(ctx, shown)
	var b strings.Builder
	for _, id := range shown {
		fmt.Fprintf(&b, "\n  %s  %s", id, terminal.Clip(titles[id], titleWidth))
	}
	if more := len(ids) - len(shown); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String(), err
}
