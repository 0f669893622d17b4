package structure

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"airqa/ingest/layout"
	"airqa/internal/lazyregexp"
)

var (
	// decimalHead matches "3 Method", "3.1. Data", "A.2 Proofs", "§ 2. Data".
	decimalHead = lazyregexp.New(`^(?:§+\s*)?((?:\d{1,2}|[A-Z])(?:\.\d{1,2}){0,4})\.?\s+(\S.*)$`)
	// romanHead matches "IV. EXPERIMENTS", plainRoman "IV Experiments".
	romanHead  = lazyregexp.New(`^(?:§+\s*)?([IVXLC]{1,6})\.\s+(\S.*)$`)
	plainRoman = lazyregexp.New(`^(I{2,3}|IV|VI{1,3}|IX|XI{1,3}|XIV|XVI{0,3})\s+(\S.*)$`)
	// pathHead matches the numbers of IEEE's subsections in outlines: "III-C Data", "II-C1 Notes".
	pathHead = lazyregexp.New(`^([IVXLC]{1,6}-[A-Z](?:\.?-?\d{1,2})?(?:-?[a-z])?)[.:)]?\s+(\S.*)$`)
	// letterHead matches IEEE's "B. Features".
	letterHead = lazyregexp.New(`^([A-Z])\.\s+(\S.*)$`)
	// chapterHead matches "Appendix A: Proofs", "Kapitel 2 Daten".
	chapterHead = lazyregexp.New(`^(?i:appendix|annex|annexe|anhang|` + layout.Pattern(layout.ChapterTerm) +
		`)\s+([A-Z]|[IVX]{1,4}|\d{1,2})(?:\s*[.:–—-]\s*|\s+)(\S.*)$`)
	// hanHead matches "第三章 模型", "三、模型".
	hanHead = lazyregexp.New(`^(?:第\s*([一二三四五六七八九十]{1,3}|\d{1,2})\s*[章节節部]|([一二三四五六七八九十]{1,3})、)\s*(\S.*)$`)
)

var chapterWords = func() map[string]bool {
	set := titleSet(layout.ChapterTerm)
	for _, word := range []string{"appendix", "annex", "annexe", "anhang"} {
		set[word] = true
	}
	return set
}()

// splitNumber splits "3.1 Data" into "3.1" and "Data"; number is empty if there is none.
func splitNumber(text string) (number, title string) {
	for _, pattern := range numberPatterns(text) {
		if m := pattern.FindStringSubmatch(text); m != nil {
			return strings.Join(m[1:len(m)-1], ""), strings.TrimSpace(m[len(m)-1])
		}
	}
	return "", text
}

// numberPatterns returns the patterns that may match a text: most lines begin with a word.
func numberPatterns(text string) []*lazyregexp.Regexp {
	first, size := utf8.DecodeRuneInString(text)
	switch {
	case first >= '0' && first <= '9', first == '§':
		return []*lazyregexp.Regexp{romanHead, decimalHead}
	case first >= 'A' && first <= 'Z' && (len(text) == 1 || strings.ContainsRune("IVXLC.- 0123456789", rune(text[1]))):
		return []*lazyregexp.Regexp{pathHead, romanHead, plainRoman, letterHead, decimalHead}
	case strings.ContainsRune("第一二三四五六七八九十", first) && size > 1:
		return []*lazyregexp.Regexp{hanHead}
	}
	if word, _, found := strings.Cut(text, " "); found && chapterWords[folded(word)] {
		return []*lazyregexp.Regexp{chapterHead}
	}
	return nil
}

// levelOf counts the parts of "3.1.2".
func levelOf(number string) int { return strings.Count(number, ".") + 1 }

// numberValue parses a whole number in western or Chinese digits.
func numberValue(s string) (n int, ok bool) {
	if n = hanNumber(s); n > 0 {
		return n, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// hanNumber parses a Chinese number up to 99; it returns 0 for anything else.
func hanNumber(s string) int {
	total := 0
	for _, r := range s {
		n := slices.Index([]rune("一二三四五六七八九"), r) + 1
		switch {
		case r == '十':
			total = 10 * max(1, total)
		case n > 0:
			total += n
		default:
			return 0
		}
	}
	return total
}

// roman parses a roman numeral up to a few hundred; it returns 0 for anything else.
func roman(s string) int {
	if s == "" || s[0] <= '9' {
		return 0
	}
	return max(0, layout.Numeral(s))
}

// anchorKinds maps the kinds of anchors that start a section to their level.
var anchorKinds = map[string]int{
	"section": 1, "appendix": 1, "subsection": 2, "subappendix": 2, "subsubsection": 3,
}

// sameNumber reports whether a printed number matches an anchor's: "IV" is "4", "B" in IEEE style is the last part of
// "3.2", "A" is "appendix.A".
func sameNumber(printed, anchor string) bool {
	if printed == "" || anchor == "" {
		return false
	}
	if printed == anchor || strings.HasSuffix(anchor, "."+printed) {
		return true // LNCS counts the paper as chapter 1
	}
	last := anchor[strings.LastIndexByte(anchor, '.')+1:]
	n, err := strconv.Atoi(last)
	if err != nil {
		return printed == last
	}
	if roman(printed) == n || hanNumber(printed) == n {
		return true
	}
	return len(printed) == 1 && strings.Contains(anchor, ".") && int(printed[0]-'A')+1 == n
}
