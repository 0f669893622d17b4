package bpe

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is a set of general categories.
type class uint8

const (
	upper  class = 1 << iota // Lu, Lt
	lower                    // Ll
	other                    // Lm, Lo
	mark                     // M
	number                   // N
	space                    // \s
	symbol                   // all others

	letter    = upper | lower | other
	upperCase = upper | other | mark
	lowerCase = lower | other | mark
)

// classTable has the classes of the characters below the last letter.
type classTable []class

func (t classTable) of(r rune) class {
	if int(r) < len(t) {
		return t[r]
	}
	if unicode.Is(unicode.M, r) {
		return mark
	}
	return symbol
}

// run returns the length in bytes of the characters of class c at the beginning of s, at most limit of them.
func (t classTable) run(s string, c class, limit int) int {
	for i := 0; i < len(s); limit-- {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if t.of(r)&c == 0 || limit == 0 {
			return i
		}
		i += size
	}
	return len(s)
}

// classes returns the table. It has the categories of Unicode 16, as the tokenizers library does; those of the standard
// library may be older.
var classes = sync.OnceValue(func() classTable {
	table := make(classTable, 0x32400)
	for r := range table {
		table[r] = symbol
	}
	for _, set := range []struct {
		class  class
		tables []*unicode.RangeTable
		recent []rune // first and last of the ranges that Unicode 15.1 and 16 added
	}{
		{upper, []*unicode.RangeTable{unicode.Lu, unicode.Lt}, []rune{
			0x1C89, 0x1C89, 0xA7CB, 0xA7CC, 0xA7DA, 0xA7DA, 0xA7DC, 0xA7DC, 0x10D50, 0x10D65,
		}},
		{lower, []*unicode.RangeTable{unicode.Ll}, []rune{
			0x1C8A, 0x1C8A, 0xA7CD, 0xA7CD, 0xA7DB, 0xA7DB, 0x10D70, 0x10D85,
		}},
		{other, []*unicode.RangeTable{unicode.Lm, unicode.Lo}, []rune{
			0x105C0, 0x105F3, 0x10D4A, 0x10D4F, 0x10D6F, 0x10D6F, 0x10EC2, 0x10EC4, 0x11380, 0x11389, 0x1138B, 0x1138B,
			0x1138E, 0x1138E, 0x11390, 0x113B5, 0x113B7, 0x113B7, 0x113D1, 0x113D1, 0x113D3, 0x113D3, 0x11BC0, 0x11BE0,
			0x13460, 0x143FA, 0x16100, 0x1611D, 0x16D40, 0x16D6C, 0x18CFF, 0x18CFF, 0x1E5D0, 0x1E5ED, 0x1E5F0, 0x1E5F0,
			0x2EBF0, 0x2EE5D,
		}},
		{mark, []*unicode.RangeTable{unicode.M}, []rune{
			0x0897, 0x0897, 0x10D69, 0x10D6D, 0x10EFC, 0x10EFC, 0x113B8, 0x113C0, 0x113C2, 0x113C2, 0x113C5, 0x113C5,
			0x113C7, 0x113CA, 0x113CC, 0x113D0, 0x113D2, 0x113D2, 0x113E1, 0x113E2, 0x11F5A, 0x11F5A, 0x1611E, 0x1612F,
			0x1E5EE, 0x1E5EF,
		}},
		{number, []*unicode.RangeTable{unicode.N}, []rune{
			0x10D40, 0x10D49, 0x116D0, 0x116E3, 0x11BF0, 0x11BF9, 0x16130, 0x16139, 0x16D70, 0x16D79, 0x1CCF0, 0x1CCF9,
			0x1E5F1, 0x1E5FA,
		}},
		{space, []*unicode.RangeTable{unicode.White_Space}, nil},
	} {
		for _, r := range set.tables {
			table.fill(set.class, r)
		}
		for ends := range slices.Chunk(set.recent, 2) {
			for r := ends[0]; r <= ends[1]; r++ {
				table[r] = set.class
			}
		}
	}
	return table
})

func (t classTable) fill(c class, r *unicode.RangeTable) {
	for _, part := range r.R16 {
		for i := rune(part.Lo); i <= rune(part.Hi); i += rune(part.Stride) {
			t[i] = c
		}
	}
	for _, part := range r.R32 {
		for i := rune(part.Lo); i <= rune(part.Hi) && int(i) < len(t); i += rune(part.Stride) {
			t[i] = c
		}
	}
}
