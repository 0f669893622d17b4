package bpe

import "strings"

// The file spells each byte of a token as a printable character. Bytes that are printable in Latin-1 stand for
// themselves, the others for the characters from U+0100 on.

// runeOf returns the character that stands for a byte.
func runeOf(b byte) rune {
	switch {
	case b <= ' ':
		return 0x100 + rune(b)
	case b < 0x7f || b > 0xa0 && b != 0xad:
		return rune(b)
	case b == 0xad:
		return 0x143
	}
	return 0x121 + rune(b-0x7f)
}

// byteOf returns the byte that a character stands for.
func byteOf(r rune) (b byte, ok bool) {
	switch {
	case r == 0x143:
		return 0xad, true
	case r >= 0x121 && r <= 0x142:
		return byte(r - 0x121 + 0x7f), true
	case r >= 0x100 && r <= 0x120:
		return byte(r - 0x100), true
	}
	return byte(r), r > ' ' && r <= 0xff && runeOf(byte(r)) == r
}

// spell returns the bytes of a text as the file spells them.
func spell(text string) string {
	var s strings.Builder
	for i := range len(text) {
		s.WriteRune(runeOf(text[i]))
	}
	return s.String()
}

// unspell returns the text of a token. A token with a character outside the alphabet is its own text.
func unspell(token string) string {
	text := make([]byte, 0, len(token))
	for _, r := range token {
		b, ok := byteOf(r)
		if !ok {
			return token
		}
		text = append(text, b)
	}
	return string(text)
}
