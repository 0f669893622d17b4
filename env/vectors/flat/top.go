package flat

import (
	"container/heap"
	"slices"
)

// top keeps the k best items, at most one per cell, in a heap with the worst item at the root.
type top[T any] struct {
	k       int
	items   []T
	compare func(a, b T) int // negative when a is better
	cell    func(T) uint32   // nil when every item has its own cell
	at      map[uint32]int   // heap index of each cell's item
}

// newTop returns an empty heap; cell may be nil.
func newTop[T any](k int, compare func(a, b T) int, cell func(T) uint32) *top[T] {
	t := &top[T]{k: k, compare: compare, cell: cell}
	if cell != nil {
		t.at = make(map[uint32]int)
	}
	return t
}

// full reports whether an item must be better than the worst one to be kept.
func (t *top[T]) full() bool { return len(t.items) == t.k }

func (t *top[T]) worst() T { return t.items[0] }

func (t *top[T]) offer(x T) {
	if t.full() && t.compare(x, t.items[0]) >= 0 {
		return
	}
	i, known := 0, false
	if t.cell != nil {
		i, known = t.at[t.cell(x)]
	}
	switch {
	case known && t.compare(x, t.items[i]) >= 0:
		return
	case !known && !t.full():
		heap.Push(t, x)
		return
	case !known && t.cell != nil:
		delete(t.at, t.cell(t.items[0]))
	}
	t.set(i, x)
	heap.Fix(t, i)
}

// sorted returns the items, best first. No item may be offered afterwards.
func (t *top[T]) sorted() []T {
	slices.SortFunc(t.items, t.compare)
	return t.items
}

func (t *top[T]) set(i int, x T) {
	t.items[i] = x
	if t.cell != nil {
		t.at[t.cell(x)] = i
	}
}

// These methods are for package heap.

func (t *top[T]) Len() int           { return len(t.items) }
func (t *top[T]) Less(i, j int) bool { return t.compare(t.items[i], t.items[j]) > 0 }

func (t *top[T]) Swap(i, j int) {
	x := t.items[i]
	t.set(i, t.items[j])
	t.set(j, x)
}

func (t *top[T]) Push(x any) {
	t.items = append(t.items, x.(T))
	t.set(len(t.items)-1, x.(T))
}

func (t *top[T]) Pop() any { panic("an item is replaced, never removed") }
