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

// spell returns the bytes of a text as the file spells them.
func spell(text string) string {
	var s strings.Builder
	for i := range len(text) {
		s.WriteRune(runeOf(text[i]))
	}
	return s.String()
}
