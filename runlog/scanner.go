package runlog

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// scanner reads a line of the log as this program writes it: compact JSON with the keys in the order of the event's
// fields, of which any may be missing. Everything else makes it fail, and encoding/json reads the line instead. Text,
// which is most of a log, is read several times as fast.
type scanner struct {
	raw []byte
	at  int
	// first is true at the beginning of an object, where no comma precedes a key.
	first bool
	bad   bool
	// buffer is for strings with escape sequences.
	buffer []byte
}

// reset begins a line.
func (s *scanner) reset(raw []byte) { *s = scanner{raw: raw, buffer: s.buffer} }

// done reports whether the scanner has read the whole line.
func (s *scanner) done() bool { return !s.bad && string(s.raw[s.at:]) == "\n" }

// next consumes a byte and reports whether it was there.
func (s *scanner) next(c byte) bool {
	if s.bad || s.at == len(s.raw) || s.raw[s.at] != c {
		return false
	}
	s.at++
	return true
}

// want consumes a byte that must follow.
func (s *scanner) want(c byte) { s.bad = !s.next(c) }

// literal consumes a word and reports whether it was there.
func (s *scanner) literal(word string) bool {
	found := !s.bad && bytes.HasPrefix(s.raw[s.at:], []byte(word))
	if found {
		s.at += len(word)
	}
	return found
}

// key consumes the key of a member if it is the next one.
func (s *scanner) key(name string) bool {
	at := s.at
	if !s.first {
		at++
	}
	end := at + len(name) + 3
	if s.bad || end > len(s.raw) || !s.first && s.raw[s.at] != ',' {
		return false
	}
	if k := s.raw[at:end]; k[0] != '"' || k[len(k)-2] != '"' || k[len(k)-1] != ':' || string(k[1:len(k)-2]) != name {
		return false
	}
	s.at, s.first = end, false
	return true
}

// object reads an object whose members fields reads.
func (s *scanner) object(fields func()) {
	s.want('{')
	s.first = true
	fields()
	s.first = false
	s.want('}')
}

// list reads an array, item by item.
func (s *scanner) list(item func()) {
	s.want('[')
	if s.next(']') {
		return
	}
	for !s.bad {
		item()
		if s.next(']') {
			return
		}
		s.want(',')
	}
}

// text reads a member that is a string.
func text[T ~string](s *scanner, name string, into *T) {
	if s.key(name) {
		*into = T(s.string())
	}
}

func (s *scanner) number(name string, into *int) {
	if !s.key(name) {
		return
	}
	var err error
	*into, err = strconv.Atoi(string(s.digits()))
	s.bad = s.bad || err != nil
}

func (s *scanner) float(name string, into *float64) {
	if !s.key(name) {
		return
	}
	var err error
	*into, err = strconv.ParseFloat(string(s.decimal()), 64)
	s.bad = s.bad || err != nil
}

// decimal reads a number without an exponent.
func (s *scanner) decimal() []byte {
	start := s.at
	s.digits()
	if s.next('.') {
		fraction := s.at
		for s.at < len(s.raw) && isDigit(s.raw[s.at]) {
			s.at++
		}
		s.bad = s.bad || s.at == fraction
	}
	return s.raw[start:s.at]
}

// digits reads an integer as JSON writes it.
func (s *scanner) digits() []byte {
	start := s.at
	s.next('-')
	first := s.at
	for s.at < len(s.raw) && isDigit(s.raw[s.at]) {
		s.at++
	}
	s.bad = s.bad || s.at == first || s.raw[first] == '0' && s.at > first+1
	return s.raw[start:s.at]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (s *scanner) flag(name string, into *bool) {
	if !s.key(name) {
		return
	}
	*into = s.literal("true")
	s.bad = s.bad || !*into && !s.literal("false")
}

func (s *scanner) time(name string, into *time.Time) {
	if !s.key(name) {
		return
	}
	if value := s.value(); !s.bad {
		s.bad = into.UnmarshalJSON(value) != nil || value[0] != '"'
	}
}

// other reads a member of any type with encoding/json.
func (s *scanner) other(name string, into any) {
	if !s.key(name) {
		return
	}
	if value := s.value(); !s.bad {
		s.bad = json.Unmarshal(value, into) != nil
	}
}

// value returns the next value. Only its end is certain: the reader of the value checks it.
func (s *scanner) value() []byte {
	start, depth := s.at, 0
	for ; s.at < len(s.raw); s.at++ {
		switch s.raw[s.at] {
		case '"':
			s.closeQuote()
			if s.bad {
				return nil
			}
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return s.raw[start:s.at]
			}
			if s.raw[s.at] != ',' {
				depth--
			}
		}
	}
	s.bad = true
	return nil
}

// closeQuote goes from a string's first quote to its last.
func (s *scanner) closeQuote() {
	for s.at++; s.at < len(s.raw); s.at++ {
		switch s.raw[s.at] {
		case '"':
			return
		case '\\':
			s.at++
		}
	}
	s.bad = true
}

// stops are the bytes at which a string ends or needs work.
var stops = func() (table [256]bool) {
	for c := range table {
		table[c] = c < ' ' || c == '"' || c == '\\'
	}
	return table
}()

// string reads a string. It must be valid UTF-8.
func (s *scanner) string() string {
	s.want('"')
	s.buffer = s.buffer[:0]
	for !s.bad {
		start := s.at
		for s.at < len(s.raw) && !stops[s.raw[s.at]] {
			s.at++
		}
		plain := s.raw[start:s.at]
		switch {
		case s.next('"'):
			return s.decoded(plain)
		case s.next('\\'):
			s.buffer = append(s.buffer, plain...)
			s.escape()
		default:
			s.bad = true
		}
	}
	return ""
}

// decoded returns a string with the given end.
func (s *scanner) decoded(end []byte) string {
	if len(s.buffer) > 0 {
		s.buffer = append(s.buffer, end...)
		end = s.buffer
	}
	s.bad = !utf8.Valid(end)
	return string(end)
}

// escapes are the characters of short escape sequences.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads an escape sequence after its backslash. encoding/json reads surrogates.
func (s *scanner) escape() {
	if s.at == len(s.raw) {
		s.bad = true
		return
	}
	c := s.raw[s.at]
	s.at++
	if c != 'u' {
		s.bad = escapes[c] == 0
		s.buffer = append(s.buffer, escapes[c])
		return
	}
	code, err := strconv.ParseUint(string(s.raw[s.at:min(s.at+4, len(s.raw))]), 16, 16)
	if err != nil || s.at+4 > len(s.raw) || code >= 0xD800 && code < 0xE000 {
		s.bad = true
		return
	}
	s.at += 4
	s.buffer = utf8.AppendRune(s.buffer, rune(code))
}
