package bpe

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// normalize returns the normal form C of a text by Unicode 9, the version that the tokenizers library normalizes by:
// combining marks of later versions stay where they are.
func normalize(text string) string {
	if norm.NFC.IsNormalString(text) {
		return text
	}
	var all strings.Builder
	for text != "" {
		n := strings.IndexFunc(text, isLaterMark)
		if n < 0 {
			n = len(text)
		}
		all.WriteString(norm.NFC.String(text[:n]))
		text = text[n:]
		n = len(text) - len(strings.TrimLeftFunc(text, isLaterMark))
		all.WriteString(text[:n])
		text = text[n:]
	}
	return all.String()
}

// laterMarks has the first and the last of each range of marks that are reordered or composed since Unicode 10.
var laterMarks = []rune{
	0x07FD, 0x07FD, 0x0898, 0x089F, 0x08CA, 0x08D3, 0x09FE, 0x09FE, 0x0C3C, 0x0C3C, 0x0D3B, 0x0D3C,
	0x0EBA, 0x0EBA, 0x1715, 0x1715, 0x1ABF, 0x1ACE, 0x1DF6, 0x1DFA, 0xA82C, 0xA82C, 0x10D24, 0x10D27,
	0x10EAB, 0x10EAC, 0x10EFD, 0x10EFF, 0x10F46, 0x10F50, 0x10F82, 0x10F85, 0x11070, 0x11070, 0x1133B, 0x1133B,
	0x1145E, 0x1145E, 0x11839, 0x1183A, 0x11930, 0x11930, 0x1193D, 0x1193E, 0x11943, 0x11943, 0x119E0, 0x119E0,
	0x11A34, 0x11A34, 0x11A47, 0x11A47, 0x11A99, 0x11A99, 0x11D42, 0x11D42, 0x11D44, 0x11D45, 0x11D97, 0x11D97,
	0x11F41, 0x11F42, 0x16FF0, 0x16FF1, 0x1E08F, 0x1E08F, 0x1E130, 0x1E136, 0x1E2AE, 0x1E2AE, 0x1E2EC, 0x1E2EF,
	0x1E4EC, 0x1E4EF,
}

func isLaterMark(r rune) bool {
	if r < laterMarks[0] {
		return false
	}
	i, found := slices.BinarySearch(laterMarks, r)
	return found || i%2 == 1
}
