package eval

import "slices"

// assignment is a maximum bipartite matching of golds and answer elements.
type assignment struct {
	// said has the index of the element paired with each gold, or -1.
	said []int
	// size is the number of pairs.
	size int
}

// assigner searches for augmenting paths (Kuhn). It compares each pair at most once.
type assigner struct {
	fits  func(said, gold int) (bool, error)
	err   error    // the first error of fits
	known [][]int8 // by gold and element: 0 not compared yet, 1 fits, -1 does not
	gold  []int    // by element: the gold it is paired with, or -1
	seen  []bool   // the elements on the path
}

// assign pairs golds with fitting answer elements until there are enough pairs. It tries equal positions first and
// stops at the first error of fits.
func assign(golds, said, enough int, fits func(said, gold int) (bool, error)) (assignment, error) {
	unpaired := slices.Repeat([]int{-1}, said)
	a := assigner{fits: fits, known: make([][]int8, golds), gold: unpaired, seen: make([]bool, said)}
	out := assignment{said: slices.Repeat([]int{-1}, golds)}
	for g := 0; g < golds && out.size < enough && a.err == nil; g++ {
		a.known[g] = make([]int8, said)
		clear(a.seen)
		if a.augment(g) {
			out.size++
		}
	}
	for i, g := range a.gold {
		if g >= 0 {
			out.said[g] = i
		}
	}
	return out, a.err
}

// augment finds an element for gold g, if necessary by moving the gold that has it to another element.
func (a *assigner) augment(g int) bool {
	for n := range a.gold {
		i := (g + n) % len(a.gold)
		if !a.compare(i, g) || a.seen[i] {
			continue
		}
		a.seen[i] = true
		if a.gold[i] < 0 || a.augment(a.gold[i]) {
			a.gold[i] = g
			return true
		}
	}
	return false
}

func (a *assigner) compare(i, g int) bool {
	if a.known[g][i] == 0 && a.err == nil {
		a.known[g][i] = -1
		var fits bool
		if fits, a.err = a.fits(i, g); fits && a.err == nil {
			a.known[g][i] = 1
		}
	}
	return a.known[g][i] > 0
}
