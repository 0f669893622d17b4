package python

import (
	"iter"
	"slices"
)

// Dict is a Python dictionary: ordered by first insertion, with Python's key equality, so that 1, True and 1.0 are one
// key. The zero value is an empty dictionary. Set must not overlap with other calls.
type Dict struct {
	keys   []Value
	values []Value
	index  map[string]int // built for dictionaries larger than smallDict
}

// smallDict is the size up to which a linear search beats hashing.
const smallDict = 8

// Len returns the number of keys.
func (d *Dict) Len() int { return len(d.keys) }

// Get returns the value of k, and whether k is a key.
func (d *Dict) Get(k Value) (Value, bool) {
	if i := d.find(k); i >= 0 {
		return d.values[i], true
	}
	return nil, false
}

// Set sets the value of k. An existing key keeps its position and spelling. It returns false, without a change, if k is
// not hashable: a list, a set, a dictionary, or a tuple that contains one.
func (d *Dict) Set(k, v Value) bool {
	if _, ok := k.(string); !ok && !Hashable(k) {
		return false
	}
	if i := d.find(k); i >= 0 {
		d.values[i] = v
		return true
	}
	if d.keys == nil {
		d.keys, d.values = make([]Value, 0, 4), make([]Value, 0, 4)
	}
	d.keys = append(d.keys, k)
	d.values = append(d.values, v)
	if d.index != nil {
		text, _ := key(k)
		d.index[text] = len(d.keys) - 1
	} else if len(d.keys) > smallDict {
		d.index = make(map[string]int, 2*len(d.keys))
		for i, k := range d.keys {
			text, _ := key(k)
			d.index[text] = i
		}
	}
	return true
}

// All yields keys and values in order.
func (d *Dict) All() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		for i, k := range d.keys {
			if !yield(k, d.values[i]) {
				return
			}
		}
	}
}

// Hashable reports whether v can be a dictionary key or a set element.
func Hashable(v Value) bool {
	switch x := v.(type) {
	case List, Set, *Dict:
		return false
	case Tuple:
		return !slices.ContainsFunc(x, func(e Value) bool { return !Hashable(e) })
	}
	return true
}

func (d *Dict) find(k Value) int {
	if d.index != nil {
		text, ok := key(k)
		if !ok {
			return -1
		}
		if i, ok := d.index[text]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(d.keys, func(have Value) bool { return Equal(have, k) })
}
