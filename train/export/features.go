package export

import (
	"math/bits"

	"airqa/qa"
	"airqa/train/windows"
)

// features numbers the keys that some rows of a file have and others lack. A reader of tables takes the columns from the
// first rows, so these must have all keys of the file between them.
type features struct{ number map[string]int }

// imageFeature is number 0.
const imageFeature = "images"

func newFeatures() features { return features{map[string]int{imageFeature: 0}} }

// of returns the features of a row as bits.
func (f *features) of(row *windows.Row) (set uint64) {
	add := func(name string) {
		n, known := f.number[name]
		if !known {
			if n = len(f.number); n == 64 {
				return
			}
			f.number[name] = n
		}
		set |= 1 << n
	}
	for _, t := range row.Tools {
		add("tool " + t.Name)
	}
	message := func(m *qa.Message, call string) {
		if len(m.Images) > 0 {
			add(imageFeature)
		}
		if m.Role == qa.ToolResult {
			add("result")
		}
		if len(m.ToolCalls) > 0 {
			add(call)
		}
	}
	for i := range row.Context {
		message(&row.Context[i], "call")
	}
	message(&row.Target, "call to train")
	return set
}

// lead chooses rows that have all features of a list between them, the richest first, in the order of the list where
// equal. A list without features has none.
func lead(rows []uint64) (order []int) {
	missing := uint64(0)
	for _, set := range rows {
		missing |= set
	}
	for missing != 0 {
		best := 0
		for i, set := range rows {
			if bits.OnesCount64(set&missing) > bits.OnesCount64(rows[best]&missing) {
				best = i
			}
		}
		order = append(order, best)
		missing &^= rows[best]
	}
	return order
}
