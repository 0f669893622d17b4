package concurrent_test

import (
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/concurrent"
)

// numbers yields 0 to n-1, and then err unless it is nil.
func numbers(n int, err error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

func TestMap(t *testing.T) {
	broken := errors.New("broken")
	for name, end := range map[string]error{"whole": nil, "broken": broken} {
		t.Run(name, func(t *testing.T) {
			var got []int
			var last error
			slow := func(i int) int {
				time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond) //nolint:gosec // any order will do
				return 2 * i
			}
			for v, err := range concurrent.Map(numbers(500, end), slow) {
				if last = err; err == nil {
					got = append(got, v)
				}
			}
			var want []int
			for i := range 500 {
				want = append(want, 2*i)
			}
			if !slices.Equal(got, want) || !errors.Is(last, end) {
				t.Errorf("error %v, values %s", last, cmp.Diff(want, got))
			}
		})
	}
}

// A consumer that stops ends the work soon, and none is left running.
func TestMapStops(t *testing.T) {
	var begun, ended atomic.Int64
	work := func(i int) int {
		begun.Add(1)
		defer ended.Add(1)
		return i
	}
	for v, err := range concurrent.Map(numbers(1_000_000, nil), work) {
		if err != nil || v == 10 {
			break
		}
	}
	if begun.Load() != ended.Load() || begun.Load() > 1000 {
		t.Errorf("%d begun, %d ended", begun.Load(), ended.Load())
	}
}
