package offline

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"airqa/internal/pyliteral"
)

// ask is one question, or a part of one, before what was seen.
type ask struct {
	text      string
	want      shape
	asked     map[string]bool // stems of the whole question
	words     weights
	items     []item
	sentences []sentence
	// scores are how well the sentences fit, by index.
	scores []float64
}

// candidate is a possible answer.
type candidate struct {
	value pyliteral.Value
	score float64
}

// ask prepares a question over the items of the given papers; without papers, of those that the question is about.
func (t *task) ask(text string, want shape, papers []string) ask {
	if papers == nil {
		papers = t.located()
	}
	q := ask{text: text, want: want, asked: stems(t.question), items: t.of(papers)}
	seen := make(map[string]bool)
	for _, it := range q.items {
		q.read(it, seen)
	}
	q.words = t.weigh(text, q.sentences)
	// The words of the whole question count for its parts too.
	for s, w := range t.weigh(t.question, q.sentences) {
		if _, ok := q.words[s]; !ok {
			q.words[s] = w / 3
		}
	}
	q.rate()
	return q
}

// rate scores the sentences. What one speaks of is often said by the one before it, above all by a heading, a short
// announcement or a question, which are no answers themselves.
func (q *ask) rate() {
	q.scores = make([]float64, len(q.sentences))
	before := 0.0
	for i, s := range q.sentences {
		own, n := q.words.sum(s.stems), len(wordsOf(s.text))
		leads := n < 6 || strings.HasSuffix(s.text, "?")
		switch {
		case leads:
			q.scores[i], before = own/2+0.4*before, 0.8*own
		case n > 70:
			q.scores[i], before = own/2, 0
		default:
			q.scores[i], before = own+before, 0.4*own
		}
	}
}

// of returns the items of papers; all when none of them is.
func (t *task) of(papers []string) []item {
	var own []item
	for _, it := range t.items {
		if slices.Contains(papers, it.paper) {
			own = append(own, it)
		}
	}
	if len(own) == 0 {
		return t.items
	}
	return own
}

// read adds the sentences of an item that were not seen before.
func (q *ask) read(it item, seen map[string]bool) {
	text := it.text
	if it.kind == isTable || it.kind == isReady || it.kind == isEquation {
		text = it.label
	}
	for _, s := range split(text) {
		if seen[s] {
			continue
		}
		seen[s] = true
		q.sentences = append(q.sentences, sentence{text: s, stems: stems(s), paper: it.paper})
	}
}

// best lists the indices of the sentences, those that fit best first.
func (q *ask) best() []int {
	order := make([]int, len(q.sentences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(q.scores[b], q.scores[a]) })
	return order
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// ready returns the values of rows that are the answer themselves, nil without any.
func (t *task) ready() []any {
	var values []any
	for _, it := range t.items {
		if it.kind == isReady && it.value != nil {
			values = append(values, it.value)
		}
	}
	return values
}

// answer is the answer to the task from all that was seen, with a thought that says how it came about. Nothing seen
// gives a guess of the right form.
func (t *task) answer() (string, pyliteral.Value) {
	if v := t.fromReady(); v != nil {
		return "The result is the answer.", v
	}
	if len(t.items) == 0 {
		return "Nothing is given that answers this, so I guess in the form that is asked for.", t.guess(t.want)
	}
	thought := "This is what the text nearest to the words of the question says."
	if t.view && t.place() == isFigure {
		thought = "I cannot read the picture itself, so I answer from the caption and the text."
	}
	v := t.solve(t.question, t.want, nil)
	if v == nil {
		return "Nothing that I saw fits, so I guess in the form that is asked for.", t.guess(t.want)
	}
	return thought, v
}

// fromReady shapes a value that a statement computed.
func (t *task) fromReady() pyliteral.Value {
	values := t.ready()
	if len(values) == 0 {
		return nil
	}
	var list pyliteral.List
	for _, v := range values {
		if inner, ok := v.([]any); ok {
			for _, x := range inner {
				list = append(list, shaped(x, t.want.part(0)))
			}
			continue
		}
		list = append(list, shaped(v, t.want.part(0)))
	}
	if t.want.class == asList || len(list) == 0 {
		return list
	}
	return list[0]
}

// part is the shape of the element i of a list, and the shape itself of anything else.
func (s shape) part(i int) shape {
	if s.class != asList && s.class != asDict {
		return s
	}
	if len(s.parts) == 0 {
		return shape{decimals: s.decimals}
	}
	return s.parts[min(i, len(s.parts)-1)]
}

// shaped turns a JSON value into one of the class that is wanted.
func shaped(v any, want shape) pyliteral.Value {
	switch x := v.(type) {
	case float64:
		return number(x, want)
	case bool:
		return x
	case string:
		return x
	}
	return ""
}

// number gives a number the form that is asked for; a text format gets its digits.
func number(x float64, want shape) pyliteral.Value {
	whole := x == math.Trunc(x) && math.Abs(x) < 1e15
	switch {
	case want.class == asFloat && want.decimals >= 0:
		scale := math.Pow10(want.decimals)
		return math.Round(x*scale) / scale
	case want.class == asFloat:
		return x
	case want.class == asInteger && math.Abs(x) < 1e15:
		return int64(math.Round(x))
	case want.class == asBool:
		return x != 0
	case whole:
		return pyliteral.Str(int64(x))
	}
	return pyliteral.Str(x)
}

// solve answers a question, or a part of one, by the form of its answer; nil when nothing fits.
func (t *task) solve(text string, want shape, papers []string) pyliteral.Value {
	q := t.ask(text, want, papers)
	switch want.class {
	case asTitle, asUUID:
		return t.paperAnswer(want)
	case asInteger, asFloat:
		return q.number()
	case asBool, asYesNo:
		return q.truth()
	case asFormula:
		return q.formula()
	case asProse:
		return q.prose(max(want.count, 1))
	case asList:
		return t.list(q)
	case asDict:
		return t.dict()
	}
	return t.text(q)
}

// paperAnswer is the title or the id of the best paper; with passages only, what looks like a title.
func (t *task) paperAnswer(want shape) pyliteral.Value {
	best := t.bestPaper()
	switch {
	case best != nil && want.class == asUUID && best.paper != "":
		return best.paper
	case best != nil && want.class == asTitle:
		return best.label
	case want.class == asUUID:
		for _, it := range t.items {
			if it.paper != "" {
				return it.paper
			}
		}
		return nil
	}
	return t.titleInPassages()
}

var titlePattern = regexp.MustCompile(`\p{Lu}[\p{L}\p{N}-]*: (?:[\p{L}\p{N}-]+ ){2,14}[\p{L}\p{N}-]+`)

// titleInPassages takes the opening of a first page, or a stretch that looks like "Name: What It Does".
func (t *task) titleInPassages() pyliteral.Value {
	for _, it := range t.items {
		if m := titlePattern.FindString(flat(it.text)); m != "" {
			return m
		}
	}
	for _, it := range t.items {
		line, _, _ := strings.Cut(strings.TrimSpace(it.text), "\n")
		if n := len(strings.Fields(line)); it.page == 1 && n > 2 && n < 25 {
			return line
		}
	}
	if len(t.items) == 0 {
		return nil
	}
	if found := names(t.items[0].text); len(found) > 0 {
		return found[0]
	}
	return nil
}
