package bpe

import (
	"hash/maphash"
	"sync/atomic"
)

// merge is the merge of two tokens. The lowest rank goes first; rank 0 is no merge.
type merge struct {
	rank uint32
	id   int32 // of the merged token
}

// mergeTable finds merges by their two tokens: a hash table with open addressing, at most two thirds full.
type mergeTable struct {
	slots []mergeSlot
	shift int
}

type mergeSlot struct {
	left, right int32
	merge       merge
}

// at returns the slot of a pair: the one that has it, or a free one.
func (t *mergeTable) at(left, right int32) *mergeSlot {
	key := uint64(uint32(left))<<32 | uint64(uint32(right))
	i := int(key * 0x9e3779b97f4a7c15 >> t.shift)
	for {
		slot := &t.slots[i&(len(t.slots)-1)]
		if slot.merge.rank == 0 || slot.left == left && slot.right == right {
			return slot
		}
		i++
	}
}

// Words with more bytes or ids are not cached: they rarely recur.
const (
	mostBytes  = 30
	mostIDs    = 8
	cacheSlots = 1 << 16
)

// wordCache has the ids of recent words, because most words of a text recur. A word replaces another one in its slot.
type wordCache struct {
	seed  maphash.Seed
	slots []atomic.Pointer[cached]
}

type cached struct {
	length, count uint8
	word          [mostBytes]byte
	ids           [mostIDs]int32
}

// slot returns the slot of a word, or nil if the word is too long.
func (c *wordCache) slot(word string) *atomic.Pointer[cached] {
	if len(word) > mostBytes {
		return nil
	}
	return &c.slots[maphash.String(c.seed, word)%cacheSlots]
}
