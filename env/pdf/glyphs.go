package pdf

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Glyph is one character of a page, in painting order. Ligatures are split into letters.
type Glyph struct {
	// Rune is ' ' for a space and '\n' for a line break; PDFium may have inferred both. It is U+FFFD if neither the file
	// nor the encodings of TeX's fonts say which character it is.
	Rune rune
	// Box is the tight bounding box of the ink: a comma is 2 points tall. Those of spaces and breaks may be empty.
	Box Box
	// X and Baseline are the glyph's origin: build lines from baselines rather than boxes.
	X, Baseline float64
	// Size is the size as displayed, in points.
	Size float64
	// Font is the font's name without its subset prefix, such as "NimbusRomNo9L-Medi".
	Font string
	// Angle is the writing direction on the page as displayed, in degrees counter-clockwise, 0 for upright.
	Angle int
	// Unmapped marks characters that are codes of their font, because the font does not say which characters they are.
	Unmapped bool
	// LineEnd marks a hyphen at a line's end, after which the line breaks.
	LineEnd bool
}

// Characters that PDFium uses for a hyphen at the end of a line, whose line break it omits.
const (
	hyphenMark    = 0x02
	oldHyphenMark = 0xFFFE
)

// run is the style of all glyphs of one text object.
type run struct {
	font   string
	handle uint32 // FPDF_FONT
	size   float64
	angle  int
	// unmapped is whether the first character has no Unicode, hidden whether the text is in a layer that is off.
	unmapped, hidden bool
	// encoding maps the codes of a font known by its name; it is nil for others.
	encoding *texEncoding
	// shapes are pairs of characters of a publisher's font: that of the file and the printed one.
	shapes []string
}

// Glyphs returns the characters of page n. It omits text outside the visible part of the page.
func (d *Document) Glyphs(ctx context.Context, n int) ([]Glyph, error) {
	glyphs, _, err := d.GlyphsAndText(ctx, n)
	return glyphs, err
}

// GlyphsAndText returns the characters of page n, and its text as extracted by PDFium, with PDFium's spaces, line
// breaks and order. The text serves to check the result of processing the glyphs. It omits hyphens that break words at
// line ends, and text outside the visible part of the page.
func (d *Document) GlyphsAndText(ctx context.Context, n int) (glyphs []Glyph, text string, err error) {
	err = d.onPage(ctx, n, func() (err error) {
		glyphs, text, err = d.pageGlyphs(n)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return glyphs, text, nil
}

func (d *Document) pageGlyphs(n int) ([]Glyph, string, error) {
	if err := d.turnTo(n); err != nil {
		return nil, "", err
	}
	glyphs, plain, err := d.textOnPage(n)
	if err != nil {
		return nil, "", err
	}
	if angle := MainAngle(glyphs, 1, 0.5); angle != 0 {
		// PDFium reverses the lines of text that is displayed sideways: read it upright.
		turns := uint64(d.frames[n].turns)
		d.g.call("FPDFPage_SetRotation", d.page, (turns+uint64(angle/90))%4)
		glyphs, plain, err = d.textOnPage(n)
		d.g.call("FPDFPage_SetRotation", d.page, turns)
		if err := cmp.Or(err, d.fault(n)); err != nil {
			return nil, "", err
		}
	}
	all, page := len(glyphs), d.frames[n].page()
	glyphs = slices.DeleteFunc(glyphs, func(g Glyph) bool { // breaks and spaces stay
		off := g.Box.X1 < page.X0 || g.Box.X0 > page.X1 || g.Box.Y1 < page.Y0 || g.Box.Y0 > page.Y1
		return off && g.Rune != ' ' && g.Rune != '\n'
	})
	if len(glyphs) < all || len(d.off) > 0 {
		plain = textOf(glyphs)
	}
	return glyphs, plain, nil
}

// textOf returns the text of glyphs in the form of PDFium's.
func textOf(glyphs []Glyph) string {
	var b strings.Builder
	for _, g := range glyphs {
		if !g.LineEnd {
			b.WriteRune(g.Rune)
		}
	}
	return b.String()
}

func (d *Document) textOnPage(n int) ([]Glyph, string, error) {
	text := uint64(d.g.word("FPDFText_LoadPage", d.page))
	if text == 0 {
		if err := d.fault(n); err != nil {
			return nil, "", err
		}
		return nil, "", &PageError{Page: n, Pages: d.pages, Reason: "its text is broken"}
	}
	glyphs, replaced := d.glyphs(text)
	plain := textOf(glyphs)
	if !replaced {
		const piece = scratchSize/2 - 1 // fits the scratch memory
		var units []uint16
		count := int(int32(d.g.word("FPDFText_CountChars", text)))
		for at := 0; at < count && d.g.err == nil; at += piece {
			n := int(d.g.word("FPDFText_GetText", text, uint64(at), uint64(min(piece, count-at)), d.g.at(0))) - 1
			b := d.g.bytes(d.g.scratch, uint32(2*min(piece, max(0, n))))
			for k := 0; k+1 < len(b); k += 2 {
				units = append(units, binary.LittleEndian.Uint16(b[k:]))
			}
		}
		plain = hyphenMarks.Replace(string(utf16.Decode(units)))
	}
	d.g.call("FPDFText_ClosePage", text)
	return glyphs, plain, d.fault(n)
}

// MainAngle returns the quarter turn at which a share of the characters is displayed, 0 to 270, if there are at least so many
// characters; else 0.
func MainAngle(glyphs []Glyph, fewest int, share float64) int {
	count, all := map[int]int{}, 0
	for _, g := range glyphs {
		if g.Size > 0 && g.Rune != ' ' {
			all++
			count[g.Angle]++
		}
	}
	for _, angle := range []int{0, 90, 180, 270} {
		if all >= fewest && float64(count[angle]) >= share*float64(all) {
			return angle
		}
	}
	return 0
}

// hyphenMarks removes the hyphens that break words, and makes others plain as [legible] does.
var hyphenMarks = strings.NewReplacer(string(rune(hyphenMark)), "", string(rune(oldHyphenMark)), "", "\u2010", "-", "\u2011", "-")

// glyphs returns the characters of a page, and whether some are not those that PDFium shows.
func (d *Document) glyphs(page uint64) (glyphs []Glyph, replaced bool) {
	count := int(int32(d.g.word("FPDFText_CountChars", page)))
	glyphs = make([]Glyph, 0, max(0, count))
	runs, unsized := map[uint32]run{}, sized{}
	codes := coded{texts: map[int]string{}}
	var high rune // a pending high surrogate
	for i := range max(0, count) {
		if d.g.err != nil {
			break
		}
		r := rune(d.g.word("FPDFText_GetUnicode", page, uint64(i)))
		if utf16.IsSurrogate(r) && r < 0xDC00 {
			high = r
			continue
		}
		if utf16.IsSurrogate(r) {
			r = utf16.DecodeRune(high, r)
		}
		high = 0
		style := d.styleOf(page, uint64(i), runs)
		unmapped := style.mayBeCode(r) && d.g.word("FPDFText_HasUnicodeMapError", page, uint64(i)) == 1
		text, isCode := style.text(r, unmapped)
		glyph, ok := d.glyph(page, i, r, style, isCode)
		switch {
		case !ok:
			continue
		case text != "":
			codes.texts[len(glyphs)] = text
		case isCode:
			g := texGlyph{glyph: len(glyphs), code: byte(r), sure: unmapped || r < 0x20, width: d.advance(page, uint64(i), glyph)}
			codes.add(style, g)
		}
		if style.unsized() {
			key := fontSize{style.handle, style.size}
			unsized[key] = append(unsized[key], len(glyphs))
		}
		glyphs = append(glyphs, glyph)
	}
	unsized.correct(glyphs)
	return codes.read(glyphs)
}

// styleOf returns the style of the text object of character i; a break has none.
func (d *Document) styleOf(page, i uint64, runs map[uint32]run) run {
	object := d.g.word("FPDFText_GetTextObject", page, i)
	if object == 0 {
		return run{}
	}
	style, known := runs[object]
	if !known {
		style = d.run(page, i, object)
		runs[object] = style
	}
	return style
}

// advance returns the horizontal advance of a glyph, if its ink does not hide it.
func (d *Document) advance(text, i uint64, g Glyph) float64 {
	const slack = 0.01
	if g.Angle != 0 || !d.g.yes("FPDFText_GetLooseCharBox", text, i, d.g.at(0)) {
		return 0
	}
	box := d.g.floats(4) // left, top, right, bottom: PDFium adds the box of the ink
	right := d.frames[d.current].box(box[0], box[3], box[2], box[1]).X1
	if right < g.Box.X1+slack {
		return 0
	}
	return right - g.X
}

// glyph returns character i; false if it is none. A code is always one.
func (d *Document) glyph(text uint64, i int, r rune, style run, code bool) (glyph Glyph, ok bool) {
	if !code && strings.ContainsRune("\r\n\uFE00\uFE0E\uFE0F", r) { // a break, or the form of the character before
		return Glyph{Rune: '\n'}, r == '\n'
	}
	glyph.Rune = r
	if !code {
		glyph.Rune, glyph.LineEnd = plain(r)
	}
	d.place(&glyph, text, uint64(i))
	if style.hidden || glyph.Rune == unread && (glyph.Box.Empty() || r >= 0xF8E5 && r <= 0xF8FE) { // in a layer that is off, without ink, or pieces of brackets
		return Glyph{}, false
	}
	glyph.Font, glyph.Size, glyph.Angle = style.font, style.size, style.angle
	glyph.Unmapped = style.unmapped || glyph.Rune == unread
	return glyph, true
}

// plain returns r with one kind of space and hyphen and without private use, and whether it is a hyphen at a line's end.
func plain(r rune) (out rune, lineEnd bool) {
	switch r = legible(r); {
	case r == hyphenMark || r == oldHyphenMark:
		return '-', true
	case r == '\t' || r == 0xA0:
		return ' ', false
	case dropped(r):
		return unread, false
	}
	return r, false
}

// dropped reports whether r is a control character, a non-character, or a private-use character unknown to [legible].
func dropped(r rune) bool {
	return r < 0x20 || (r >= 0x7F && r < 0xA0) || r == 0xFFFF || r == 0xFEFF || (r >= 0xE000 && r <= 0xF8FF)
}

// legible maps common private-use characters: Adobe's old-style digits and small capitals, bullets of symbol fonts,
// the hyphens of Unicode, and letters and digits of fonts that are said to be symbol fonts.
func legible(r rune) rune {
	switch {
	case r >= 0xF730 && r <= 0xF739:
		return '0' + r - 0xF730
	case r >= 0xF761 && r <= 0xF77A:
		return 'A' + r - 0xF761
	case strings.ContainsRune("\uF0B7\uF0A7\uF0D8", r):
		return '•'
	case r == 0x2010 || r == 0x2011: // hyphens that no one types
		return '-'
	}
	if low := r - 0xF000; low >= 0 && low < 0x80 && (unicode.IsLetter(low) || unicode.IsDigit(low)) {
		return low
	}
	return r
}

func (d *Document) place(glyph *Glyph, text, i uint64) {
	f := d.frames[d.current]
	if d.g.yes("FPDFText_GetCharBox", text, i, d.g.at(0), d.g.at(1), d.g.at(2), d.g.at(3)) {
		left, right, bottom, top := d.g.float64At(0), d.g.float64At(1), d.g.float64At(2), d.g.float64At(3)
		glyph.Box = f.box(left, bottom, right, top)
	}
	if d.g.yes("FPDFText_GetCharOrigin", text, i, d.g.at(0), d.g.at(1)) {
		glyph.X, glyph.Baseline = f.point(d.g.float64At(0), d.g.float64At(1))
	}
}

// run reads a text object's style. The nominal size may be 1 with the real one in the matrix.
func (d *Document) run(text, i uint64, object uint32) run {
	font := d.g.word("FPDFTextObj_GetFont", uint64(object))
	style := d.font(font)
	style.size = math.Float64frombits(d.g.call("FPDFText_GetFontSize", text, i))
	style.unmapped = style.encoding == nil && d.g.word("FPDFText_HasUnicodeMapError", text, i) == 1
	style.hidden = d.hidden(object)
	if d.g.yes("FPDFText_GetMatrix", text, i, d.g.at(0)) {
		m := d.g.floats(6)
		style.size *= math.Hypot(m[2], m[3])
		style.angle = d.frames[d.current].angle(math.Atan2(m[1], m[0]) * 180 / math.Pi)
	}
	return style
}

// font returns the parts of a style that follow from its font.
func (d *Document) font(font uint32) run {
	if known, ok := d.fonts[font]; ok || font == 0 {
		return known
	}
	size := min(d.g.word("FPDFFont_GetBaseFontName", uint64(font), d.g.at(0), scratchSize), scratchSize)
	name := strings.TrimRight(string(d.g.bytes(d.g.scratch, size)), "\x00")
	if len(name) > 7 && name[6] == '+' {
		name = name[7:]
	}
	d.fonts[font] = run{font: name, handle: font, encoding: encodingOf(name), shapes: shapesOf(name)}
	return d.fonts[font]
}
