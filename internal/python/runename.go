package python

import (
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/runenames"
)

// named maps character names to characters. It is built for the first \N{NAME}: few texts have one, and building takes
// some milliseconds.
var named = sync.OnceValue(func() map[string]rune {
	names := make(map[string]rune, 40_000)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if name := runenames.Name(r); name != "" && name[0] != '<' {
			names[name] = r
		}
	}
	for i := range hangulCount {
		names["HANGUL SYLLABLE "+hangulLeads[i/(21*28)]+hangulVowels[i/28%21]+hangulTails[i%28]] = rune(0xAC00 + i)
	}
	return names
})

// controls are common character names that are only aliases in Unicode.
var controls = map[string]rune{
	"NULL": 0, "BACKSPACE": 8, "CHARACTER TABULATION": 9, "TAB": 9, "LINE FEED": 10, "NEW LINE": 10, "FORM FEED": 12,
	"CARRIAGE RETURN": 13, "ESCAPE": 27, "DELETE": 127, "NO-BREAK SPACE": 0xA0, "NBSP": 0xA0, "ZERO WIDTH NO-BREAK SPACE": 0xFEFF, "BOM": 0xFEFF,
}

// runeNamed returns the character with a Unicode name, in any case.
func runeNamed(name string) (rune, bool) {
	name = strings.ToUpper(name)
	if hex, ok := strings.CutPrefix(name, "CJK UNIFIED IDEOGRAPH-"); ok {
		return ideograph(hex)
	}
	if r, ok := controls[name]; ok {
		return r, true
	}
	r, ok := named()[name]
	return r, ok
}

// ideograph returns the CJK character whose name ends in hex.
func ideograph(hex string) (rune, bool) {
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) < 4 || len(hex) > 5 || len(hex) == 5 && hex[0] == '0' {
		return 0, false
	}
	r := rune(v)
	compatibility := 0xF900 <= r && r <= 0xFAFF || 0x2F800 <= r && r <= 0x2FA1F
	return r, r > 0x3100 && !compatibility && unicode.Is(unicode.Unified_Ideograph, r)
}

// The parts of the names of Korean syllables (Unicode, section 3.12); empty parts are silent.
var (
	hangulLeads  = strings.Split("G GG N D DD R M B BB S SS  J JJ C K T P H", " ")
	hangulVowels = strings.Split("A AE YA YAE EO E YEO YE O WA WAE OE YO U WEO WE WI YU EU YI I", " ")
	hangulTails  = strings.Split(" G GG GS N NJ NH D L LG LM LB LS LT LP LH M B BS S SS NG J C K T P H", " ")
)

// hangulCount is the number of Korean syllables.
const hangulCount = 19 * 21 * 28
