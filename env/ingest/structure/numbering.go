package structure

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	// decimalHead matches "3 Method", "3.1. Data", "A.2 Proofs".
	decimalHead = regexp.MustCompile(`^((?:\d{1,2}|[A-Z])(?:\.\d{1,2}){0,3})\.?\s+(\S.*)$`)
	// romanHead matches "IV. EXPERIMENTS".
	romanHead = regexp.MustCompile(`^([IVXLC]{1,6})\.\s+(\S.*)$`)
	// letterHead matches IEEE's "B. Features" and "Appendix A: Proofs".
	letterHead   = regexp.MustCompile(`^([A-Z])\.\s+(\S.*)$`)
	appendixHead = regexp.MustCompile(`^(?i:appendix)\s+([A-Z]|[IVX]{1,4}|\d)(?:\s*[.:–—-]\s*|\s+)(\S.*)$`)
)

// splitNumber splits "3.1 Data" into "3.1" and "Data"; number is empty if there is none.
func splitNumber(text string) (number, title string) {
	for _, pattern := range []*regexp.Regexp{appendixHead, romanHead, letterHead, decimalHead} {
		if m := pattern.FindStringSubmatch(text); m != nil {
			return m[1], strings.TrimSpace(m[2])
		}
	}
	return "", text
}

// levelOf counts the parts of "3.1.2".
func levelOf(number string) int { return strings.Count(number, ".") + 1 }

// roman parses a roman numeral up to a few hundred; it returns 0 for anything else.
func roman(s string) int {
	values := map[byte]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100}
	total := 0
	for i := range len(s) {
		v := values[s[i]]
		if v == 0 {
			return 0
		}
		if i+1 < len(s) && v < values[s[i+1]] {
			v = -v
		}
		total += v
	}
	return total
}

// anchorKinds maps the kinds of anchors that start a section to their level.
var anchorKinds = map[string]int{
	"section": 1, "appendix": 1, "subsection": 2, "subappendix": 2, "subsubsection": 3,
}

// starredKinds are the anchor kinds of unnumbered headings. All levels, down to paragraphs, use "section*".
var starredKinds = []string{"section*.", "chapter*.", "subsection*.", "subsubsection*."}

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
	if roman(printed) == n {
		return true
	}
	return len(printed) == 1 && strings.Contains(anchor, ".") && int(printed[0]-'A')+1 == n
}
