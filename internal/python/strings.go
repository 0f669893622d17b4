package python

import (
	"strings"
	"unicode/utf8"
)

// piece is one string token: its prefix letters and the offsets of its parts.
type piece struct {
	raw, bytes, format bool
	quote              string // one or three
	start, body        int
}

// piece returns the string token at pos, if there is one, without moving.
func (p *parser) piece() (piece, bool) {
	s := piece{start: p.pos}
	i := p.pos
	for i < len(p.src) && i < p.pos+2 && isNameByte(p.src[i]) {
		i++
	}
	if i >= len(p.src) || p.src[i] != '\'' && p.src[i] != '"' || !s.setPrefix(p.src[p.pos:i]) {
		return piece{}, false
	}
	s.quote = p.src[i : i+1]
	if i+2 < len(p.src) && p.src[i+1] == p.src[i] && p.src[i+2] == p.src[i] {
		s.quote = p.src[i : i+3]
	}
	s.body = i + len(s.quote)
	return s, true
}

func (s *piece) setPrefix(letters string) bool {
	switch strings.ToLower(letters) {
	case "", "u":
	case "r":
		s.raw = true
	case "b":
		s.bytes = true
	case "f":
		s.format = true
	case "rb", "br":
		s.raw, s.bytes = true, true
	case "rf", "fr":
		s.raw, s.format = true, true
	default:
		return false
	}
	return true
}

// strings reads one string, or several adjacent ones, which Python joins.
func (p *parser) strings() (Value, error) {
	first, _ := p.piece()
	text, err := p.text(first)
	if err != nil {
		return nil, err
	}
	var rest []string // joined at the end: adding each to the text would copy it every time
	for {
		mark := p.pos
		p.skip()
		s, ok := p.piece()
		if !ok {
			p.pos = mark
			break
		}
		if touches := s.body-len(s.quote) == mark; p.o.Apart && touches && len(s.quote) == 1 && p.src[mark] == p.src[mark-1] {
			return nil, p.fail(mark, `a doubled quotation mark ends the string here: put a backslash before one that belongs to the text, or use the other quotation marks`)
		}
		if s.bytes != first.bytes {
			return nil, p.fail(s.start, "bytes and text cannot be joined")
		}
		more, err := p.text(s)
		if err != nil {
			return nil, err
		}
		rest = append(rest, more)
	}
	text += strings.Join(rest, "")
	if first.bytes {
		return Bytes(text), nil
	}
	return text, nil
}

func (p *parser) text(s piece) (string, error) {
	end, plain, err := p.closing(s)
	if err != nil {
		return "", err
	}
	body := p.src[s.body:end]
	p.pos = end + len(s.quote)
	if plain {
		return body, nil
	}
	if s.bytes {
		if i := strings.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			return "", p.fail(s.body+i, "bytes hold ASCII characters only: drop the b before the quote")
		}
	}
	if s.format {
		if strings.ContainsAny(strings.NewReplacer("{{", "", "}}", "").Replace(body), "{}") {
			return "", p.fail(s.start, "a format string with fields is not a value: write the text itself")
		}
		body = strings.NewReplacer("{{", "{", "}}", "}").Replace(body)
	}
	if s.raw {
		return unifyLineEnds(body), nil
	}
	return p.unescape(body, s)
}

// closing returns the offset of the closing quote of s; plain means that the body has no escapes.
func (p *parser) closing(s piece) (end int, plain bool, err error) {
	plain = !s.bytes && !s.format
	for i := s.body; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case c == s.quote[0] && strings.HasPrefix(p.src[i:], s.quote):
			return i, plain, nil
		case c == '\\':
			plain = false
			i += max(1, p.newline(i+1))
		case c == '\r':
			plain = false
			fallthrough
		case c == '\n':
			if len(s.quote) == 1 && !p.o.Lines {
				return 0, false, p.fail(s.start, "the closing quote %s is missing on this line: put text of several lines into triple quotes", s.quote)
			}
		}
	}
	if len(s.quote) > 1 {
		return 0, false, p.fail(s.start, "the closing quotes %s are missing", s.quote)
	}
	return 0, false, p.fail(s.start, "the closing quote %s is missing", s.quote)
}

func unifyLineEnds(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
