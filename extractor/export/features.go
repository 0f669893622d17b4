package export

import (
	"encoding/json"
	"math/bits"

	"airqa/extractor/windows"
	"airqa/qa"
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
	types := typesOf(row.Tools)
	for i, m := range append(row.Context[:len(row.Context):len(row.Context)], row.Target) {
		if len(m.Images) > 0 {
			add(imageFeature)
		}
		if m.Role == qa.ToolResult {
			add("result")
		}
		for _, c := range m.ToolCalls {
			column := "call "
			if i == len(row.Context) {
				column = "call to train "
			}
			add(column)
			for _, key := range argumentKeys(c, types) {
				add(column + key)
			}
		}
	}
	return set
}

// argumentKeys lists the keys of a call in TRL's format, but for empty lists, which have no type.
func argumentKeys(c qa.ToolCall, types map[string]string) (keys []string) {
	var args map[string]json.RawMessage
	if json.Unmarshal(typed(&texts{changed: make(map[string]int)}, c.Arguments, types), &args) != nil {
		return nil
	}
	for key, value := range args {
		if string(value) != "[]" {
			keys = append(keys, key)
		}
	}
	return keys
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
