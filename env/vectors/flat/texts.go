package flat

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
)

// texts is a list of strings in its on-disk form.
type texts struct {
	bounds []uint64
	data   []byte // the whole section; bounds are offsets into it
}

func openTexts(name string, section []byte) (texts, error) {
	if len(section) < 8 {
		return texts{}, fmt.Errorf("section %s: %w", name, errDamaged)
	}
	first := binary.LittleEndian.Uint64(section)
	if first < 8 || first%8 != 0 || first > uint64(len(section)) {
		return texts{}, fmt.Errorf("section %s: %w", name, errDamaged)
	}
	return texts{bounds: view[uint64](section[:first]), data: section}, nil
}

func (t texts) len() int { return max(len(t.bounds)-1, 0) }

// at returns text i, which shares the file's memory. It is nil if i is out of range or its bounds are damaged.
func (t texts) at(i uint32) []byte {
	if uint64(i) >= uint64(t.len()) {
		return nil
	}
	from, to := t.bounds[i], t.bounds[i+1]
	if from > to || to > uint64(len(t.data)) {
		return nil
	}
	return t.data[from:to]
}

// find returns the number of s in a sorted list.
func (t texts) find(s string) (uint32, bool) {
	want := []byte(s)
	i, ok := sort.Find(t.len(), func(i int) int { return bytes.Compare(want, t.at(uint32(i))) })
	return uint32(i), ok
}

// textList builds a texts section.
type textList struct {
	ends []uint64
	data []byte
}

func (l *textList) add(s string) {
	l.data = append(l.data, s...)
	l.ends = append(l.ends, uint64(len(l.data)))
}

func (l *textList) at(i uint32) []byte {
	from := uint64(0)
	if i > 0 {
		from = l.ends[i-1]
	}
	return l.data[from:l.ends[i]]
}

func (l *textList) write(w *writer, name string) {
	head := uint64(8 * (len(l.ends) + 1))
	bounds := make([]uint64, 1, len(l.ends)+1)
	bounds[0] = head
	for _, end := range l.ends {
		bounds = append(bounds, head+end)
	}
	w.section(name, raw(bounds), l.data)
}

// numbering numbers texts in order of first appearance.
type numbering struct {
	numbers map[string]uint32
	texts   []string
}

func (n *numbering) number(s string) uint32 {
	i, ok := n.numbers[s]
	if !ok {
		i = uint32(len(n.texts))
		n.numbers[s], n.texts = i, append(n.texts, s)
	}
	return i
}

// write writes the sorted texts as a section and maps each number to its sorted number.
func (n *numbering) write(w *writer, name string) []uint32 {
	var list textList
	place := make([]uint32, len(n.texts))
	for i, s := range slices.Sorted(slices.Values(n.texts)) {
		place[n.numbers[s]] = uint32(i)
		list.add(s)
	}
	list.write(w, name)
	return place
}
