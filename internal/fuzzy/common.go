package fuzzy

import "math/bits"

// trimCommon removes the common prefix and suffix of two texts.
func trimCommon[C char](a, b []C) (restA, restB []C, prefix, suffix int) {
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	a, b = a[prefix:], b[prefix:]
	for suffix < len(a) && suffix < len(b) && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return a[:len(a)-suffix], b[:len(b)-suffix], prefix, suffix
}

// commonLength returns the length of the longest common subsequence, in words of 64 positions of the shorter text
// (Hyyrö, "Bit-parallel LCS-length computation revisited", 2004).
func commonLength[C char](a, b []C) int {
	a, b, prefix, suffix := trimCommon(a, b)
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return prefix + suffix
	}
	if len(a) <= 64 {
		return prefix + suffix + commonShort(a, b)
	}
	var space [128 * spareWords]uint64
	p := patternIn(space[:], a)
	return prefix + suffix + p.commonWith(b)
}

// spareWords is the number of 64-bit words that a score keeps off the heap.
const spareWords = 4

// commonShort is commonLength if a has at most 64 characters.
func commonShort[C char](a, b []C) int {
	var ascii [128]uint64
	var others map[C]uint64
	for i, c := range a {
		switch {
		case c < 128:
			ascii[c] |= 1 << i
		case others == nil:
			others = map[C]uint64{c: 1 << i}
		default:
			others[c] |= 1 << i
		}
	}
	row := ^uint64(0)
	for _, c := range b {
		mask := uint64(0)
		if c < 128 {
			mask = ascii[c]
		} else if others != nil {
			mask = others[c]
		}
		match := row & mask
		row = (row + match) | (row - match)
	}
	return bits.OnesCount64(^row & (^uint64(0) >> (64 - len(a))))
}

// pattern has the bit set of positions of each character of a text.
type pattern[C char] struct {
	length, words int
	ascii         []uint64 // words for each of 128 characters
	others        map[C][]uint64
}

// patternIn computes the pattern of a in space, which must be zero, if it is large enough.
func patternIn[C char](space []uint64, a []C) pattern[C] {
	words := (len(a) + 63) / 64
	if len(space) < 128*words {
		space = make([]uint64, 128*words)
	}
	p := pattern[C]{length: len(a), words: words, ascii: space}
	for i, c := range a {
		if c < 128 {
			p.ascii[int(c)*words+i/64] |= 1 << (i % 64)
			continue
		}
		if p.others == nil {
			p.others = make(map[C][]uint64)
		}
		if p.others[c] == nil {
			p.others[c] = make([]uint64, words)
		}
		p.others[c][i/64] |= 1 << (i % 64)
	}
	return p
}

func (p *pattern[C]) positions(c C) []uint64 {
	if c < 128 {
		return p.ascii[int(c)*p.words : (int(c)+1)*p.words]
	}
	return p.others[c]
}

// commonWith returns the length of the longest common subsequence with b.
func (p *pattern[C]) commonWith(b []C) int {
	var space [spareWords]uint64
	row := space[:]
	if p.words > spareWords {
		row = make([]uint64, p.words)
	}
	row = row[:p.words]
	for i := range row {
		row[i] = ^uint64(0)
	}
	for _, c := range b {
		positions := p.positions(c)
		if positions == nil {
			continue
		}
		carry := uint64(0)
		for i, r := range row {
			match := r & positions[i]
			var sum uint64
			sum, carry = bits.Add64(r, match, carry)
			row[i] = sum | (r &^ match)
		}
	}
	count := 0
	for i, r := range row {
		r = ^r
		if rest := p.length - 64*i; rest < 64 {
			r &= 1<<rest - 1
		}
		count += bits.OnesCount64(r)
	}
	return count
}
