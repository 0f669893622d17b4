package evidence

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

// difference asks for what lies between two numbers.
var difference = regexp.MustCompile(`(?i)\bby how (?:many|much)|\bdifference (?:between|in)|\bhow (?:many|much) (?:higher|lower|more|larger|better|worse)\b`)

// Number is the number that stands nearest to the words of the question, or the difference of the two nearest.
func (q *Case) Number() pyliteral.Value {
	list := q.numberCandidates()
	if len(list) == 0 {
		return nil
	}
	value, _ := list[0].value.(float64)
	if second, ok := other(list); ok && difference.MatchString(q.text) && !q.saysDifference(list[0]) {
		value = max(value-second, second-value)
	}
	return q.want.Number(value)
}

// saysDifference tells that the text gives the difference itself: "11.5 points above".
func (q *Case) saysDifference(c candidate) bool {
	pattern := regexp.MustCompile(regexp.QuoteMeta(strconv.FormatFloat(c.value.(float64), 'f', -1, 64)) + `\s*(?:%|percentage )?\s*(?:points?|percent)\b`)
	for _, s := range q.sentences {
		if pattern.MatchString(s.Text) {
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
func (q *Case) numberCandidates() []candidate {
	asked := make(map[float64]bool)
	for _, n := range words.Numerals(q.text) {
		asked[n.Value] = !n.Word
	}
	list := q.cells()
	for i, s := range q.sentences {
		found := words.Numerals(s.Text)
		// A stretch full of numbers is the flattened text of a table or a chart.
		crowd := min(1, 5/float64(len(found)+1))
		for _, n := range found {
			if q.fits(n) && !asked[n.Value] {
				score := q.scores[i] + q.nearness(s.Text, n.Start, n.End)
				list = append(list, candidate{n.Value, crowd*score + q.taste(s.Text, n)})
			}
		}
	}
	return ranked(list)
}

func (q *Case) fits(n words.Numeral) bool {
	if q.want.Class == task.AsInteger {
		return n.Decimals == 0 && n.Value == float64(int64(n.Value))
	}
	return !n.Word
}

// valueOf is what stands before the value of a symbol: "β =".
var valueOf = regexp.MustCompile(`([\p{L}\p{N}_]+)\s*(?:=|≈|to be|is set to)\s*$`)

var howMany = regexp.MustCompile(`(?i)\bhow many ((?:[\p{L}-]+ ?){1,3})|\bnumber of ((?:[\p{L}-]+ ?){1,2})`)

// taste is what the form of a number and the word after it add: "how many pages" wants "31 pages".
func (q *Case) taste(text string, n words.Numeral) float64 {
	bonus := 0.0
	if q.want.Class == task.AsFloat && q.want.Decimals > 0 {
		bonus -= 0.5
		if n.Decimals == q.want.Decimals {
			bonus += 1.5
		}
	}
	after := text[n.End:]
	if m := valueOf.FindStringSubmatch(text[:n.Start]); m != nil && q.words.Sum(words.Stems(m[1])) > 0 {
		bonus += 3
	}
	lower := strings.ToLower(q.text)
	if strings.Contains(lower, "percent") && strings.HasPrefix(strings.TrimSpace(after), "%") {
		bonus++
	}
	if m := howMany.FindStringSubmatch(q.text); m != nil {
		counted, next := words.Stems(m[1]+m[2]), words.Of(after)
		for _, w := range next[:min(3, len(next))] {
			if counted[words.Stem(w)] {
				return bonus + 1.5
			}
		}
	}
	return bonus
}

// reach is how many bytes around a place nearness looks at. A flattened table is one sentence of thousands of numbers.
const reach = 300

// nearness adds up the weights of the question's words around a place of a text, less for each word between.
func (q *Case) nearness(text string, start, end int) float64 {
	left := words.Of(words.Spelled(text[max(0, start-reach):start]))
	slices.Reverse(left)
	return q.fade(left) + q.fade(words.Of(words.Spelled(text[end:min(end+reach, len(text))])))
}

func (q *Case) fade(list []string) float64 {
	total := 0.0
	seen := make(map[string]bool)
	for i, w := range list {
		if s := words.Stem(w); !seen[s] {
			seen[s] = true
			total += q.words[s] / (1 + float64(i)/2)
		}
	}
	return total
}
