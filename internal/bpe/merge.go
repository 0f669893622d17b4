package bpe

import (
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
)

// The ids of words are cached, because most words of a text recur. Longer words rarely do.
const (
	longestWord = 64
	cacheSlots  = 1 << 16
)

// model encodes words by merging their bytes.
type model struct {
	bytes  [256]int32        // ids of the single bytes; none if the vocabulary lacks the byte
	ranks  map[uint64]uint32 // rank of the merge of two neighbours
	merged []int32           // id of the merged token, by rank
	whole  map[string]int32  // tokens that need no merges, as the file spells them; may be nil
	unk    int32             // id of a missing byte, or none
	fuse   bool              // neighbouring missing bytes are one unk

	seed  maphash.Seed
	cache []atomic.Pointer[cached]
	works sync.Pool // of *work
}

// none is the id of no token.
const none = -1

// cached is one word of the cache. A word that hashes to the same slot replaces it.
type cached struct {
	word string
	ids  []int32
}

// encode appends the ids of a word.
func (m *model) encode(dst []int32, word string) []int32 {
	if len(word) > longestWord {
		return m.merge(dst, word)
	}
	slot := &m.cache[maphash.String(m.seed, word)%cacheSlots]
	if hit := slot.Load(); hit != nil && hit.word == word {
		return append(dst, hit.ids...)
	}
	start := len(dst)
	dst = m.merge(dst, word)
	// A substring would keep the whole text in memory.
	slot.Store(&cached{strings.Clone(word), append([]int32(nil), dst[start:]...)})
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
	w.load(m, word)
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
	id         int32 // none after the part before has absorbed it
	prev, next int32 // none at the ends
	merged     int32 // id of the merge with the next part, or none
}

// candidate is a merge that was possible when it was pushed. The lowest goes first: by rank, then by position.
type candidate uint64

func (c candidate) rank() uint32 { return uint32(c >> 32) }
func (c candidate) at() int32    { return int32(c & 0xffffffff) }

// load makes a part of each byte.
func (w *work) load(m *model, word string) {
	w.parts, w.heap = w.parts[:0], w.heap[:0]
	missing := false
	for i := range len(word) {
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
}

// run merges until no pair is left.
func (w *work) run(m *model) {
	for i := range w.parts {
		w.look(m, int32(i))
	}
	for len(w.heap) > 0 {
		top := w.pop()
		left := &w.parts[top.at()]
		if left.merged == none || left.merged != m.merged[top.rank()] {
			continue // a neighbour has changed since
		}
		left.id = left.merged
		right := &w.parts[left.next]
		left.next = right.next
		right.merged = none
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
	p.merged = none
	if p.next < 0 {
		return
	}
	if rank, ok := m.ranks[pair(p.id, w.parts[p.next].id)]; ok {
		p.merged = m.merged[rank]
		w.push(candidate(rank)<<32 | candidate(i))
	}
}

func pair(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) }

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
