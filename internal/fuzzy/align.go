package fuzzy

import (
	"math/bits"
	"slices"
)

// block is a run of n equal characters, from a in the first text and from b in the second.
type block struct{ a, b, n int }

// Limits above which the alignment is split in two, because its table would be too large. They are RapidFuzz's: the
// size of the table in bytes, and the lengths below which it is never split.
const (
	splitBytes = 1 << 20
	splitA     = 65
	splitB     = 10
)

type position struct{ a, b int }

// aligner collects the runs of equal characters in a minimal edit alignment of two texts, in order. Of several such alignments
// it takes RapidFuzz's, because the scores depend on it.
type aligner[C char] struct {
	found []block
}

// match records n equal characters at a of the first text and b of the second.
func (al *aligner[C]) match(a, b, n int) {
	if n == 0 {
		return
	}
	if k := len(al.found) - 1; k >= 0 {
		if last := al.found[k]; last.a+last.n == a && last.b+last.n == b {
			al.found[k].n += n
			return
		}
	}
	al.found = append(al.found, block{a, b, n})
}

// align appends the matches of a and b, which begin at the position at; limit is the maximum distance.
func (al *aligner[C]) align(a, b []C, at position, limit int) {
	a, b, prefix, suffix := trimCommon(a, b)
	al.match(at.a, at.b, prefix)
	at.a, at.b = at.a+prefix, at.b+prefix
	limit = min(limit, max(len(a), len(b)))
	band := min(len(a), 2*limit+1)
	if 2*band*len(b)/8 < splitBytes || len(a) < splitA || len(b) < splitB {
		al.trace(a, b, at)
	} else {
		// Split b in the middle, and a where the total distance is minimal, as early as possible but not at 0.
		half, cut := len(b)/2, 1
		left, right := scoresOf(a, b[:half]), scoresOf(reversed(a), reversed(b[half:]))
		for i := 2; i <= len(a); i++ {
			if left[i]+right[len(a)-i] < left[cut]+right[len(a)-cut] {
				cut = i
			}
		}
		al.align(a[:cut], b[:half], at, left[cut])
		al.align(a[cut:], b[half:], position{at.a + cut, at.b + half}, right[len(a)-cut])
	}
	al.match(at.a+len(a), at.b+len(b), suffix)
}

// trace appends the matches by backtracking through the full table.
func (al *aligner[C]) trace(a, b []C, at position) {
	if len(a) == 0 || len(b) == 0 {
		return
	}
	s := newSteps(a)
	// For each character of b, the positions in a where the distance rises or falls, as bit sets (Hyyrö, "A bit-vector algorithm
	// for computing Levenshtein and Damerau edit distances", 2003).
	words := len(s.up)
	rise, fall := make([]uint64, len(b)*words), make([]uint64, len(b)*words)
	has := func(set []uint64, row, col int) bool { return set[row*words+col/64]>>(col%64)&1 == 1 }
	for i, c := range b {
		s.step(c)
		copy(rise[i*words:], s.up)
		copy(fall[i*words:], s.down)
	}
	var matches []block
	col, row := len(a), len(b)
	for row > 0 && col > 0 {
		if has(rise, row-1, col-1) {
			col--
			continue
		}
		row--
		if row > 0 && has(fall, row-1, col-1) {
			continue
		}
		col--
		if a[col] == b[row] {
			matches = append(matches, block{col, row, 1})
		}
	}
	for _, m := range slices.Backward(matches) {
		al.match(at.a+m.a, at.b+m.b, 1)
	}
}

// steps computes the sets of [aligner.trace] row by row.
type steps[C char] struct {
	p        pattern[C]
	up, down []uint64
}

func newSteps[C char](a []C) *steps[C] {
	p := patternIn(nil, a)
	return &steps[C]{p: p, up: slices.Repeat([]uint64{^uint64(0)}, p.words), down: make([]uint64, p.words)}
}

// step computes the row of the next character of the second text.
func (s *steps[C]) step(c C) {
	positions := s.p.positions(c)
	upCarry, downCarry := uint64(1), uint64(0)
	for i := range s.up {
		match := uint64(0)
		if positions != nil {
			match = positions[i]
		}
		up, down := s.up[i], s.down[i]
		x := match | downCarry
		diagonal := ((x & up) + up) ^ up | x | down
		right := down | ^(diagonal | up)
		left := diagonal & up
		right, upCarry = right<<1|upCarry, right>>63
		left, downCarry = left<<1|downCarry, left>>63
		s.up[i] = left | ^(diagonal | right)
		s.down[i] = right & diagonal
	}
}

// scoresOf returns the distance of every prefix of a, from the empty one on, to b.
func scoresOf[C char](a, b []C) []int {
	s := newSteps(a)
	for _, c := range b {
		s.step(c)
	}
	out := make([]int, len(a)+1)
	out[0] = len(b)
	for i := range a {
		bit := uint64(1) << (i % 64)
		out[i+1] = out[i] + bits.OnesCount64(s.up[i/64]&bit) - bits.OnesCount64(s.down[i/64]&bit)
	}
	return out
}

func reversed[C char](s []C) []C {
	out := slices.Clone(s)
	slices.Reverse(out)
	return out
}
