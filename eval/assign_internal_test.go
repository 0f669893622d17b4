package eval

import (
	"errors"
	"testing"
)

// TestAssignStops checks that pairing stops once enough golds are paired.
func TestAssignStops(t *testing.T) {
	compared := 0
	a, err := assign(3, 3, 2, func(said, gold int) (bool, error) {
		compared++
		return said == gold, nil
	})
	if err != nil || a.size != 2 || compared != 2 {
		t.Errorf("%d paired after %d comparisons (%v), want 2 after 2", a.size, compared, err)
	}
}

// TestAssignFails checks that an error of any comparison ends the pairing, and that no pair is compared twice. Every
// second gold fits the first elements only, so that pairs are moved.
func TestAssignFails(t *testing.T) {
	const n = 6
	broken := errors.New("broken")
	run := func(failing int) (compared int, err error) {
		seen := map[[2]int]bool{}
		_, err = assign(n, n, n, func(said, gold int) (bool, error) {
			if compared++; compared == failing {
				return true, broken
			}
			if pair := [2]int{said, gold}; seen[pair] {
				t.Errorf("element %d and gold %d are compared twice", said, gold)
			} else {
				seen[pair] = true
			}
			return said+gold < n, nil
		})
		return compared, err
	}
	all, err := run(0)
	if err != nil || all < 2*n {
		t.Fatalf("%d comparisons, %v", all, err)
	}
	for failing := 1; failing <= all; failing++ {
		if compared, err := run(failing); !errors.Is(err, broken) || compared != failing {
			t.Errorf("comparison %d of %d fails: %v after %d", failing, all, err, compared)
		}
	}
}
