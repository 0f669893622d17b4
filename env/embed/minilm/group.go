package minilm

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// group partitions the texts into passes, longest texts first, so that no core starts a long text at the end. Texts are
// neither split nor padded for this.
func group(ids [][]int32, threads int) [][]int {
	// Short texts in one pass of the encoder share the reading of the weights; more rows would not fit the cache.
	const groupPieces = 192
	order := make([]int, len(ids))
	total := 0
	for i := range ids {
		order[i] = i
		total += len(ids[i])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(ids[b]), len(ids[a])) })
	limit := min(groupPieces, (total+threads-1)/threads)
	var out [][]int
	room := 0
	for _, text := range order {
		if n := len(ids[text]); n > room {
			out, room = append(out, nil), limit
		}
		out[len(out)-1] = append(out[len(out)-1], text)
		room -= len(ids[text])
	}
	return out
}

// cores limits how many calls of all its users run at once to its capacity.
type cores chan struct{}

// each calls do for 0 to n-1 on as many goroutines as there are cores and waits for them. Once ctx ends, it starts no
// further calls, and returns ctx's error if any are left.
func (c cores) each(ctx context.Context, n int, do func(int)) (err error) {
	var wait sync.WaitGroup
	for i := 0; i < n && err == nil; i++ {
		if err = ctx.Err(); err == nil {
			c <- struct{}{}
			wait.Go(func() {
				defer func() { <-c }()
				do(i)
			})
		}
	}
	wait.Wait()
	return err
}
