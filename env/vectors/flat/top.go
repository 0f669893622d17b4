package flat

import "slices"

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
	if t.cell != nil {
		if i, ok := t.at[t.cell(x)]; ok {
			if t.compare(x, t.items[i]) < 0 {
				t.items[i] = x
				t.down(i)
			}
			return
		}
	}
	if t.full() {
		if t.cell != nil {
			delete(t.at, t.cell(t.items[0]))
		}
		t.set(0, x)
		t.down(0)
		return
	}
	t.items = append(t.items, x)
	t.set(len(t.items)-1, x)
	t.up(len(t.items) - 1)
}

func (t *top[T]) set(i int, x T) {
	t.items[i] = x
	if t.cell != nil {
		t.at[t.cell(x)] = i
	}
}

func (t *top[T]) swap(i, j int) {
	x := t.items[i]
	t.set(i, t.items[j])
	t.set(j, x)
}

func (t *top[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if t.compare(t.items[i], t.items[parent]) <= 0 {
			return
		}
		t.swap(i, parent)
		i = parent
	}
}

func (t *top[T]) down(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.items); child++ {
			if t.compare(t.items[child], t.items[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.swap(i, worst)
		i = worst
	}
}

// sorted returns the items, best first. No item may be offered afterwards.
func (t *top[T]) sorted() []T {
	slices.SortFunc(t.items, t.compare)
	return t.items
}
