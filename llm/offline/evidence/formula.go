package evidence

import (
	"regexp"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

var (
	dollars     = regexp.MustCompile(`^[\s$]+|[\s$]+$|\\tag\{[^}]*\}`)
	symbols     = regexp.MustCompile(`\b\p{L}_\{?\w+\}?|\b\p{L}\b`)
	inlineEqual = regexp.MustCompile(`\S+ ?= ?[^.;]{3,80}`)
)

// Formula is the equation that holds most symbols that the question names and stands among its words.
func (q *Case) Formula() pyliteral.Value {
	best, most := "", -1.0
	for _, it := range q.items {
		if it.Kind != task.IsEquation {
			continue
		}
		if score := q.symbolScore(it.Text); score > most {
			best, most = dollars.ReplaceAllString(strings.TrimSpace(it.Text), ""), score
		}
	}
	if best != "" {
		return best
	}
	for _, i := range q.best() {
		if m := inlineEqual.FindString(q.sentences[i].Text); m != "" {
			return m
		}
	}
	return nil
}

func (q *Case) symbolScore(text string) float64 {
	score := q.words.Sum(words.Stems(text))
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
