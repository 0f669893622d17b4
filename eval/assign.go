package eval

// assignment is a maximum bipartite matching of golds and answer elements.
type assignment struct {
	// said has the index of the element paired with each gold, or -1.
	said []int
	// size is the number of pairs.
	size int
}

// assign pairs golds with fitting answer elements until there are enough pairs, by augmenting paths (Kuhn). It tries
// equal positions first, compares each pair at most once, and stops at the first error of fits.
func assign(golds, said, enough int, fits func(said, gold int) (bool, error)) (out assignment, err error) {
	known := make([][]int8, golds) // by gold and element: 0 not compared yet, 1 fits, -1 does not
	compare := func(i, g int) bool {
		if known[g][i] == 0 && err == nil {
			known[g][i] = -1
			var fit bool
			if fit, err = fits(i, g); fit && err == nil {
				known[g][i] = 1
			}
		}
		return known[g][i] > 0
	}
	paired := make([]int, said) // by element: the gold it is paired with, or -1
	for i := range paired {
		paired[i] = -1
	}
	seen := make([]bool, said) // the elements on the path
	// augment finds an element for gold g, if necessary by moving the gold that has it to another element.
	var augment func(g int) bool
	augment = func(g int) bool {
		for n := range paired {
			i := (g + n) % said
			if !compare(i, g) || seen[i] {
				continue
			}
			seen[i] = true
			if paired[i] < 0 || augment(paired[i]) {
				paired[i] = g
				return true
			}
		}
		return false
	}
	out.said = make([]int, golds)
	for g := range golds {
		out.said[g] = -1
		if out.size >= enough || err != nil {
			continue
		}
		known[g] = make([]int8, said)
		clear(seen)
		if augment(g) {
			out.size++
		}
	}
	for i, g := range paired {
		if g >= 0 {
			out.said[g] = i
		}
	}
	return out, err
}
