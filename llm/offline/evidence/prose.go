package evidence

import (
	"regexp"
	"slices"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

var (
	negation = regexp.MustCompile(`(?i)\b(?:no|not|never|none|nor|neither|without|cannot|nothing|fails? to)\b|n[’']t\b`)
	asksWhy  = regexp.MustCompile(`(?i)\bwhy\b|\breasons?\b|\bexplanation|\bexplain|\bcauses?\b`)
	saysWhy  = regexp.MustCompile(`(?i)\b(?:because|since|so that|therefore|due to|causes?|caused|hence|reason|as long as)\b`)
	asksFlaw = regexp.MustCompile(`(?i)\blimit(?:s|ations?)?\b|\bweakness|\bdrawback|\bshortcoming`)
	saysFlaw = regexp.MustCompile(`(?i)\b(?:limit\w*|only|did not|do not|does not|cannot|fails?|wrong|future work|although)\b`)
)

// Prose is the count sentences that fit best, in the order of the text.
func (q *Case) Prose(count int) pyliteral.Value {
	told := *q
	told.scores = slices.Clone(q.scores)
	for i, s := range q.sentences {
		told.scores[i] += cue(q.text, s.Text)
		if len(words.Numerals(s.Text)) > 5 {
			told.scores[i] /= 2
		}
	}
	order := told.best()
	if len(order) == 0 {
		return nil
	}
	top := order[:min(count, len(order))]
	slices.Sort(top)
	var parts []string
	for _, i := range top {
		parts = append(parts, q.sentences[i].Text)
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

// Truth tells whether the sentence that fits best affirms the question.
func (q *Case) Truth() pyliteral.Value {
	order := q.best()
	if len(order) == 0 {
		return nil
	}
	best := q.sentences[order[0]]
	yes := negation.MatchString(best.Text) == negation.MatchString(q.text)
	switch {
	case q.want.Class == task.AsBool:
		return yes
	case yes:
		return "Yes"
	}
	return "No"
}
