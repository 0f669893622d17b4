package batch

import (
	"encoding/binary"
	"math/bits"
)

// cutter finds the values of the keys of one JSON object without decoding them. It is sure or it gives up: what it
// accepts encoding/json accepts too, with the same values (fuzz-tested), and the caller decodes the rest with that.
type cutter struct {
	src []byte
	pos int
}

// maxDepth is the nesting from which encoding/json is asked.
const maxDepth = 1000

// cutObject calls member for each key of the object in src with the text of its value, in order. Keys are without
// escapes. It returns false when src is not surely such an object or member is not content.
func cutObject(src []byte, member func(key, value []byte) bool) bool {
	c := cutter{src: src}
	c.blanks()
	if !c.take('{') {
		return false
	}
	if c.blanks(); !c.take('}') {
		for {
			key, value, ok := c.member(0)
			if !ok || !member(key, value) {
				return false
			}
			if c.take('}') {
				break
			}
			if !c.take(',') {
				return false
			}
			c.blanks()
		}
	}
	c.blanks()
	return c.pos == len(c.src)
}

// cutArray is cutObject for the elements of a list.
func cutArray(src []byte, element func(value []byte) bool) bool {
	c := cutter{src: src}
	if !c.take('[') {
		return false
	}
	if c.blanks(); c.take(']') {
		return c.pos == len(c.src)
	}
	for {
		start := c.pos
		if !c.value(0) || !element(c.src[start:c.pos]) {
			return false
		}
		c.blanks()
		if c.take(']') {
			return c.pos == len(c.src)
		}
		if !c.take(',') {
			return false
		}
		c.blanks()
	}
}

// member passes over a key and its value, and the blanks after it. A key with an escape is not ok.
func (c *cutter) member(depth int) (key, value []byte, ok bool) {
	start := c.pos
	if plain, ok := c.text(); !ok || !plain {
		return nil, nil, false
	}
	key = c.src[start+1 : c.pos-1]
	c.blanks()
	if !c.take(':') {
		return nil, nil, false
	}
	c.blanks()
	start = c.pos
	if !c.value(depth) {
		return nil, nil, false
	}
	value = c.src[start:c.pos]
	c.blanks()
	return key, value, true
}

func (c *cutter) peek() byte {
	if c.pos < len(c.src) {
		return c.src[c.pos]
	}
	return 0
}

func (c *cutter) take(b byte) bool {
	if c.peek() != b || c.pos == len(c.src) {
		return false
	}
	c.pos++
	return true
}

func (c *cutter) blanks() {
	for c.pos < len(c.src) {
		if b := c.src[c.pos]; b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			return
		}
		c.pos++
	}
}

func (c *cutter) value(depth int) bool {
	switch c.peek() {
	case '"':
		_, ok := c.text()
		return ok
	case '{':
		return depth < maxDepth && c.object(depth+1)
	case '[':
		return depth < maxDepth && c.array(depth+1)
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	}
	return c.number()
}

func (c *cutter) object(depth int) bool {
	c.pos++
	if c.blanks(); c.take('}') {
		return true
	}
	for {
		if _, _, ok := c.member(depth); !ok {
			return false
		}
		if c.take('}') {
			return true
		}
		if !c.take(',') {
			return false
		}
		c.blanks()
	}
}

func (c *cutter) array(depth int) bool {
	c.pos++
	if c.blanks(); c.take(']') {
		return true
	}
	for {
		if !c.value(depth) {
			return false
		}
		c.blanks()
		if c.take(']') {
			return true
		}
		if !c.take(',') {
			return false
		}
		c.blanks()
	}
}

func (c *cutter) word(w string) bool {
	if len(c.src)-c.pos < len(w) || string(c.src[c.pos:c.pos+len(w)]) != w {
		return false
	}
	c.pos += len(w)
	return true
}

func (c *cutter) number() bool {
	c.take('-')
	if !c.take('0') && !c.digits() {
		return false
	}
	if c.take('.') && !c.digits() {
		return false
	}
	if c.take('e') || c.take('E') {
		if !c.take('+') {
			c.take('-')
		}
		return c.digits()
	}
	return true
}

// digits passes over digits; false when there are none.
func (c *cutter) digits() bool {
	start := c.pos
	for c.pos < len(c.src) && '0' <= c.src[c.pos] && c.src[c.pos] <= '9' {
		c.pos++
	}
	return c.pos > start
}

// special are the bytes at which a text needs a second look: its end, an escape, and control characters.
var special = func() (t [256]bool) {
	for b := range ' ' {
		t[b] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

// text passes over a string; plain is false when there are escapes in it.
func (c *cutter) text() (plain, ok bool) {
	if !c.take('"') {
		return false, false
	}
	plain = true
	for {
		c.skipPlain()
		switch {
		case c.take('"'):
			return plain, true
		case c.take('\\') && c.escape():
			plain = false
		default:
			return false, false
		}
	}
}

// The eight bytes of a word, all the same.
const (
	eachByte  = 0x0101010101010101
	highBits  = 0x80 * eachByte
	quotes    = '"' * eachByte
	backslash = '\\' * eachByte
	spaces    = ' ' * eachByte
)

// skipPlain goes to the next special byte, eight bytes at a time. In each word the lowest mark is exact; a carry may
// set wrong ones above it.
func (c *cutter) skipPlain() {
	for ; c.pos+8 <= len(c.src); c.pos += 8 {
		w := binary.LittleEndian.Uint64(c.src[c.pos:])
		q, b := w^quotes, w^backslash
		if marks := ((w-spaces)&^w | (q-eachByte)&^q | (b-eachByte)&^b) & highBits; marks != 0 {
			c.pos += bits.TrailingZeros64(marks) / 8
			return
		}
	}
	for c.pos < len(c.src) && !special[c.src[c.pos]] {
		c.pos++
	}
}

// escape passes over what follows a backslash.
func (c *cutter) escape() bool {
	switch c.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.pos++
		return true
	case 'u':
		c.pos++
		for range 4 {
			if !isHex(c.peek()) {
				return false
			}
			c.pos++
		}
		return true
	}
	return false
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}
