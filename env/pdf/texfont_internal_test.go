package pdf

import (
	"math"
	"slices"
	"testing"
)

// bitmapText returns a page of a bitmap font without a name, in which each code is followed by the next one. Widths are
// rounded to dots.
func bitmapText(t *testing.T, name string, size, dot float64, codes ...byte) ([]Glyph, *coded) {
	t.Helper()
	fonts := texFonts().fonts
	at := slices.IndexFunc(fonts, func(f texFont) bool { return f.name == name })
	if at < 0 {
		t.Fatalf("no font %s", name)
	}
	c := &coded{texts: map[int]string{}}
	var glyphs []Glyph
	x := 72.0
	for i, code := range codes {
		width := math.Round(fonts[at].widths[code]*size/dot) * dot
		shape, ok := texFonts().inks[[]rune(fonts[at].encoding[code])[0]]
		if !ok {
			shape = ink{0.7, 0.7}
		}
		if fonts[at].family == "cmex" {
			shape = ink{0, 1.4}
		}
		box := Box{X0: x, X1: x + 0.9*width, Y0: 100 - shape.top*size, Y1: 100 - (shape.top-shape.height)*size}
		glyphs = append(glyphs, Glyph{Rune: rune(code), Box: box, X: x, Baseline: 100, Size: size})
		c.add(run{handle: 1, size: 1}, texGlyph{glyph: i, code: code, width: width, sure: true})
		x += width
	}
	return glyphs, c
}

func TestBitmapFontsAreReadByTheirWidths(t *testing.T) {
	for _, c := range []struct {
		name, font string
		size, dot  float64
		codes      []byte
		want       string
	}{
		{"old ligatures", "CMR10", 9.96, 0.12, []byte("A\x0enee\x0ecient\x0cnal\x0bort"), "Affineefficientfinalffort"},
		{"old dashes and quotes", "CMBX12", 14.35, 0.12, []byte("\\Oh\"{so|12{14"), "“Oh”–so—12–14"},
		{"Cork ligatures", "SFRM1000", 9.96, 0.12, []byte("e\x1ecient,o\x1fine\x1cnd\x15out\x10Q\x11"), "efficient,offlinefind–out“Q”"},
		{"Cork letters", "SFTI1000", 10.9, 0.24, []byte("Stra\xffeD\xf8rstDvo\xb0\xe1k\x8a\xf3d\xb9"), "StraßeDørstDvořákŁódź"},
		{"typewriter", "CMTT10", 9.96, 0.12, []byte("f_x{a<b}"), "f_x{a<b}"},
		{"formula italics", "CMMI10", 9.96, 0.12, []byte("x\x0by:z;k<n"), "xαy.z,k<n"},
		{"symbols", "CMSY10", 9.96, 0.12, []byte("\x00\x02\x06\x14\x18\x32"), "−×±≤∼∈"},
		{"big signs", "CMEX10", 9.96, 0.12, []byte("\x50\x52\x58"), "∑∫∑"},
		{"a lone minus sign", "CMSY10", 9.96, 0.24, []byte{0}, "−"},
		{"a lone minus sign, small", "CMSY7", 6.97, 0.12, []byte{0}, "−"},
		{"a lone bar", "CMSY10", 10.91, 0.12, []byte("jj"), "||"},
		{"decimal points", "CMMI10", 9.96, 0.12, []byte(":::"), "..."},
		{"colons", "CMR10", 9.96, 0.12, []byte(":::"), ":::"},
		{"a lone bullet", "CMSY10", 9.96, 0.12, []byte{15}, "•"},
		{"a lone digit", "CMR7", 6.97, 0.12, []byte("3"), "3"},
		{"blackboard", "MSBM10", 9.96, 0.01, []byte("RNZQ"), "RNZQ"},
	} {
		glyphs, codes := bitmapText(t, c.font, c.size, c.dot, c.codes...)
		out, replaced := codes.read(glyphs)
		got := ""
		for _, g := range out {
			got += string(g.Rune)
		}
		if !replaced || got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestUnknownBitmapFontsKeepLettersAndMarkOthers(t *testing.T) {
	c := &coded{texts: map[int]string{}}
	var glyphs []Glyph
	for i, code := range []byte("\x00ab\x85x") {
		glyphs = append(glyphs, Glyph{Rune: rune(code), Size: 10, Box: Box{X0: float64(13 * i), X1: float64(13*i + 12), Y1: 12}})
		c.add(run{handle: 1, size: 1}, texGlyph{glyph: i, code: code, width: 13.37 * float64(i+1), sure: true})
	}
	out, _ := c.read(glyphs)
	got := ""
	for _, g := range out {
		got += string(g.Rune)
	}
	if want := "\uFFFDab\uFFFDx"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCodesOfNamedFonts(t *testing.T) {
	for _, c := range []struct {
		font     string
		r        rune
		unmapped bool
		want     string
		code     bool
	}{
		{"CMEX10", 'X', true, "∑", true},
		{"CMEX10", 'Z', true, "∫", true},
		{"CMEX10", '0', true, piece, true},
		{"CMSY10", 0x37, true, "↦", true},
		{"CMSY10", 0, false, "−", true},
		{"Cmsy10", 0xF000, false, "−", true},
		{"Cmmi10", 0xF03A, false, ".", true},
		{"TeX_CM_Maths_Italic", 0xF03B, false, ",", true},
		{"MTSYN", 0xC0, false, "−", true},
		{"RMTMI", 0xF03A, false, ".", true},
		{"MSAM10", 0x36, true, "⩽", true},
		{"MSBM10", 'R', true, "", false},
		{"SFRM1000", 0x1C, true, "fi", true},
		{"TCRM1000", 0x84, true, "†", true},
		{"TCRM1000", 0xA7, true, "", false},
		{"CMR12", ' ', true, "\u0335", true},
		{"CMR12", ' ', false, "", false},
		{"SymbolMT", 0xF06D, false, "μ", true},
		{"Wingdings-Regular", 0xF0FC, false, "✓", true},
		{"Wingdings2", 0xF0FC, false, "", false},
		{"MathematicalPi-One", '1', true, noChar, true},
		{"AdvPS44A44B", 'K', false, "−", true},
		{"AdvP4C4E74", 'Â', false, "×", true},
		{"AdvPS6F00", 'K', false, "", false},
		{"NimbusRomNo9L-Regu", 'a', true, "", false},
		{"CMMI10", 'x', false, "", false},
	} {
		style := run{font: c.font, handle: 1, encoding: encodingOf(c.font), shapes: shapesOf(c.font)}
		if got, code := style.text(c.r, c.unmapped); got != c.want || code != c.code {
			t.Errorf("%s %U: %q %v, want %q %v", c.font, c.r, got, code, c.want, c.code)
		}
	}
}

func TestEncodingsAreComplete(t *testing.T) {
	fonts, encodings := texFonts().fonts, texFonts().encodings
	for _, f := range fonts {
		if f.encoding == nil || len(f.widths) < 100 {
			t.Errorf("%s has no encoding or few widths", f.name)
		}
	}
	for name, e := range encodings {
		if e == nil {
			t.Errorf("%s has no encoding", name)
		}
	}
	if len(fonts) < 90 {
		t.Errorf("%d fonts", len(fonts))
	}
}
