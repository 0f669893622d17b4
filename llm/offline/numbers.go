package offline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/pyliteral"
)

// numeral is a number in a text: its value, how it is written, and where it stands.
type numeral struct {
	value      float64
	decimals   int
	start, end int
	word       bool // written as a word
}

var (
	numeralPattern = regexp.MustCompile(`(\d+(?:\.\d+)?) ?[×x·*] ?10 ?\^?\{? ?-? ?(\d+)|\b10\^?\{?-(\d)\b|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+(?:[eE]-?\d+)?`)
	labelBefore    = regexp.MustCompile(`(?i)(?:table|tab\.|figure|fig\.|section|sec\.|equation|eq\.|appendix|step|page|pages|et al\.,?|\[|\()\s*$`)
	joinedBefore   = regexp.MustCompile(`[\p{L}@_.\d/]-?$`)
	joinedAfter    = regexp.MustCompile(`^(?:-?\p{L}|[.,]?\d)`)
)

// numerals finds the numbers of a text. Numbers that are part of a name or a label are left out.
func numerals(text string) []numeral {
	var list []numeral
	for _, m := range numeralPattern.FindAllStringSubmatchIndex(text, -1) {
		n := numeral{start: m[0], end: m[1]}
		before, after := text[max(0, m[0]-12):m[0]], text[m[1]:]
		if n.parse(text, m) && !joinedBefore.MatchString(before) && !joinedAfter.MatchString(after) && !n.label(before, after) {
			list = append(list, n)
		}
	}
	for _, m := range wordPattern.FindAllStringIndex(text, -1) {
		if v, ok := countWord(text[m[0]:m[1]]); ok && v > 0 && text[m[0]] > '9' {
			list = append(list, numeral{value: float64(v), start: m[0], end: m[1], word: true})
		}
	}
	return list
}

// label tells that a number counts nothing: that of a table or section, or the year of a citation.
func (n numeral) label(before, after string) bool {
	if labelBefore.MatchString(before) && !strings.HasPrefix(after, "%") {
		return true
	}
	year := n.value >= 1900 && n.value < 2100 && n.end-n.start == 4
	return year && (strings.ContainsAny(after[:min(2, len(after))], ").;") || strings.HasSuffix(before, ", "))
}

// parse reads the match m of numeralPattern, with powers of ten written as 2 × 10−5 or 10−3.
func (n *numeral) parse(text string, m []int) bool {
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
		n.decimals = len(tail)
	}
	v, err := strconv.ParseFloat(s, 64)
	n.value = v
	return err == nil
}

// difference asks for what lies between two numbers.
var difference = regexp.MustCompile(`(?i)\bby how (?:many|much)|\bdifference (?:between|in)|\bhow (?:many|much) (?:higher|lower|more|larger|better|worse)\b`)

// number is the number that stands nearest to the words of the question, or the difference of the two nearest.
func (q *ask) number() pyliteral.Value {
	list := q.numberCandidates()
	if len(list) == 0 {
		return nil
	}
	value, _ := list[0].value.(float64)
	if second, ok := other(list); ok && difference.MatchString(q.text) && !q.saysDifference(list[0]) {
		value = max(value-second, second-value)
	}
	return number(value, q.want)
}

// saysDifference tells that the text gives the difference itself: "11.5 points above".
func (q *ask) saysDifference(c candidate) bool {
	pattern := regexp.MustCompile(regexp.QuoteMeta(strconv.FormatFloat(c.value.(float64), 'f', -1, 64)) + `\s*(?:%|percentage )?\s*(?:points?|percent)\b`)
	for _, s := range q.sentences {
		if pattern.MatchString(s.text) {
			return true
		}
	}
	return false
}

// other is the best number that differs from the first.
func other(list []candidate) (float64, bool) {
	for _, c := range list[1:] {
		if v, ok := c.value.(float64); ok && v != list[0].value {
			return v, true
		}
	}
	return 0, false
}

// numberCandidates ranks the numbers of sentences and table cells; the values are float64.
func (q *ask) numberCandidates() []candidate {
	asked := make(map[float64]bool)
	for _, n := range numerals(q.text) {
		asked[n.value] = !n.word
	}
	list := q.cells()
	for i, s := range q.sentences {
		found := numerals(s.text)
		// A stretch full of numbers is the flattened text of a table or a chart.
		crowd := min(1, 5/float64(len(found)+1))
		for _, n := range found {
			if q.fits(n) && !asked[n.value] {
				score := q.scores[i] + q.nearness(s.text, n.start, n.end)
				list = append(list, candidate{n.value, crowd*score + q.taste(s.text, n)})
			}
		}
	}
	return ranked(list)
}

func ranked(list []candidate) []candidate {
	slices.SortStableFunc(list, func(a, b candidate) int { return compare(b.score, a.score) })
	return list
}

func (q *ask) fits(n numeral) bool {
	if q.want.class == asInteger {
		return n.decimals == 0 && n.value == float64(int64(n.value))
	}
	return !n.word
}

// valueOf is what stands before the value of a symbol: "β =".
var valueOf = regexp.MustCompile(`([\p{L}\p{N}_]+)\s*(?:=|≈|to be|is set to)\s*$`)

var howMany = regexp.MustCompile(`(?i)\bhow many ((?:[\p{L}-]+ ?){1,3})|\bnumber of ((?:[\p{L}-]+ ?){1,2})`)

// taste is what the form of a number and the word after it add: "how many pages" wants "31 pages".
func (q *ask) taste(text string, n numeral) float64 {
	bonus := 0.0
	if q.want.class == asFloat && q.want.decimals > 0 {
		bonus -= 0.5
		if n.decimals == q.want.decimals {
			bonus += 1.5
		}
	}
	after := text[n.end:]
	if m := valueOf.FindStringSubmatch(text[:n.start]); m != nil && q.words.sum(stems(m[1])) > 0 {
		bonus += 3
	}
	lower := strings.ToLower(q.text)
	if strings.Contains(lower, "percent") && strings.HasPrefix(strings.TrimSpace(after), "%") {
		bonus++
	}
	if m := howMany.FindStringSubmatch(q.text); m != nil {
		counted, next := stems(m[1]+m[2]), wordsOf(after)
		for _, w := range next[:min(3, len(next))] {
			if counted[stem(w)] {
				return bonus + 1.5
			}
		}
	}
	return bonus
}

// reach is how many bytes around a place nearness looks at. A flattened table is one sentence of thousands of numbers.
const reach = 300

// nearness adds up the weights of the question's words around a place of a text, less for each word between.
func (q *ask) nearness(text string, start, end int) float64 {
	left := wordsOf(spelled.Replace(text[max(0, start-reach):start]))
	slices.Reverse(left)
	return q.fade(left) + q.fade(wordsOf(spelled.Replace(text[end:min(end+reach, len(text))])))
}

func (q *ask) fade(words []string) float64 {
	total := 0.0
	seen := make(map[string]bool)
	for i, w := range words {
		if s := stem(w); !seen[s] {
			seen[s] = true
			total += q.words[s] / (1 + float64(i)/2)
		}
	}
	return total
}
