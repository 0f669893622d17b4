package dataset

import (
	"slices"

	"airqa/qa"
)

// Missing lists papers and collections that questions need but a data directory lacks.
type Missing struct {
	// Papers are the UUIDs of missing papers, Collections the venues to search without any paper; both are in the order
	// of the questions, without duplicates.
	Papers, Collections []string
	// Named and Searched are the UUIDs of the questions that name such a paper, or search such a collection.
	Named, Searched []string
}

// Held are the papers and the venue-years of a data directory: at least those that questions name. The zero value is an empty
// directory.
type Held struct{ Papers, Venues map[string]bool }

// FindMissing compares questions with the papers of a data directory.
func FindMissing(examples []qa.Example, held Held) Missing {
	var m Missing
	for _, ex := range examples {
		if lacks(&m.Papers, ex.Papers(), func(id string) bool { return held.Papers[id] }) {
			m.Named = append(m.Named, ex.UUID)
		}
		if lacks(&m.Collections, ex.Conference, func(name string) bool { return held.Venues[qa.VenueYear(name, 0)] }) {
			m.Searched = append(m.Searched, ex.UUID)
		}
	}
	return m
}

// lacks adds the missing elements of wanted to list and reports whether there were any.
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
