package literal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWindow is the maximum number of bytes of a text that the scan compares.
const maxWindow = 64

// window is a superset of the beginnings of a text's occurrences: the bytes allowed at each position. The scan is
// Horspool's, with a set of bytes at each position.
type window struct {
	allowed []class
	// skip is the distance to the next position that may be an end, by the byte at the current one; 0 for an end.
	skip [256]uint8
	// again is the same after an end that was no occurrence.
	again [256]uint8
	// odd are encodings of characters that match one of the text, but have another length. A window does not cover them.
	odd []string
	// only is the window's bytes, if each position allows one.
	only string
}

// class is a set of bytes.
type class [256]bool

// windowBuilder collects positions.
type windowBuilder struct{ w window }

// bytes appends positions that allow one byte each.
func (b *windowBuilder) bytes(s string) {
	for i := range len(s) {
		var c class
		c[s[i]] = true
		b.w.allowed = append(b.w.allowed, c)
	}
}

// variants appends the positions of a character and those that equal it under simple folding.
func (b *windowBuilder) variants(r rune) {
	n := utf8.RuneLen(r)
	at := len(b.w.allowed)
	b.w.allowed = append(b.w.allowed, make([]class, n)...)
	for v := r; ; {
		if utf8.RuneLen(v) != n {
			b.w.odd = append(b.w.odd, string(v))
		} else {
			for i, c := range []byte(string(v)) {
				b.w.allowed[at+i][c] = true
			}
		}
		if v = unicode.SimpleFold(v); v == r {
			return
		}
	}
}

func (b *windowBuilder) window() window {
	w := b.w
	w.allowed = w.allowed[:min(len(w.allowed), maxWindow)]
	last := len(w.allowed) - 1
	for c := range 256 {
		w.again[c] = uint8(last + 1)
	}
	var only []byte // every allowed byte
	for i, set := range w.allowed {
		for c, in := range set {
			if !in {
				continue
			}
			only = append(only, byte(c))
			if i < last {
				w.again[c] = uint8(last - i)
			}
		}
	}
	w.skip = w.again
	for c, in := range w.allowed[last] {
		if in {
			w.skip[c] = 0
		}
	}
	if len(only) == len(w.allowed) && len(w.odd) == 0 {
		w.only = string(only)
	}
	return w
}

// index returns the first position from from on where an occurrence may begin, or -1.
func (w *window) index(s string, from int) int {
	if w.only != "" {
		if i := strings.Index(s[from:], w.only); i >= 0 {
			return from + i
		}
		return -1
	}
	last := len(w.allowed) - 1
	for i := from + last; i < len(s); {
		if n := w.skip[s[i]]; n != 0 {
			i += int(n)
			continue
		}
		if w.fits(s, i-last) {
			return i - last
		}
		i += int(w.again[s[i]])
	}
	return -1
}

func (w *window) fits(s string, at int) bool {
	for i := range w.allowed {
		if !w.allowed[i][s[at+i]] {
			return false
		}
	}
	return true
}
