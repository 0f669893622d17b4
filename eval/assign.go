package eval

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
	known [][]int8 // by gold and element: 0 not compared yet, 1 fits, -1 does not
	gold  []int    // by element: the gold it is paired with, or -1
	seen  []bool   // the elements on the path
}

// assign pairs golds with fitting answer elements until there are enough pairs. It tries equal positions first and
// stops at the first error of fits.
func assign(golds, said, enough int, fits func(said, gold int) (bool, error)) (assignment, error) {
	a := assigner{fits: fits, known: make([][]int8, golds), gold: make([]int, said), seen: make([]bool, said)}
	for i := range a.gold {
		a.gold[i] = -1
	}
	out := assignment{said: make([]int, golds)}
	for g := range golds {
		if out.size >= enough {
			break
		}
		a.known[g] = make([]int8, said)
		clear(a.seen)
		found, err := a.augment(g)
		if err != nil {
			return out, err
		}
		if found {
			out.size++
		}
	}
	for g := range out.said {
		out.said[g] = -1
	}
	for i, g := range a.gold {
		if g >= 0 {
			out.said[g] = i
		}
	}
	return out, nil
}

// augment finds an element for gold g, if necessary by moving the gold that has it to another element.
func (a *assigner) augment(g int) (bool, error) {
	for n := range a.gold {
		i := (g + n) % len(a.gold)
		fits, err := a.compare(i, g)
		if err != nil {
			return false, err
		}
		if !fits || a.seen[i] {
			continue
		}
		a.seen[i] = true
		free := a.gold[i] < 0
		if !free {
			if free, err = a.augment(a.gold[i]); err != nil {
				return false, err
			}
		}
		if free {
			a.gold[i] = g
			return true, nil
		}
	}
	return false, nil
}

func (a *assigner) compare(i, g int) (bool, error) {
	if a.known[g][i] == 0 {
		fits, err := a.fits(i, g)
		if err != nil {
			return false, err
		}
		a.known[g][i] = -1
		if fits {
			a.known[g][i] = 1
		}
	}
	return a.known[g][i] > 0, nil
}
