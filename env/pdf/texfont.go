package pdf

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A bitmap font of TeX has no name, and its glyphs have no names: the text consists of the codes of a TeX encoding. The
// widths of its codes identify the font. Outline fonts have a name, but often no Unicode for their symbols.

//go:embed texfonts.txt
var texFontData string

// texEncoding maps codes to characters, of which a ligature has several. See texfonts.txt.
type texEncoding [256]string

const (
	noChar = "␀" // a code without a character
	piece  = "␢" // a part of a big bracket, which is no character
	// unread is the character of glyphs that cannot be read.
	unread = unicode.ReplacementChar
)

// texFont is a font of TeX with a known width per code.
type texFont struct {
	name, family string // the family is the name of the encoding
	encoding     *texEncoding
	widths       []float64 // in em, negative for codes without a glyph
}

// ink is the vertical extent of a character in em: its top above the baseline, and its height.
type ink struct{ top, height float64 }

// texTable is the content of texfonts.txt.
type texTable struct {
	fonts     []texFont
	encodings map[string]*texEncoding // by the letters of a font's name in lower case
	shapes    map[string][]string     // pairs of characters by the start of a font's name: see run.shapes
	inks      map[rune]ink
	rare      map[string]string // characters by family, or "text"; "*" for all
}

var texFonts = sync.OnceValue(func() *texTable {
	t := &texTable{encodings: map[string]*texEncoding{}, shapes: map[string][]string{}, inks: map[rune]ink{}, rare: map[string]string{}}
	var e *texEncoding
	for line := range strings.Lines(texFontData) {
		switch f := strings.Fields(line); f[0] {
		case "#":
		case "encoding":
			e = &texEncoding{}
			copy(e[:], slices.Repeat([]string{noChar}, len(e)))
			t.encodings[f[1]] = e
		case "same":
			for _, name := range f[2:] {
				t.encodings[name] = t.encodings[f[1]]
			}
		case "shapes":
			t.shapes[f[1]] = f[2:]
		case "rare":
			t.rare[f[1]] = f[2]
		case "ink":
			top, _ := strconv.ParseFloat(f[1], 64)
			height, _ := strconv.ParseFloat(f[2], 64)
			for _, r := range f[3] {
				t.inks[r] = ink{top / 100, height / 100}
			}
		case "font":
			font := texFont{name: f[1], family: f[2], encoding: t.encodings[f[2]]}
			for at := 0; at+1 < len(f[3]); at += 2 {
				width, err := strconv.ParseInt(f[3][at:at+2], 36, 32)
				if err != nil {
					width = -1
				}
				font.widths = append(font.widths, float64(width)/500)
			}
			t.fonts = append(t.fonts, font)
			t.encodings[family(f[1])] = font.encoding
		default:
			first, _ := strconv.ParseUint(f[0], 16, 8)
			copy(e[first:], f[1:])
		}
	}
	return t
})

// shapesOf returns the pairs of a publisher's font.
func shapesOf(font string) []string {
	for start, pairs := range texFonts().shapes {
		if strings.HasPrefix(font, start) {
			return pairs
		}
	}
	return nil
}

// family returns the letters at the start of a font's name in lower case.
func family(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if end := strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }); end >= 0 {
		name = name[:end]
	}
	return name
}

// encodingOf returns the encoding of a font whose characters may be codes, by its name; nil if it is unknown.
func encodingOf(font string) *texEncoding {
	if strings.HasPrefix(strings.ToLower(font), "wingdings") && strings.ContainsAny(font, "23") {
		return nil
	}
	return texFonts().encodings[family(font)]
}

// mayBeCode reports whether a character may be a code that is known here, and not the character itself.
func (s run) mayBeCode(r rune) bool {
	return s.encoding != nil && (r > 0xFF || s.encoding[r] != string(r)) || s.font == "" && s.handle != 0
}

// text returns whether r may be a code of its font, and what it is then; "" if that is not known yet. Unmapped characters
// are codes, but those that PDFium adds are not.
func (s run) text(r rune, unmapped bool) (text string, isCode bool) {
	if i := slices.IndexFunc(s.shapes, func(pair string) bool { return strings.HasPrefix(pair, string(r)) }); i >= 0 {
		return strings.TrimPrefix(s.shapes[i], string(r)), true
	}
	added := !unmapped && (r == ' ' || r == hyphenMark)
	private := r >= 0xF000 && r <= 0xF0FF
	switch {
	case added || !s.mayBeCode(r):
	case s.encoding == nil:
		return "", r < 0x100
	case r == 0 || private || unmapped && r < 0x100:
		return s.encoding[byte(r)], true
	}
	return "", false
}

// texGlyph is a glyph that may be a code of a font of TeX.
type texGlyph struct {
	glyph int // its index
	code  byte
	width float64 // in points, 0 if unknown
	sure  bool    // it is a code: no character
}

// texRun has the glyphs of a font without a name on a page, at one nominal size.
type texRun struct {
	fontSize
	glyphs []texGlyph
}

// coded are the texts of glyphs that are codes, by the index of the glyph, and fonts without a name, whose codes are not
// known before the page is read.
type coded struct {
	texts map[int]string
	runs  []*texRun
	sure  bool // there are codes
}

// add notes a glyph of a font without a name.
func (c *coded) add(style run, g texGlyph) {
	key := fontSize{style.handle, style.size}
	at := slices.IndexFunc(c.runs, func(r *texRun) bool { return r.fontSize == key })
	if at < 0 {
		at = len(c.runs)
		c.runs = append(c.runs, &texRun{fontSize: key})
	}
	c.runs[at].glyphs = append(c.runs[at].glyphs, g)
	c.sure = c.sure || g.sure
}

// read replaces the codes by characters, and returns whether there were any. Characters that cannot be read become
// [unicode.ReplacementChar].
func (c *coded) read(glyphs []Glyph) (out []Glyph, replaced bool) {
	if c.sure {
		for _, r := range c.runs {
			r.read(glyphs, c.texts)
		}
	}
	for i, g := range glyphs {
		if g.Rune == 'L' && i > 0 && glyphs[i-1].Rune == ' ' && c.texts[i-1] == "" && hasLostStroke(g, glyphs[i-1]) {
			c.texts[i] = "Ł"
		}
	}
	if len(c.texts) == 0 {
		return glyphs, false
	}
	out = make([]Glyph, 0, len(glyphs)+len(c.texts))
	for i, g := range glyphs {
		if text, ok := c.texts[i]; ok {
			out = appendText(out, g, text)
		} else {
			out = append(out, g)
		}
	}
	return out, true
}

// hasLostStroke reports whether the stroke of an L, which is printed before it, is lost after a space, which then has its place.
func hasLostStroke(letter, space Glyph) bool {
	e, back := encodingOf(letter.Font), (space.X-letter.X)/letter.Size
	return e != nil && e[' '] == "\u0335" && space.Size > 0 && back > 0.03 && back < 0.06
}

// appendText appends the characters of a code at the place of its glyph.
func appendText(out []Glyph, g Glyph, text string) []Glyph {
	g.Unmapped = text == noChar
	if g.Box.Y0 > g.Baseline-0.1*g.Size && g.Box.Height() > 0.8*g.Size {
		g.Baseline = (g.Box.Y0+g.Box.Y1)/2 + 0.25*g.Size // a big sign hangs from its origin, but is centred on the axis
	}
	switch {
	case text == piece || strings.Contains("()[]{}⌊⌋⌈⌉⟨⟩/\\|∥", text) && g.Box.Height() > 2*g.Size:
		return out // a bracket around several lines belongs to none of them
	case text == noChar:
		text = string(unread)
	}
	for _, r := range text {
		g.Rune = r
		out = append(out, g)
	}
	return out
}

// read decodes the glyphs of a font if TeX has a font with its widths, or else only its letters: the places of ligatures and
// signs differ.
func (r *texRun) read(glyphs []Glyph, texts map[int]string) {
	font, size, unsure := r.font(r.measure(glyphs))
	for _, g := range r.glyphs {
		text := string(rune(g.code))
		if font != nil {
			text = font.encoding[g.code]
			glyphs[g.glyph].Font, glyphs[g.glyph].Size, texts[g.glyph] = font.name, size, text
		}
		if unsure && strings.Contains("0123456789", text) || font == nil && dropped(rune(g.code)) {
			texts[g.glyph] = noChar
		}
	}
}

// font returns the font whose widths are those of the codes, nil if there is none, its size in points, and whether one or two codes
// may as well be those of another font, which costs about as much: ∃ has the code of 9.
func (r *texRun) font(codes []texCode, kerned int) (best *texFont, size float64, unsure bool) {
	fonts := texFonts().fonts
	if r.isCyrillic() {
		fonts = nil
	}
	costs, least := make([]float64, len(fonts)), math.Inf(1)
	for i := range fonts {
		var s float64
		if s, costs[i] = fonts[i].fit(codes, kerned, r.size); costs[i] < least {
			best, size, least = &fonts[i], s, costs[i]
		}
	}
	unsure = best == nil
	for i, cost := range costs {
		unsure = unsure || cost < least+0.25 && fonts[i].encoding[codes[0].code] != best.encoding[codes[0].code]
	}
	return best, size, unsure && len(codes) < 3
}

// isCyrillic reports whether more than two letters follow each other that have accents in TeX's Latin fonts, as in no language.
func (r *texRun) isCyrillic() bool {
	accented := 0
	for i, g := range r.glyphs {
		if accented++; g.code < 0xC0 || i > 0 && g.glyph != r.glyphs[i-1].glyph+1 {
			accented = 0
		}
		if accented > 2 {
			return true
		}
	}
	return false
}

// texCode is a code as used on a page.
type texCode struct {
	code  byte
	width float64 // in points, 0 if unknown
	ink   ink     // in points, 0 if unknown
}

// measure returns the codes in order, with their widths, and how many widths may be wrong. If the file has no widths, they are
// the distances to the next glyph, a quarter of which may be smaller because of kerning; after commas they are too large.
func (r *texRun) measure(glyphs []Glyph) (codes []texCode, kerned int) {
	exact := slices.ContainsFunc(r.glyphs, func(g texGlyph) bool { return g.width > 0 })
	var widths [256][]float64
	var inks [256]ink
	for i, g := range r.glyphs {
		here, width := glyphs[g.glyph], g.width
		if here.Angle == 0 {
			inks[g.code] = ink{here.Baseline - here.Box.Y0, here.Box.Height()}
		}
		if !exact && i+1 < len(r.glyphs) && r.glyphs[i+1].glyph == g.glyph+1 && glyphs[g.glyph+1].Baseline == here.Baseline {
			width = max(0, glyphs[g.glyph+1].X-here.X)
		}
		widths[g.code] = append(widths[g.code], width)
	}
	for code, all := range widths {
		if len(all) == 0 {
			continue
		}
		if all = slices.DeleteFunc(all, func(w float64) bool { return w == 0 }); len(all) == 0 {
			all = []float64{0}
		}
		slices.Sort(all)
		codes = append(codes, texCode{byte(code), all[len(all)/4], inks[code]})
	}
	if !exact {
		kerned = len(codes) / 4
	}
	return codes, kerned
}

// inkError returns how far in points the ink of a code is from that in the font, 0 if that is unknown.
func (f *texFont) inkError(c texCode, size float64) float64 {
	first, _ := utf8.DecodeRuneInString(f.encoding[c.code])
	known, ok := texFonts().inks[first]
	switch {
	case c.ink.height == 0:
		return 0
	case f.family == "cmex" && first != 'ˆ' && first != '˜': // they hang below the baseline
		return max(0, c.ink.top)
	case !ok:
		return 0
	}
	return max(math.Abs(c.ink.top-known.top*size), math.Abs(c.ink.height-known.height*size))
}

// fit compares widths in points with those of the font. It returns the size in points and a cost, which is lower for a
// better match, infinite if a code has no glyph or other ink, or if more codes than kerned ones have another width.
func (f *texFont) fit(codes []texCode, kerned int, nominal float64) (size, cost float64) {
	const (
		pixel   = 0.13  // the largest error in points, of widths in whole dots at 300 dpi
		design  = 0.012 // the largest difference of designs for neighbouring sizes in em
		drawing = 0.25  // that of ink
		scarce  = 0.3   // cost of a code that is rare in texts
		smaller = 0.97  // of nominal sizes
	)
	size = f.size(codes)
	unlike := size < smaller*nominal || size > nominal/smaller
	if size < 3 || size > 80 || unlike && nominal >= smallestText*2 {
		return 0, math.Inf(1)
	}
	for _, c := range codes {
		off := 0.0
		if min(c.width, f.widths[c.code]) > 0 {
			off = math.Abs(c.width - size*f.widths[c.code])
		}
		if off > pixel+design*size {
			kerned--
		}
		inkOff := f.inkError(c, size)
		if inkOff > drawing*(size+1) || kerned < 0 {
			return 0, math.Inf(1)
		}
		cost += off*off + inkOff*inkOff/25
		if f.rare(c.code, len(codes) < 3) {
			cost += scarce * scarce
		}
	}
	n := float64(len(codes))
	return size, math.Sqrt(cost/n) + oddSize(size)/n
}

// oddSize returns how far in points a size is from those that TeX's fonts usually have.
func oddSize(size float64) float64 {
	least := size
	for _, usual := range []float64{5, 6, 7, 8, 9, 10, 10.95, 12, 14.4, 17.28, 20.74, 24.88} {
		least = min(least, math.Abs(size-usual*72/72.27))
	}
	return least
}

// size returns the size of the font in points at which most codes have their widths; 0 if a code has no glyph.
func (f *texFont) size(codes []texCode) float64 {
	var sizes []float64
	for _, c := range codes {
		if int(c.code) >= len(f.widths) || f.widths[c.code] < 0 || f.encoding[c.code] == noChar {
			return 0
		}
		if c.width > 0 && f.widths[c.code] > 0 {
			sizes = append(sizes, c.width/f.widths[c.code])
		}
	}
	if len(sizes) == 0 {
		return 0
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

// rare reports whether the character of a code is rare in texts, or in formulas for a font of these, or whether its font is, so
// that a letter or two are rather those of a common font. A ligature is rare as the only code, or one of two.
func (f *texFont) rare(code byte, few bool) bool {
	text := f.encoding[code]
	signs, listed := texFonts().rare[f.family]
	if !listed {
		signs = texFonts().rare["text"]
	}
	return signs == "*" || strings.Contains(signs, text) || few && code < 0x20 && text[0] == 'f'
}
