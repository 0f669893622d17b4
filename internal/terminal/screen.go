package terminal

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"airqa/internal/lazyregexp"
)

// Screen writes to a terminal and escapes what could control it, in any format: control characters, and characters that
// reorder text, as \u001b or \u202e, which JSON reads back. Colours of [Style] pass. Files and pipes need exact text and no
// Screen. It is not safe for concurrent use.
type Screen struct {
	To   io.Writer
	rest []byte // the beginning of a character or colour
}

// colour matches a colour, begun one that may be cut.
var (
	colour = lazyregexp.New(`^\x1b\[[0-9;]{0,16}m`)
	begun  = lazyregexp.New(`^\x1b(\[[0-9;]{0,16})?$`)
)

// Write writes p, except for a character or colour at its end that is cut: it is written with the next p.
func (s *Screen) Write(p []byte) (int, error) {
	text := append(s.rest, p...)
	var out bytes.Buffer
	for len(text) > 0 && utf8.FullRune(text) && !begun.Match(text) {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, text[0])
		case r == '\x1b' && colour.Match(text):
			size = len(colour.Find(text))
			out.Write(text[:size])
		case unsafe(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.Write(text[:size])
		}
		text = text[size:]
	}
	s.rest = bytes.Clone(text)
	if _, err := s.To.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
