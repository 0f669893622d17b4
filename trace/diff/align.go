package diff

import (
	"math/bits"
	"slices"
)

// match is a pair of indexes of equal keys.
type match struct{ a, b int }

// longestSide limits the memory of one alignment: its matrix has a bit for each pair of steps. Longer trajectories are
// aligned part by part.
const longestSide = 1 << 15

// align returns a longest common subsequence of two lists that begins with their common prefix: as long as the actions
// are equal, the trajectories have not diverged. align(b, a) is align(a, b) with the sides swapped.
func align(a, b []string) []match {
	var found []match
	for len(found) < min(len(a), len(b)) && a[len(found)] == b[len(found)] {
		found = append(found, match{len(found), len(found)})
	}
	i, j := len(found), len(found)
	if i == len(a) || j == len(b) {
		return found
	}
	if a[i] > b[j] { // several alignments may be equally long: choose the same one from either side
		for _, m := range parts(b[j:], a[i:]) {
			found = append(found, match{i + m.b, j + m.a})
		}
		return found
	}
	for _, m := range parts(a[i:], b[j:]) {
		found = append(found, match{i + m.a, j + m.b})
	}
	return found
}

// parts aligns lists of any length. A part ends with its last match.
func parts(a, b []string) []match {
	var found []match
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i:min(i+longestSide, len(a))], b[j:min(j+longestSide, len(b))]
		n, m := len(x), len(y)
		part := common(x, y)
		if len(part) > 0 && (i+n < len(a) || j+m < len(b)) {
			last := part[len(part)-1]
			n, m = last.a+1, last.b+1
		}
		for _, p := range part {
			found = append(found, match{i + p.a, j + p.b})
		}
		i, j = i+n, j+m
	}
	return found
}

// common returns a longest common subsequence. It computes 64 cells of the usual matrix at a time (Hyyrö 2004, "Bit-parallel
// LCS-length computation revisited"), so its time does not depend on how different the lists are. Bit j of row i is
// unset where b[j] makes the subsequence of a[:i+1] and b[:j+1] longer.
func common(a, b []string) []match {
	words := (len(b) + 63) / 64
	places := make(map[string][]uint64) // the positions of each key as a set of bits
	for j, key := range b {
		if places[key] == nil {
			places[key] = make([]uint64, words)
		}
		places[key][j/64] |= 1 << (j % 64)
	}
	last := make([]uint64, words)
	for k := range last {
		last[k] = ^uint64(0)
	}
	rows := make([][]uint64, len(a))
	for i, key := range a {
		at := places[key]
		if at == nil {
			rows[i] = last
			continue
		}
		row, carry := make([]uint64, words), uint64(0)
		for k, v := range last {
			u := v & at[k]
			var sum uint64
			sum, carry = bits.Add64(v, u, carry)
			row[k] = sum | v&^u
		}
		rows[i], last = row, row
	}
	return traced(rows, len(b))
}

// traced reads the matches from the rows, backwards.
func traced(rows [][]uint64, width int) []match {
	longer := func(i, j int) bool { return i >= 0 && rows[i][j/64]>>(j%64)&1 == 0 }
	var found []match
	for i, j := len(rows)-1, width-1; i >= 0 && j >= 0; {
		switch {
		case !longer(i, j):
			j--
		case longer(i-1, j):
			i--
		default:
			found = append(found, match{i, j})
			i, j = i-1, j-1
		}
	}
	slices.Reverse(found)
	return found
}
