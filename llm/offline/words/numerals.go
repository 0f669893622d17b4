package words

import (
	"regexp"
	"strconv"
	"strings"
)

// Numeral is a number in a text: its value, how it is written, and where it stands, in bytes.
type Numeral struct {
	Value      float64
	Decimals   int
	Start, End int
	Word       bool // written as a word
}

var (
	numeralPattern = regexp.MustCompile(`(\d+(?:\.\d+)?) ?[×x·*] ?10 ?\^?\{? ?-? ?(\d+)|\b10\^?\{?-(\d)\b|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+(?:[eE]-?\d+)?`)
	labelBefore    = regexp.MustCompile(`(?i)(?:table|tab\.|figure|fig\.|section|sec\.|equation|eq\.|appendix|step|page|pages|et al\.,?|\[|\()\s*$`)
	joinedBefore   = regexp.MustCompile(`[\p{L}@_.\d/]-?$`)
	joinedAfter    = regexp.MustCompile(`^(?:-?\p{L}|[.,]?\d)`)
)

// Numerals finds the numbers of a text. Numbers that are part of a name or a label are left out.
func Numerals(text string) []Numeral {
	var list []Numeral
	for _, m := range numeralPattern.FindAllStringSubmatchIndex(text, -1) {
		n := Numeral{Start: m[0], End: m[1]}
		before, after := text[max(0, m[0]-12):m[0]], text[m[1]:]
		if n.parse(text, m) && !joinedBefore.MatchString(before) && !joinedAfter.MatchString(after) && !n.label(before, after) {
			list = append(list, n)
		}
	}
	for _, m := range wordPattern.FindAllStringIndex(text, -1) {
		if v, ok := Count(text[m[0]:m[1]]); ok && v > 0 && text[m[0]] > '9' {
			list = append(list, Numeral{Value: float64(v), Start: m[0], End: m[1], Word: true})
		}
	}
	return list
}

// label tells that a number counts nothing: that of a table or section, or the year of a citation.
func (n Numeral) label(before, after string) bool {
	if labelBefore.MatchString(before) && !strings.HasPrefix(after, "%") {
		return true
	}
	year := n.Value >= 1900 && n.Value < 2100 && n.End-n.Start == 4
	return year && (strings.ContainsAny(after[:min(2, len(after))], ").;") || strings.HasSuffix(before, ", "))
}

// parse reads the match m of numeralPattern, with powers of ten written as 2 × 10−5 or 10−3.
func (n *Numeral) parse(text string, m []int) bool {
	s := text[m[0]:m[1]]
	switch {
	case m[2] >= 0:
		sign := ""
		if strings.Contains(text[m[3]:m[4]], "-") {
			sign = "-"
		}
		s = text[m[2]:m[3]] + "e" + sign + text[m[4]:m[5]]
	case m[6] >= 0:
		s = "1e-" + text[m[6]:m[7]]
	}
	s = strings.ReplaceAll(s, ",", "")
	if _, tail, ok := strings.Cut(s, "."); ok {
		n.Decimals = len(tail)
	}
	v, err := strconv.ParseFloat(s, 64)
	n.Value = v
	return err == nil
}

// counts are the numerals that papers and formats write as words.
var counts = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
	"sixteen seventeen eighteen nineteen twenty")

// Count reads a count in digits or, up to twenty, as a word; false when it is none.
func Count(w string) (int, bool) {
	for i, c := range counts {
		if c == strings.ToLower(w) {
			return i, true
		}
	}
	n, err := strconv.Atoi(w)
	return n, err == nil && n >= 0
}
