package curate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// LeakKind is what a question has in common with a question of a benchmark.
type LeakKind string

// The kinds of leak, the strongest first.
const (
	SameQuestion LeakKind = "question" // equal words, or a quotation of 8 or more
	SameElement  LeakKind = "element"  // the same table, figure or section of the same paper, or the same answer from it
	SamePaper    LeakKind = "paper"
)

// LeakMatch is a question with a counterpart in the benchmark.
type LeakMatch struct {
	// UUID is the question's, Against the benchmark question's.
	UUID    string   `json:"uuid"`
	Kind    LeakKind `json:"kind"`
	Against string   `json:"against"`
	// Shared is the common text, element or paper.
	Shared string `json:"shared"`
}

// String describes the match on one line.
func (m LeakMatch) String() string {
	return fmt.Sprintf("same %s as %s: %s", m.Kind, m.Against, m.Shared)
}

// A quotation counts if it has [wholeQuote] words, or half of a shorter question, but at least leastQuote, and if enough
// of them are the question's own: not in a sequence of three words that is common in the benchmark or among our
// questions, such as "does the anchor paper". A quotation of longQuote words may be common among ours.
const (
	leastQuote = 5
	wholeQuote = 8
	longQuote  = 13
	ownWords   = 4
	phrase     = 3
)

// common returns the number of questions from which on a phrase is common among n.
func common(n int) int { return max(5, n/200) }

// Leaks compares questions with those of a benchmark.
type Leaks struct {
	kinds    []LeakKind
	refs     []reference
	whole    map[string]int32   // by the letters of all words
	grams    map[uint64][]int32 // by n-gram of leastQuote words
	phrases  map[uint64]int     // number of questions with each phrase
	papers   map[string][]int32
	elements map[string][]int32
	answers  map[string][]int32
}

type reference struct {
	uuid  string
	words int
}

// NewLeaks makes an empty benchmark. kinds are the kinds of leak to look for; none means all.
func NewLeaks(kinds ...LeakKind) *Leaks {
	if len(kinds) == 0 {
		kinds = []LeakKind{SameQuestion, SameElement, SamePaper}
	}
	return &Leaks{
		kinds: kinds, whole: make(map[string]int32), grams: make(map[uint64][]int32), phrases: make(map[uint64]int),
		papers: make(map[string][]int32), elements: make(map[string][]int32), answers: make(map[string][]int32),
	}
}

// Add adds a question of the benchmark.
func (l *Leaks) Add(ex qa.Example) {
	at := int32(len(l.refs))
	list := words(ex.Question)
	l.refs = append(l.refs, reference{ex.UUID, len(list)})
	if key := strings.Join(list, ""); key != "" {
		if _, ok := l.whole[key]; !ok {
			l.whole[key] = at
		}
	}
	if len(list) >= leastQuote {
		for _, g := range distinct(grams(list, leastQuote)) {
			l.grams[g] = append(l.grams[g], at)
		}
	}
	for _, g := range distinct(grams(list, phrase)) {
		l.phrases[g]++
	}
	for _, p := range ex.Papers() {
		l.papers[p] = append(l.papers[p], at)
	}
	for _, e := range elementsOf(ex) {
		l.elements[e] = append(l.elements[e], at)
	}
	for _, a := range answersOf(ex) {
		l.answers[a] = append(l.answers[a], at)
	}
}

// Find returns the matches of questions in their order, at most one of each kind per question.
func (l *Leaks) Find(questions []qa.Example) []LeakMatch {
	ours := l.phrasesOf(questions)
	var list []LeakMatch
	for _, ex := range questions {
		for _, kind := range l.kinds {
			at, shared, ok := int32(0), "", false
			switch kind {
			case SameQuestion:
				at, shared, ok = l.question(words(ex.Question), ours)
			case SameElement:
				if at, shared, ok = first(l.elements, elementsOf(ex)); !ok {
					at, shared, ok = first(l.answers, answersOf(ex))
				}
			case SamePaper:
				at, shared, ok = first(l.papers, ex.Papers())
			}
			if ok {
				list = append(list, LeakMatch{ex.UUID, kind, l.refs[at].uuid, shared})
			}
		}
	}
	return list
}

// phrasesOf returns the phrases of the benchmark that are common in it (false) or among questions (true).
func (l *Leaks) phrasesOf(questions []qa.Example) map[uint64]bool {
	list := make(map[uint64]bool)
	count := make(map[uint64]int)
	for _, ex := range questions {
		for _, g := range distinct(grams(words(ex.Question), phrase)) {
			if l.phrases[g] == 0 {
				continue
			}
			if count[g]++; count[g] > common(len(questions)) {
				list[g] = true
			}
		}
	}
	for g, n := range l.phrases {
		if n > common(len(l.refs)) {
			list[g] = false
		}
	}
	return list
}

// question finds the benchmark question with the longest quotation in a text.
func (l *Leaks) question(text []string, phrases map[uint64]bool) (at int32, shared string, ok bool) {
	if at, ok := l.whole[strings.Join(text, "")]; ok {
		return at, strings.Join(text, " "), true
	}
	if len(text) < leastQuote {
		return 0, "", false
	}
	own := ownWordsOf(text, phrases)
	current := make(map[int32]quotation)
	var best quotation
	for i, g := range grams(text, leastQuote) {
		for _, ref := range l.grams[g] {
			q := current[ref]
			if i+leastQuote != q.end+1 {
				q = quotation{ref: ref, start: i}
			}
			q.end = i + leastQuote
			current[ref] = q
			if l.counts(q, own) && q.before(best) {
				best = q
			}
		}
	}
	return best.ref, strings.Join(text[best.start:best.end], " "), best.end > 0
}

// quotation is a sequence of words of a text that are in a question of the benchmark, too.
type quotation struct {
	ref        int32
	start, end int
}

func (q quotation) words() int { return q.end - q.start }

func (q quotation) before(other quotation) bool {
	return q.words() > other.words() || q.words() == other.words() && q.ref < other.ref
}

// counts reports whether a quotation is long enough, with enough words of its own.
func (l *Leaks) counts(q quotation, own owned) bool {
	n := own.short[q.end] - own.short[q.start]
	if q.words() >= longQuote {
		n = own.long[q.end] - own.long[q.start]
	}
	if q.words() >= wholeQuote {
		return n >= ownWords
	}
	return n == q.words() && 2*n >= l.refs[q.ref].words
}

// owned has the number of words before each position that are not in a phrase: one that is common in the benchmark or
// among our questions (short), or in the benchmark (long).
type owned struct{ short, long []int }

func ownWordsOf(text []string, phrases map[uint64]bool) owned {
	inShort, inLong := make([]bool, len(text)), make([]bool, len(text))
	for i, g := range grams(text, phrase) {
		if ours, ok := phrases[g]; ok {
			for j := i; j < i+phrase; j++ {
				inShort[j], inLong[j] = true, inLong[j] || !ours
			}
		}
	}
	own := owned{make([]int, len(text)+1), make([]int, len(text)+1)}
	for i := range text {
		own.short[i+1], own.long[i+1] = own.short[i], own.long[i]
		if !inShort[i] {
			own.short[i+1]++
		}
		if !inLong[i] {
			own.long[i+1]++
		}
	}
	return own
}

// first returns the first key that a question of the benchmark has.
func first(index map[string][]int32, keys []string) (at int32, key string, ok bool) {
	for _, k := range keys {
		if refs := index[k]; len(refs) > 0 {
			return refs[0], k, true
		}
	}
	return 0, "", false
}

// element matches the mention of a numbered part of a paper.
var element = lazyregexp.New(`(?i)\b(table|figure|fig|section|sec|equation|eq|algorithm|appendix|page)s?\b\.?\s*(?:\(\s*)?([0-9]+(?:\.[0-9]+)*|[A-Z]\b)`)

// longNames spell out abbreviations.
var longNames = map[string]string{"fig": "figure", "sec": "section", "eq": "equation"}

// elementsOf lists the parts of papers that a question is about: the evidence of a synthesised question, or the parts
// that the question and its reasoning steps mention.
func elementsOf(ex qa.Example) []string {
	if list := evidenceOf(ex); len(list) > 0 {
		return list
	}
	var list []string
	for _, m := range element.FindAllStringSubmatch(ex.Question+"\n"+strings.Join(ex.ReasoningSteps, "\n"), -1) {
		name := strings.ToLower(m[1])
		name = cmp.Or(longNames[name], name) + " " + strings.ToLower(m[2])
		for _, paper := range ex.AnchorPDF {
			list = append(list, name+" of "+paper)
		}
	}
	return distinct(list)
}

// evidenceOf reads the evidence of a synthesised question, one object or several.
func evidenceOf(ex qa.Example) []string {
	type evidence struct{ Paper, Element string }
	var synth struct{ Evidence json.RawMessage }
	if json.Unmarshal(ex.Extra["synth"], &synth) != nil {
		return nil
	}
	var several []evidence
	if json.Unmarshal(synth.Evidence, &several) != nil {
		several = make([]evidence, 1)
		if json.Unmarshal(synth.Evidence, &several[0]) != nil {
			return nil
		}
	}
	var list []string
	for _, e := range several {
		if e.Paper != "" && e.Element != "" {
			list = append(list, e.Element+" of "+e.Paper)
		}
	}
	return list
}

// leastAnswer is the number of letters of the shortest gold answer to compare: "3" or "yes" are answers to many
// questions of a paper.
const leastAnswer = 6

// answersOf lists the gold answer of a question with each of its papers.
func answersOf(ex qa.Example) []string {
	var kwargs map[string]any
	if json.Unmarshal(ex.Evaluator.Kwargs, &kwargs) != nil {
		return nil
	}
	var gold []string
	for _, key := range []string{"gold", "answer", "reference_answer", "scoring_points"} {
		if v, ok := kwargs[key]; ok {
			gold = append(gold, words(fmt.Sprint(v))...)
		}
	}
	text := strings.Join(gold, " ")
	if len(text) < leastAnswer {
		return nil
	}
	var list []string
	for _, paper := range ex.AnchorPDF {
		list = append(list, fmt.Sprintf("the answer %q from %s", text, paper))
	}
	return list
}

// distinct returns the sorted distinct elements.
func distinct[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}
