package train

import (
	"encoding/json"
	"fmt"
	"strings"

	"airqa/qa"
)

// LeakMatch is a question with a counterpart in the benchmark.
type LeakMatch struct {
	// UUID is the question's, Against the benchmark question's.
	UUID    string
	Against string
	// Shared is the common text.
	Shared string
}

// String describes the match on one line.
func (m LeakMatch) String() string { return fmt.Sprintf("same text as %s: %s", m.Against, m.Shared) }

// leakWords is the length of the n-grams that two questions must not share: the 13 words of GPT-3's check for
// contamination (Brown et al. 2020, appendix C). Shorter sequences are also phrases of the field.
const leakWords = 13

// Leaks finds questions that share a sequence of 13 words with a benchmark, in their text or their gold answer. A text
// of fewer words leaks as a whole; a short answer only if it is from the same paper.
type Leaks map[uint64]string

// Add adds a question of the benchmark.
func (l Leaks) Add(ex qa.Example) {
	for _, text := range leakTexts(ex) {
		for _, g := range grams(text.words, leakWords) {
			key := mix(g, text.key)
			if _, known := l[key]; !known {
				l[key] = ex.UUID
			}
		}
	}
}

// Find returns the first match of a question.
func (l Leaks) Find(ex qa.Example) (LeakMatch, bool) {
	for _, text := range leakTexts(ex) {
		for i, g := range grams(text.words, leakWords) {
			if uuid, leaked := l[mix(g, text.key)]; leaked {
				shared := text.words[i:min(i+leakWords, len(text.words))]
				return LeakMatch{ex.UUID, uuid, strings.Join(shared, " ")}, true
			}
		}
	}
	return LeakMatch{}, false
}

// leakText is a text to compare with those of the same key.
type leakText struct {
	words []string
	key   uint64
}

// leakTexts returns the texts of a question: its words and those of its gold answer. A short answer has the key of each
// paper of the question.
func leakTexts(ex qa.Example) []leakText {
	const leastAnswer = 6 // letters: "3" or "yes" are answers to many questions of a paper
	list := []leakText{{words: foldedWords(ex.Question)}}
	var kwargs map[string]any
	_ = json.Unmarshal(ex.Evaluator.Kwargs, &kwargs) // those of another form have no gold answer
	var gold []string
	for _, key := range []string{"gold", "answer", "reference_answer", "scoring_points"} {
		if v, ok := kwargs[key]; ok {
			gold = append(gold, foldedWords(fmt.Sprint(v))...)
		}
	}
	if len(gold) >= leakWords {
		return append(list, leakText{words: gold})
	}
	if len(strings.Join(gold, "")) >= leastAnswer {
		for _, paper := range ex.AnchorPDF {
			list = append(list, leakText{gold, hash("answer", paper)})
		}
	}
	return list
}
