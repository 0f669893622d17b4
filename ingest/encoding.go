package ingest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/encoding/charmap"

	"airqa/ingest/layout"
	"airqa/internal/terminal"
)

// A font without a Unicode map has the codes of an 8-bit encoding. PDFium shows those of Cyrillic and Greek letters as
// accented Latin ones: "Ââåäåíèå" for "Введение".

// encoding is a candidate for the text of such fonts.
type encoding struct {
	name string
	// common lists the ten most frequent letters of its languages: about two thirds of all letters.
	common string
	script *unicode.RangeTable
	table  *charmap.Charmap
	// other maps codes that differ from the table.
	other map[byte]rune
}

const (
	commonCyrillic = "оеаинтсрвл"
	commonGreek    = "αοιετσνηυρ"
)

// differentInT2A maps the codes at which T2A differs from CP1251.
var differentInT2A = map[byte]rune{0xBC: 'ё', 0x9C: 'Ё', 0xBE: '«', 0xBF: '»', 0x9D: '№', 0xB8: '¸'}

// encodings lists the candidates. T2A is that of TeX's Cyrillic fonts.
var encodings = []encoding{
	{"Cyrillic (T2A)", commonCyrillic, unicode.Cyrillic, charmap.Windows1251, differentInT2A},
	{"Cyrillic (CP1251)", commonCyrillic, unicode.Cyrillic, charmap.Windows1251, nil},
	{"Cyrillic (KOI8-R)", commonCyrillic, unicode.Cyrillic, charmap.KOI8R, nil},
	{"Cyrillic (ISO 8859-5)", commonCyrillic, unicode.Cyrillic, charmap.ISO8859_5, nil},
	{"Greek (CP1253)", commonGreek, unicode.Greek, charmap.Windows1253, nil},
}

// decode returns the letter of a code that PDFium shows as r.
func (e encoding) decode(r rune) rune {
	code, ok := charmap.Windows1252.EncodeRune(r)
	if !ok || r < 0x80 {
		return r
	}
	if other, ok := e.other[code]; ok {
		return other
	}
	if letter := e.table.DecodeByte(code); letter != unicode.ReplacementChar && !unicode.IsControl(letter) {
		return letter
	}
	return r
}

// fit returns the share of common small letters among the letters of a text, and a score to compare encodings with.
func (e encoding) fit(count map[rune]int) (share, score float64) {
	const rare = "ЂѓЃЉљЊњЌќЋћЏџЈјЅѕ" // at codes that T2A has quotation marks and ё at
	common, letters := 0, 0
	for r, n := range count {
		r = e.decode(r)
		if !unicode.Is(e.script, r) || strings.ContainsRune(rare, r) {
			continue
		}
		letters += n
		if strings.ContainsRune(e.common, r) {
			common += n
		}
	}
	return float64(common) / float64(max(1, letters)), float64(common) + 0.1*float64(letters)
}

// codesByFont counts the letters of each font, and each of its codes from 0x80 but those of symbols.
func codesByFont(inputs []layout.Input) (letters map[string]int, codes map[string]map[rune]int) {
	letters, codes = map[string]int{}, map[string]map[rune]int{}
	for _, in := range inputs {
		for _, g := range in.Glyphs {
			if unicode.IsLetter(g.Rune) {
				letters[g.Font]++
			}
			if codes[g.Font] == nil {
				codes[g.Font] = map[rune]int{}
			}
			if g.Rune >= 0x80 && g.Rune < 0x2200 {
				codes[g.Font][g.Rune]++
			}
		}
	}
	return letters, codes
}

// decodeFonts replaces the letters of fonts without a Unicode map, in glyphs and in PDFium's texts. The paper's other
// texts, such as its outline, may support a decision. It returns a problem, or "" if there are no such fonts, and whether
// the text is illegible.
func decodeFonts(inputs []layout.Input, texts []string, outline func() string) (problem string, illegible bool) {
	// These are the fonts most of whose letters are accented Latin ones, as in no language. Fonts of a few symbols are
	// ignored. The letters and other codes from 0x80 are counted.
	const fewest, different = 100, 12 // letters: less tells nothing
	letters, byFont := codesByFont(inputs)
	fonts, count := map[string]bool{}, map[rune]int{}
	for font, codes := range byFont {
		accented := 0
		for r := rune(0xC0); r < 0x100; r++ {
			accented += codes[r]
		}
		if accented < fewest || accented*2 < letters[font] || len(codes) < different {
			continue
		}
		fonts[font] = true
		for r, n := range codes {
			count[r] += n
		}
	}
	if len(fonts) == 0 {
		return unmappedText(inputs)
	}
	e, ok := bestEncoding(count, outline)
	if !ok {
		return "the fonts have no Unicode map: most letters are wrong", true
	}
	for i := range inputs {
		for k := range inputs[i].Glyphs {
			if g := &inputs[i].Glyphs[k]; fonts[g.Font] {
				g.Rune, g.Unmapped = e.decode(g.Rune), false
			}
		}
		texts[i] = strings.Map(e.decode, texts[i])
	}
	return fmt.Sprintf("fonts without a Unicode map: their text is read as %s", e.name), false
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// ornaments are what PDFium takes codes with names such as a97 for.
var ornaments = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x2700, Hi: 0x27BF, Stride: 1}}}

// unmappedText returns a problem if many letters are codes of their fonts other than ASCII, such as those of fonts that
// count from 1. Then few of them are small letters. In bitmap fonts with the codes of ASCII letters, only other characters
// may be wrong.
func unmappedText(inputs []layout.Input) (problem string, illegible bool) {
	const fewest = 200
	all, unmapped, small, bitmap := 0, 0, 0, 0
	for _, in := range inputs {
		for _, g := range in.Glyphs {
			letter := count(unicode.In(g.Rune, unicode.L, ornaments))
			all += letter
			if g.Unmapped || unicode.Is(ornaments, g.Rune) {
				unmapped += letter
				small += count(g.Rune >= 'a' && g.Rune <= 'z')
				bitmap += count(g.Font == "" && !strings.ContainsRune("\uFFFD ", g.Rune) && !g.LineEnd)
			}
		}
	}
	switch {
	case unmapped >= fewest && unmapped*20 >= all && small*5 <= unmapped*2:
		return fmt.Sprintf("the fonts of %d%% of the letters have no Unicode map: their text may be wrong", 100*unmapped/all), unmapped*3 > all
	case bitmap >= fewest:
		return fmt.Sprintf("the bitmap fonts of %d characters are unknown: signs, accents and ligatures among them may be wrong", bitmap), false
	}
	return "", false
}

// dropUnread returns a problem with the number of characters that cannot be read, or "". It removes those that are neither
// within a word nor beside a digit, such as bullets. The others are kept as U+FFFD, so that no word or number looks right.
func dropUnread(inputs []layout.Input) (problem string) {
	all, within := 0, 0
	var fonts []string
	for i := range inputs {
		glyphs := inputs[i].Glyphs
		var kept []layout.Glyph
		from := 0
		for k, g := range glyphs {
			if g.Rune != unicode.ReplacementChar {
				continue
			}
			if all++; g.Font != "" && !slices.Contains(fonts, g.Font) {
				fonts = append(fonts, g.Font)
			}
			if besideText(glyphs, k, -1) || besideText(glyphs, k, 1) {
				within++
				continue
			}
			kept, from = append(kept, glyphs[from:k]...), k+1
		}
		if from > 0 {
			inputs[i].Glyphs = append(kept, glyphs[from:]...)
		}
	}
	if all == 0 {
		return ""
	}
	problem = fmt.Sprintf("%s cannot be read, %d of them in words or beside numbers, where they are \uFFFD", terminal.Plural(all, "character"), within)
	if len(fonts) > 0 {
		problem += ": the fonts do not say what they are, such as " + strings.Join(fonts[:min(3, len(fonts))], ", ")
	}
	return problem
}

// besideText reports whether the character next to glyph i, in a direction, is a letter or a digit, or a digit after a space.
func besideText(glyphs []layout.Glyph, i, direction int) bool {
	spaced := false
	for i += direction; i >= 0 && i < len(glyphs); i += direction {
		switch r := glyphs[i].Rune; {
		case spaced, r != ' ' && r != unicode.ReplacementChar:
			return unicode.IsDigit(r) || unicode.IsLetter(r) && !spaced
		case r == ' ':
			spaced = true
		}
	}
	return false
}

// bestEncoding returns the encoding that makes ordinary text of letters. An outline in the script is a reason to accept a
// short or unusual text.
func bestEncoding(count map[rune]int, outline func() string) (best encoding, ok bool) {
	const clear, supported, script = 0.5, 0.3, 5
	most, share := 0.0, 0.0
	for _, e := range encodings {
		if fit, score := e.fit(count); score > most {
			best, most, share = e, score, fit
		}
	}
	if share >= clear {
		return best, true
	}
	inScript := 0
	for _, r := range outline() {
		if best.script != nil && unicode.Is(best.script, r) {
			inScript++
		}
	}
	return best, share >= supported && inScript >= script
}
