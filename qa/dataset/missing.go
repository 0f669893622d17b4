package dataset

import (
	"slices"

	"airqa/qa"
)

// Missing is what questions need and a data directory does not hold.
type Missing struct {
	// Papers are the uuids of missing papers, Collections the venues to search of which no paper is there; both are in the
	// order of the questions, without repeats.
	Papers, Collections []string
	// Named and Searched are the uuids of the questions that name such a paper, or search such a collection.
	Named, Searched []string
}

// FindMissing compares questions with the papers of a data directory: venues maps a venue-year to the uuids of its papers.
func FindMissing(examples []qa.Example, venues map[string][]string) Missing {
	held := make(map[string]bool)
	for _, ids := range venues {
		for _, id := range ids {
			held[id] = true
		}
	}
	var m Missing
	for _, ex := range examples {
		if lacks(&m.Papers, ex.Papers(), func(id string) bool { return held[id] }) {
			m.Named = append(m.Named, ex.UUID)
		}
		if lacks(&m.Collections, ex.Conference, func(name string) bool { return len(venues[qa.VenueYear(name, 0)]) > 0 }) {
			m.Searched = append(m.Searched, ex.UUID)
		}
	}
	return m
}

// lacks adds to list what is not held, and reports whether there was any.
func lacks(list *[]string, wanted []string, held func(string) bool) bool {
	found := false
	for _, name := range wanted {
		if held(name) {
			continue
		}
		found = true
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	return found
}

// Any reports whether anything is missing.
func (m Missing) Any() bool { return len(m.Named)+len(m.Searched) > 0 }

// Without returns the examples that lack nothing.
func (m Missing) Without(examples []qa.Example) []qa.Example {
	lacking := make(map[string]bool)
	for _, uuid := range slices.Concat(m.Named, m.Searched) {
		lacking[uuid] = true
	}
	return keep(examples, func(ex qa.Example) bool { return !lacking[ex.UUID] })
}
