package runlog

import "encoding/json"

// deepest is the depth of values that the scanner checks; encoding/json checks deeper ones.
const deepest = 100

// valid reports whether a line is valid JSON, as [json.Valid] does.
func valid(raw []byte) bool {
	s := scanner{raw: raw}
	s.check(0)
	return s.done() || json.Valid(raw)
}

// check skips a value.
func (s *scanner) check(depth int) {
	if s.bad = s.bad || s.at == len(s.raw) || depth > deepest; s.bad {
		return
	}
	switch s.raw[s.at] {
	case '"':
		s.checkString()
	case '[':
		s.list(func() { s.check(depth + 1) })
	case '{':
		s.checkObject(depth)
	case 't', 'f', 'n':
		s.bad = !s.literal("true") && !s.literal("false") && !s.literal("null")
	default:
		s.decimal()
	}
}

func (s *scanner) checkObject(depth int) {
	s.want('{')
	if s.next('}') {
		return
	}
	for !s.bad {
		s.checkString()
		s.want(':')
		s.check(depth + 1)
		if s.next('}') {
			return
		}
		s.want(',')
	}
}

// checkString skips a string.
func (s *scanner) checkString() {
	s.want('"')
	for !s.bad {
		for s.at < len(s.raw) && !stops[s.raw[s.at]] {
			s.at++
		}
		switch {
		case s.next('"'):
			return
		case s.next('\\'):
			s.buffer = s.buffer[:0]
			s.escape()
		default:
			s.bad = true
		}
	}
}
