package pdf

import (
	"maps"
	"slices"
	"unicode"
)

// A Type 3 font carries its scale in a matrix that PDFium does not show: the bitmap fonts of dvips have a nominal size
// of 0.24 points. The real size follows from the height of known letters.

// smallestText is the nominal size in points below which no text is printed.
const smallestText = 2

// unsized reports whether the nominal size of a font may differ from the real one. Type 3 fonts have no name.
func (s run) unsized() bool { return s.handle != 0 && (s.font == "" || s.size < smallestText) }

// fontSize identifies a font at one nominal size.
type fontSize struct {
	font uint32
	size float64
}

// sized collects the glyphs of a page whose size is measured, as indexes by font.
type sized map[fontSize][]int

// correct replaces nominal sizes that contradict the letters. A font without known letters, such as one of symbols,
// takes the size of most other characters of its nominal size.
func (s sized) correct(glyphs []Glyph) {
	measured, count := map[fontSize]float64{}, map[float64]map[float64]int{}
	for key, members := range s {
		if size := measuredSize(glyphs, members); size > 0 {
			measured[key] = size
			if count[key.size] == nil {
				count[key.size] = map[float64]int{}
			}
			count[key.size][size] += len(members)
		}
	}
	for key, members := range s {
		size, known := measured[key]
		if !known {
			size = commonest(count[key.size])
		}
		if ratio := size / key.size; size <= 0 || ratio > 0.4 && ratio < 2.5 {
			continue // wide and narrow designs
		}
		for _, i := range members {
			glyphs[i].Size = size
		}
	}
}

// measuredSize returns the mean size according to each different letter, or 0 without known letters.
func measuredSize(glyphs []Glyph, members []int) float64 {
	const few = 2 // letters, which may be symbols with the codes of letters
	sizes := map[rune]float64{}
	for _, i := range members {
		g := &glyphs[i]
		if shape := texFonts().inks[g.Rune]; shape.top > 0 && shape.top == shape.height && (unicode.IsLetter(g.Rune) || unicode.IsDigit(g.Rune)) {
			height := g.Box.Height()
			if sideways := g.Angle%180 > 45 && g.Angle%180 < 135; sideways {
				height = g.Box.Width()
			}
			sizes[g.Rune] = height / shape.height
		}
	}
	if len(sizes) < few {
		return 0
	}
	// A fixed order of addition, so that the same page has the same sizes.
	sum := 0.0
	for _, size := range slices.Sorted(maps.Values(sizes)) {
		sum += size
	}
	return sum / float64(len(sizes))
}

// commonest returns the size of most glyphs, the smallest in a tie, or 0.
func commonest(count map[float64]int) (size float64) {
	for s, n := range count {
		if most := count[size]; n > most || n == most && s < size {
			size = s
		}
	}
	return size
}
