package flat

import (
	"maps"
	"slices"

	"airqa/env/vectors"
)

// matcher is a filter made ready for many records.
type matcher struct {
	vectors.Filter
	papers map[string]bool
}

func newMatcher(f vectors.Filter) matcher {
	papers := make(map[string]bool, len(f.Papers))
	for _, p := range f.Papers {
		papers[p] = true
	}
	f.Papers = slices.Sorted(maps.Keys(papers))
	return matcher{Filter: f, papers: papers}
}

func (m matcher) match(o vectors.Origin) bool {
	if len(m.papers) > 0 && !m.papers[o.PaperID] {
		return false
	}
	rest := vectors.Filter{Table: m.Table, Column: m.Column, Page: m.Page}
	return rest.Match(o)
}
