package table

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"airqa/internal/python"
)

// splitter cuts a stream into JSON values. It checks brackets and quotes alone.
type splitter struct {
	in   io.Reader
	buf  []byte
	pos  int
	done bool
}

func newSplitter(in io.Reader) *splitter { return &splitter{in: in} }

// fill reads more; it drops what was consumed.
func (s *splitter) fill() error {
	if s.done {
		return io.EOF
	}
	if s.pos > 0 {
		s.buf = append(s.buf[:0], s.buf[s.pos:]...)
		s.pos = 0
	}
	n := len(s.buf)
	s.buf = append(s.buf, make([]byte, max(256<<10, n))...)
	got, err := io.ReadFull(s.in, s.buf[n:])
	s.buf = s.buf[:n+got]
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		s.done = true
		if got > 0 {
			return nil
		}
		return io.EOF
	}
	return err
}

// peek skips whitespace and returns the next byte.
func (s *splitter) peek() (byte, error) {
	for {
		for s.pos < len(s.buf) {
			switch c := s.buf[s.pos]; c {
			case ' ', '\n', '\r', '\t':
				s.pos++
			default:
				return c, nil
			}
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// errCut is the error of a text that ends within a value.
var errCut = errors.New("the text ends within a value")

// next returns the next value, valid until the next call. Scalars end before a comma, a bracket or whitespace.
func (s *splitter) next() ([]byte, error) {
	if _, err := s.peek(); err != nil {
		return nil, err
	}
	depth, at := 0, 0 // at is relative to pos, which moves when the buffer is filled
	for {
		for s.pos+at >= len(s.buf) {
			if err := s.fill(); err != nil {
				return s.last(at, depth, err)
			}
		}
		c := class[s.buf[s.pos+at]]
		if depth == 0 && c >= closing {
			return s.take(at), nil
		}
		at++
		if c == quote {
			var err error
			if at, err = s.skipText(at); err != nil {
				return nil, err
			}
		}
		depth += deeper[c]
		if depth == 0 && (c == quote || c == closing) {
			return s.take(at), nil
		}
	}
}

// deeper is the change of depth for each class.
var deeper = [...]int{opening: 1, closing: -1, between: 0}

// Classes of bytes.
const (
	other = iota
	quote
	opening
	closing
	between
)

var class = [256]byte{
	'"': quote, '{': opening, '[': opening, '}': closing, ']': closing,
	',': between, ' ': between, '\n': between, '\r': between, '\t': between,
}

// last ends a value at the end of the stream.
func (s *splitter) last(at, depth int, err error) ([]byte, error) {
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if depth > 0 || at == 0 {
		return nil, errCut
	}
	return s.take(at), nil
}

func (s *splitter) take(n int) []byte {
	raw := s.buf[s.pos : s.pos+n : s.pos+n]
	s.pos += n
	return raw
}

// skipText returns the offset after the string whose content starts at offset at.
func (s *splitter) skipText(at int) (int, error) {
	for {
		for s.pos+at >= len(s.buf) {
			if err := s.fill(); err != nil {
				return 0, errCut
			}
		}
		rest := s.buf[s.pos+at:]
		end := bytes.IndexByte(rest, '"')
		if end >= 0 {
			rest = rest[:end]
		}
		if slash := bytes.IndexByte(rest, '\\'); slash >= 0 {
			at += slash + 2
			continue
		}
		at += len(rest)
		if end >= 0 {
			return at + 1, nil
		}
	}
}

// objects returns the values of a stream of values.
func (s *splitter) objects() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if _, err := s.peek(); err == nil {
			s.pos += len(bom(s.buf[s.pos:]))
		}
		for {
			raw, err := s.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(raw, err) || err != nil {
				return
			}
		}
	}
}

var errArray = errors.New("DatasetGenerationError: ValueError: the array is not valid JSON, or text follows it")

// array returns the items of an array; nothing may follow it.
func (s *splitter) array() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for n := 0; ; n++ {
			more, err := s.more(n)
			if err != nil {
				yield(nil, err)
			}
			if err != nil || !more {
				return
			}
			raw, err := s.next()
			if err != nil || len(raw) == 0 {
				yield(nil, errArray)
				return
			}
			if !yield(raw, nil) {
				return
			}
		}
	}
}

// more skips the mark before item n of an array, and reports whether there is one.
func (s *splitter) more(n int) (bool, error) {
	c, err := s.peek()
	mark := byte(',')
	if n == 0 {
		mark = '['
	}
	if err != nil || c != mark && (n == 0 || c != ']') {
		return false, errArray
	}
	s.pos++
	if n == 0 {
		if c, err = s.peek(); err != nil || c != ']' {
			return true, err
		}
		s.pos++
	}
	if c == ']' {
		if _, err := s.peek(); !errors.Is(err, io.EOF) {
			return false, errArray
		}
		return false, nil
	}
	return true, nil
}

var errColumns = errors.New("not a table")

// transpose turns an object of lists into rows; scalars are repeated.
func transpose(raw []byte) ([][]byte, error) {
	v, _, err := python.ParseJSON(string(raw), 0, python.Options{Loose: true})
	d, ok := withoutSurrogates(v).(*python.Dict)
	if err != nil || !ok {
		return nil, errColumns
	}
	rows := -1
	for _, value := range d.All() {
		switch x := value.(type) {
		case *python.Dict:
			return nil, errColumns
		case python.List:
			if rows >= 0 && rows != len(x) {
				return nil, errColumns
			}
			rows = len(x)
		}
	}
	if rows <= 0 {
		return nil, errColumns
	}
	out := make([][]byte, rows)
	for i := range out {
		row := &python.Dict{}
		for k, value := range d.All() {
			if list, ok := value.(python.List); ok {
				value = list[i]
			}
			row.Set(k, value)
		}
		out[i] = []byte(python.JSON(row))
	}
	return out, nil
}
