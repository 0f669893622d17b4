package python

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Str returns v as Python's str() prints it: a text unchanged, anything else as [Repr].
func Str(v Value) string {
	if s, ok := v.(string); ok {
		return s
	}
	return Repr(v)
}

// Repr returns v as Python's repr() prints it: 'it' in single quotes unless it contains one, 1.0 and 1e-07 for floats,
// escapes for unprintable characters. [Parse] reads it back, except for nan, inf and some complex numbers.
func Repr(v Value) string {
	return string(appendRepr(nil, v))
}

func appendRepr(b []byte, v Value) []byte {
	switch x := v.(type) {
	case nil:
		return append(b, "None"...)
	case bool:
		if x {
			return append(b, "True"...)
		}
		return append(b, "False"...)
	case int64:
		return strconv.AppendInt(b, x, 10)
	case *big.Int:
		return x.Append(b, 10)
	case float64:
		return appendFloat(b, x)
	case complex128:
		return appendComplex(b, x)
	case string:
		return appendText(b, x)
	case Bytes:
		return appendBytes(b, x)
	case Ellipsis:
		return append(b, "Ellipsis"...)
	}
	return appendContainer(b, v)
}

func appendContainer(b []byte, v Value) []byte {
	switch x := v.(type) {
	case List:
		return append(appendItems(append(b, '['), x), ']')
	case Tuple:
		b = appendItems(append(b, '('), x)
		if len(x) == 1 {
			b = append(b, ',')
		}
		return append(b, ')')
	case Set:
		if len(x) == 0 {
			return append(b, "set()"...)
		}
		return append(appendItems(append(b, '{'), x), '}')
	case *Dict:
		b = append(b, '{')
		for i, k := range x.keys {
			b = append(appendRepr(separate(b, i), k), ": "...)
			b = appendRepr(b, x.values[i])
		}
		return append(b, '}')
	}
	return append(b, "<object>"...)
}

func appendItems(b []byte, items []Value) []byte {
	for i, v := range items {
		b = appendRepr(separate(b, i), v)
	}
	return b
}

// appendFloat prints the shortest digits that parse as f, with an exponent below 1e-4 and from 1e16 on.
func appendFloat(b []byte, f float64) []byte {
	switch a := math.Abs(f); {
	case math.IsNaN(f):
		return append(b, "nan"...)
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	case a != 0 && a < 1e-4 || a >= 1e16:
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	case f == math.Trunc(f):
		return append(strconv.AppendFloat(b, f, 'f', -1, 64), ".0"...)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// appendComplex prints 4j or (3+4j); whole parts have no ".0" here.
func appendComplex(b []byte, c complex128) []byte {
	part := func(f float64) string { return strings.TrimSuffix(string(appendFloat(nil, f)), ".0") }
	re, im := part(real(c)), part(imag(c))
	if real(c) == 0 && !math.Signbit(real(c)) {
		return append(append(b, im...), 'j')
	}
	if im[0] != '-' {
		im = "+" + im
	}
	b = append(append(b, '('), re...)
	return append(append(b, im...), "j)"...)
}

// quoteFor selects double quotes only for a text with single and without double quotes.
func quoteFor(s string) byte {
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		return '"'
	}
	return '\''
}

func appendText(b []byte, s string) []byte {
	quote := quoteFor(s)
	b = append(b, quote)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			b = appendASCII(b, c, quote)
			i++
			continue
		}
		r, n := DecodeRune(s[i:])
		if unicode.IsPrint(r) {
			b = append(b, s[i:i+n]...)
		} else {
			b = appendHex(b, r)
		}
		i += n
	}
	return append(b, quote)
}

func appendBytes(b []byte, s Bytes) []byte {
	quote := quoteFor(string(s))
	b = append(b, 'b', quote)
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			b = appendHex(b, rune(s[i]))
			continue
		}
		b = appendASCII(b, s[i], quote)
	}
	return append(b, quote)
}

func appendASCII(b []byte, c, quote byte) []byte {
	switch {
	case c == quote || c == '\\':
		return append(b, '\\', c)
	case c == '\n':
		return append(b, `\n`...)
	case c == '\r':
		return append(b, `\r`...)
	case c == '\t':
		return append(b, `\t`...)
	case c < ' ' || c == 0x7F:
		return appendHex(b, rune(c))
	}
	return append(b, c)
}

// appendHex prints a character as \x, \u or \U with as many digits as necessary.
func appendHex(b []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	width := 8
	switch {
	case r <= 0xFF:
		b, width = append(b, `\x`...), 2
	case r <= 0xFFFF:
		b, width = append(b, `\u`...), 4
	default:
		b = append(b, `\U`...)
	}
	for shift := 4 * (width - 1); shift >= 0; shift -= 4 {
		b = append(b, digits[r>>shift&0xF])
	}
	return b
}

// DecodeRune is [utf8.DecodeRuneInString], except that it decodes the three bytes of a surrogate.
func DecodeRune(s string) (rune, int) {
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2]&0xC0 == 0x80 {
		return rune(s[0]&0xF)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return utf8.DecodeRuneInString(s)
}
