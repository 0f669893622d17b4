package minilm

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// groupPieces is about how many pieces go through the encoder together. Short texts share the reading of the weights;
// more rows than these would leave the cache.
const groupPieces = 192

// group puts texts together that one core embeds in one pass, longest texts first so that no core gets a long one at
// the end. A text is never cut or padded for it.
func group(ids [][]int32, threads int) [][]int {
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

// each calls do for 0 to n-1 on up to the given number of goroutines and waits for them. When ctx ends it starts no
// further call, and returns ctx's error if calls are left.
func each(ctx context.Context, threads, n int, do func(int)) error {
	var next, done atomic.Int64
	var wait sync.WaitGroup
	for range min(threads, n) {
		wait.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
				done.Add(1)
			}
		})
	}
	wait.Wait()
	if int(done.Load()) == n {
		return nil
	}
	return ctx.Err()
}
