package literal

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// InJSON reports whether a string of raw may have an occurrence: false is certain, true is not. raw is valid JSON, and
// [Normalized] if it is [Unusual].
func (p *Pattern) InJSON(raw []byte) bool {
	s := unsafe.String(unsafe.SliceData(raw), len(raw)) // only read, and only here
	return p.always || p.json.index(s, 0) >= 0 || p.json.hasOdd(s)
}

// Unusual reports whether valid JSON has an escape sequence other than the short ones that [encoding/json] writes: one
// character may then have several forms.
func Unusual(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return false
		}
		if c := raw[i+1]; c == 'u' || c == '/' {
			return true
		}
		raw = raw[i+2:]
	}
}

// Normalized appends valid JSON to dst with one form for each character: the short escape sequence if it has one,
// otherwise UTF-8. The result need not be JSON, since control characters remain as they are.
func Normalized(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		n := 2
		switch raw[i+1] {
		case '/':
			dst = append(dst, '/')
		case 'u':
			var r rune
			r, n = unescaped(raw[i:])
			dst = appendRune(dst, r)
		default:
			dst = append(dst, raw[i:i+2]...)
		}
		raw = raw[min(i+n, len(raw)):]
	}
}

// unescaped returns the character of the escape sequence \uXXXX, or of a pair of them, and its length.
func unescaped(raw []byte) (r rune, n int) {
	r = hexRune(raw)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(raw) > 6 {
		if pair := utf16.DecodeRune(r, hexRune(raw[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// hexRune returns the number of an escape sequence \uXXXX, or -1.
func hexRune(raw []byte) rune {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// appendString appends the normalized form of a text inside JSON.
func appendString(dst []byte, text string) []byte {
	for i := range len(text) {
		if short := shortEscape(rune(text[i])); short != 0 {
			dst = append(dst, '\\', short)
		} else {
			dst = append(dst, text[i])
		}
	}
	return dst
}

func appendRune(dst []byte, r rune) []byte {
	if short := shortEscape(r); short != 0 {
		return append(dst, '\\', short)
	}
	return utf8.AppendRune(dst, r)
}

// shortEscape is the second byte of the short escape sequence of a character, or 0.
func shortEscape(r rune) byte {
	switch r {
	case '"', '\\':
		return byte(r)
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}
