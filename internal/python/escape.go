package python

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescape replaces the escapes in the body of string token s. An unknown escape such as '\d' keeps its backslash, as
// in Python.
func (p *parser) unescape(body string, s piece) (string, error) {
	body = unifyLineEnds(body)
	if strings.IndexByte(body, '\\') < 0 {
		return body, nil
	}
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			out = append(out, body[i])
			i++
			continue
		}
		if n := LaTeXCommand(body[i:]); n > 0 && p.o.LaTeX && !s.bytes {
			out = append(out, body[i:i+n]...)
			i += n
			continue
		}
		more, n, reason := escape(body[i:], s.bytes)
		if p.o.KeepControls && !s.bytes && (reason != "" || control(more)) {
			more, n, reason = body[i:i+max(n, 2)], max(n, 2), ""
		}
		if reason != "" {
			return "", p.fail(s.start, "%s in this string: double the backslash or put r before the quote", reason)
		}
		out = append(out, more...)
		i += n
	}
	return string(out), nil
}

// control reports whether an escape stands for a control character that SQL does not need.
func control(text string) bool {
	return len(text) == 1 && text[0] < ' ' && strings.IndexByte("\t\n\r", text[0]) < 0
}

// simpleEscapes maps the letter after a backslash to the character.
var simpleEscapes = map[byte]string{
	'\n': "", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// escape decodes the escape at the start of text and returns its length in bytes.
func escape(text string, bytes bool) (out string, n int, reason string) {
	c := text[1] // a string never ends in a single backslash
	if simple, ok := simpleEscapes[c]; ok {
		return simple, 2, ""
	}
	switch {
	case '0' <= c && c <= '7':
		out, n = octal(text, bytes)
		return out, n, ""
	case c == 'x':
		return hexEscape(text, 2, bytes)
	case c == 'u' && !bytes:
		return hexEscape(text, 4, false)
	case c == 'U' && !bytes:
		return hexEscape(text, 8, false)
	case c == 'N' && !bytes:
		return "", 0, `\N is not read as a character`
	}
	_, size := utf8.DecodeRuneInString(text[1:])
	return text[:1+size], 1 + size, ""
}

// octal decodes one to three octal digits after a backslash.
func octal(text string, bytes bool) (string, int) {
	end, value := 1, 0
	for end < len(text) && end < 4 && '0' <= text[end] && text[end] <= '7' {
		value = value*8 + int(text[end]-'0')
		end++
	}
	return char(rune(value), bytes), end
}

// hexEscape decodes exactly width hexadecimal digits after a backslash and a letter.
func hexEscape(text string, width int, bytes bool) (string, int, string) {
	end := 2 + width
	if len(text) >= end {
		if v, err := strconv.ParseUint(text[2:end], 16, 32); err == nil && v <= utf8.MaxRune {
			return char(rune(v), bytes), end, ""
		}
	}
	return "", 0, `\` + text[1:2] + " needs " + strconv.Itoa(width) + " hexadecimal digits of a character"
}

// char encodes one character: a byte for bytes, otherwise UTF-8, including three bytes for a surrogate.
func char(r rune, bytes bool) string {
	if bytes {
		return string([]byte{byte(r)})
	}
	if 0xD800 <= r && r <= 0xDFFF {
		return string([]byte{0xE0 | byte(r>>12), 0x80 | byte(r>>6&0x3F), 0x80 | byte(r&0x3F)})
	}
	return string(r)
}
