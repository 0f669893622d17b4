package offline

import (
	"regexp"
	"slices"
	"strings"

	"airqa/internal/pyliteral"
)

var (
	negation = regexp.MustCompile(`(?i)\b(?:no|not|never|none|nor|neither|without|cannot|nothing|fails? to)\b|n[’']t\b`)
	asksWhy  = regexp.MustCompile(`(?i)\bwhy\b|\breasons?\b|\bexplanation|\bexplain|\bcauses?\b`)
	saysWhy  = regexp.MustCompile(`(?i)\b(?:because|since|so that|therefore|due to|causes?|caused|hence|reason|as long as)\b`)
	asksFlaw = regexp.MustCompile(`(?i)\blimit(?:s|ations?)?\b|\bweakness|\bdrawback|\bshortcoming`)
	saysFlaw = regexp.MustCompile(`(?i)\b(?:limit\w*|only|did not|do not|does not|cannot|fails?|wrong|future work|although)\b`)
)

// prose is the count sentences that fit best, in the order of the text.
func (q *ask) prose(count int) pyliteral.Value {
	for i, s := range q.sentences {
		q.scores[i] += cue(q.text, s.text)
		if len(numerals(s.text)) > 5 {
			q.scores[i] /= 2
		}
	}
	order := q.best()
	if len(order) == 0 {
		return nil
	}
	top := order[:min(count, len(order))]
	slices.Sort(top)
	var parts []string
	for _, i := range top {
		parts = append(parts, q.sentences[i].text)
	}
	return strings.Join(parts, " ")
}

// cue is the bonus of a sentence that speaks as the question asks.
func cue(question, text string) float64 {
	bonus := 0.0
	if asksWhy.MatchString(question) && saysWhy.MatchString(text) {
		bonus += 1.5
	}
	if asksFlaw.MatchString(question) && saysFlaw.MatchString(text) {
		bonus += 1.5
	}
	return bonus
}

// truth tells whether the sentence that fits best affirms the question.
func (q *ask) truth() pyliteral.Value {
	order := q.best()
	if len(order) == 0 {
		return nil
	}
	best := q.sentences[order[0]]
	yes := negation.MatchString(best.text) == negation.MatchString(q.text)
	switch {
	case q.want.class == asBool:
		return yes
	case yes:
		return "Yes"
	}
	return "No"
}

var (
	dollars     = regexp.MustCompile(`^[\s$]+|[\s$]+$|\\tag\{[^}]*\}`)
	symbols     = regexp.MustCompile(`\b\p{L}_\{?\w+\}?|\b\p{L}\b`)
	inlineEqual = regexp.MustCompile(`\S+ ?= ?[^.;]{3,80}`)
)

// formula is the equation that holds most symbols that the question names and stands among its words.
func (q *ask) formula() pyliteral.Value {
	best, most := "", -1.0
	for _, it := range q.items {
		if it.kind != isEquation {
			continue
		}
		if score := q.symbolScore(it.text); score > most {
			best, most = dollars.ReplaceAllString(strings.TrimSpace(it.text), ""), score
		}
	}
	if best != "" {
		return best
	}
	for _, i := range q.best() {
		if m := inlineEqual.FindString(q.sentences[i].text); m != "" {
			return m
		}
	}
	return nil
}

func (q *ask) symbolScore(text string) float64 {
	score := q.words.sum(stems(text))
	text = strings.NewReplacer("_", "", "{", "", "}", "").Replace(text)
	for _, s := range symbols.FindAllString(q.text, -1) {
		s = strings.ReplaceAll(s, "_", "")
		if s != "a" && s != "I" && strings.Contains(text, s) {
			score += 0.7
		}
		if len(s) > 1 && strings.Contains(text, s+" =") {
			score += 2
		}
	}
	return score - 0.002*float64(len(text))
}
