package flat

import "slices"

// top keeps the k best items in a heap whose root is the worst of them.
type top[T any] struct {
	k       int
	items   []T
	compare func(a, b T) int // negative when a is better
}

// full tells that an item that is not better than the worst has no chance.
func (t *top[T]) full() bool { return len(t.items) == t.k }

func (t *top[T]) worst() T { return t.items[0] }

func (t *top[T]) offer(x T) {
	if len(t.items) < t.k {
		t.items = append(t.items, x)
		t.up(len(t.items) - 1)
		return
	}
	if t.compare(x, t.items[0]) < 0 {
		t.items[0] = x
		t.down(0)
	}
}

func (t *top[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if t.compare(t.items[i], t.items[parent]) <= 0 {
			return
		}
		t.items[i], t.items[parent] = t.items[parent], t.items[i]
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
		t.items[i], t.items[worst] = t.items[worst], t.items[i]
		i = worst
	}
}

// sorted returns the items, best first.
func (t *top[T]) sorted() []T {
	slices.SortFunc(t.items, t.compare)
	return t.items
}
