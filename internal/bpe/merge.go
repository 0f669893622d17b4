package bpe

import "sync"

// model encodes words by merging their bytes.
type model struct {
	bytes  [256]int32 // ids of the single bytes; none if the vocabulary lacks the byte
	merges mergeTable
	whole  map[string]int32 // tokens that need no merges, as the file spells them; may be nil
	unk    int32            // id of a missing byte, or none
	fuse   bool             // neighbouring missing bytes are one unk
	cache  wordCache
	works  sync.Pool // of *work
}

const none = -1

func (m *model) encode(dst []int32, word string) []int32 {
	slot := m.cache.slot(word)
	if slot == nil {
		return m.merge(dst, word)
	}
	if hit := slot.Load(); hit != nil && string(hit.word[:hit.length]) == word {
		return append(dst, hit.ids[:hit.count]...)
	}
	start := len(dst)
	dst = m.merge(dst, word)
	if ids := dst[start:]; len(ids) <= mostIDs {
		entry := &cached{length: uint8(len(word)), count: uint8(len(ids))}
		copy(entry.word[:], word)
		copy(entry.ids[:], ids)
		slot.Store(entry)
	}
	return dst
}

// merge appends the ids of a word without the cache.
func (m *model) merge(dst []int32, word string) []int32 {
	if m.whole != nil {
		if id, ok := m.whole[spell(word)]; ok {
			return append(dst, id)
		}
	}
	w, ok := m.works.Get().(*work)
	if !ok {
		w = new(work)
	}
	defer m.works.Put(w)
	w.parts, w.heap = w.parts[:0], w.heap[:0]
	missing := false
	for i := range len(word) { // a part of each byte
		id := m.bytes[word[i]]
		wasMissing := missing
		if missing = id == none; missing {
			if id = m.unk; id == none || wasMissing && m.fuse {
				continue
			}
		}
		n := int32(len(w.parts))
		w.parts = append(w.parts, part{id: id, prev: n - 1, next: n + 1})
	}
	if len(w.parts) > 0 {
		w.parts[len(w.parts)-1].next = none
	}
	w.run(m)
	for i := int32(0); i >= 0 && len(w.parts) > 0; i = w.parts[i].next {
		dst = append(dst, w.parts[i].id)
	}
	return dst
}

// work merges one word: the parts are a linked list in an array, the candidates a heap.
type work struct {
	parts []part
	heap  []candidate
}

type part struct {
	id         int32
	prev, next int32 // none at the ends
	with       merge // of the part with the next one
}

// candidate is a merge that was possible when it was pushed. The lowest goes first: by rank, then by position.
type candidate uint64

func (c candidate) rank() uint32 { return uint32(c >> 32) }
func (c candidate) at() int32    { return int32(c & 0xffffffff) }

// run merges until no pair is left.
func (w *work) run(m *model) {
	for i := range w.parts {
		w.look(m, int32(i))
	}
	for len(w.heap) > 0 {
		top := w.pop()
		left := &w.parts[top.at()]
		if left.with.rank != top.rank() {
			continue // a neighbour has changed since
		}
		left.id = left.with.id
		right := &w.parts[left.next]
		left.next = right.next
		right.with.rank = 0
		if right.next >= 0 {
			w.parts[right.next].prev = top.at()
		}
		if left.prev >= 0 {
			w.look(m, left.prev)
		}
		w.look(m, top.at())
	}
}

// look notes whether part i merges with its neighbour.
func (w *work) look(m *model, i int32) {
	p := &w.parts[i]
	if p.next < 0 {
		p.with.rank = 0
		return
	}
	if p.with = m.merges.at(p.id, w.parts[p.next].id).merge; p.with.rank > 0 {
		w.push(candidate(p.with.rank)<<32 | candidate(i))
	}
}

func (w *work) push(c candidate) {
	w.heap = append(w.heap, c)
	h := w.heap
	i := len(h) - 1
	for i > 0 && h[(i-1)/2] > c {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = c
}

func (w *work) pop() candidate {
	h := w.heap
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	w.heap = h
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if h[child] >= last {
			break
		}
		h[i] = h[child]
		i = child
	}
	if len(h) > 0 {
		h[i] = last
	}
	return top
}
