package qasper

import (
	"slices"
	"testing"
)

// Computed with CPython 3.11: random.seed(31045), then random.choice.
func TestTwister(t *testing.T) {
	random := newTwister(ScriptSeed)
	var got []int
	for _, n := range []int{9, 9, 9, 9, 5, 17, 100, 1, 64, 3} {
		got = append(got, random.below(n))
	}
	if want := []int{4, 2, 5, 3, 2, 5, 11, 0, 39, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
