package importer

import (
	"fmt"
	"maps"
	"slices"
)

// Losses counts what has no place in a run directory, by description.
type Losses map[string]int

// Add counts one loss. A nil l counts nothing.
func (l Losses) Add(what string) {
	if l != nil {
		l[what]++
	}
}

// List returns the losses as lines, sorted.
func (l Losses) List() []string {
	var list []string
	for _, what := range slices.Sorted(maps.Keys(l)) {
		list = append(list, fmt.Sprintf("%s: %d", what, l[what]))
	}
	return list
}
