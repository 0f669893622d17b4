package evidence

import (
	"regexp"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/words"
)

var (
	calledPattern = regexp.MustCompile(`(?i)\b(?:call(?:ed|s)?|named?|term(?:ed|s)?|dubbed|known as|referred to as|denoted)\s+(?:(?:it|this|these|them|such|that)\s+(?:\w+\s+)?)?(?:the |an? )?["“‘'` + "`" + `]?([\p{L}][\p{L}\p{N}-]*)`)
	asksCalled    = regexp.MustCompile(`(?i)\b(?:called|named?|term|known as|word)\b`)
	phrasePattern = regexp.MustCompile(`[“"]([^”"]{2,60})[”"]|((?:\p{Lu}[\p{L}\p{N}@]*|[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*)(?:[- ](?:\p{Lu}[\p{L}\p{N}@]*|\d+\p{Lu}))*)`)
	newPattern    = regexp.MustCompile(`(?i)\b(?:introduc\w+|present\w*|propos\w+|releas\w+|new|construct\w*|build|collect\w*|we call)\b`)
	asksNew       = regexp.MustCompile(`(?i)\b(?:introduc\w+|present\w*|propos\w+|releas\w+|new)\b`)
)

// nameCandidates ranks what may be a name in the sentences that fit.
func (q *Case) nameCandidates() []candidate {
	var list []candidate
	order := q.best()
	for rank, i := range order[:min(len(order), 30)] {
		s := q.sentences[i]
		rating := q.scores[i] - 0.02*float64(rank)
		if asksNew.MatchString(q.text) && newPattern.MatchString(s.Text) {
			rating++
		}
		for _, p := range phrases(s.Text) {
			name := s.Text[p.start:p.end]
			if q.refuses(name) {
				continue
			}
			score := rating + q.nearness(s.Text, p.start, p.end) + p.bonus
			if p.called && asksCalled.MatchString(q.text) {
				score += 4
			}
			list = append(list, candidate{name, score})
		}
	}
	return firsts(ranked(list))
}

// refuses drops names whose words the question says already, and phrases where a word is wanted.
func (q *Case) refuses(name string) bool {
	if q.want.Word && strings.Contains(name, " ") {
		return true
	}
	for s := range words.Stems(name) {
		if !q.asked[s] && !words.Opens(s) {
			return false
		}
	}
	return true
}

// phrase is a stretch of a sentence that may be a name. The capital of a sentence's first word says nothing.
type phrase struct {
	start, end int
	bonus      float64
	called     bool
}

func phrases(text string) []phrase {
	var list []phrase
	for _, m := range calledPattern.FindAllStringSubmatchIndex(text, -1) {
		list = append(list, phrase{start: m[2], end: m[3], called: true, bonus: -2})
	}
	for _, m := range phrasePattern.FindAllStringSubmatchIndex(text, -1) {
		p := phrase{start: max(m[2], m[4]), end: max(m[3], m[5])}
		name := text[p.start:p.end]
		inner := strings.ToLower(name[1:]) != name[1:]
		switch {
		case inner:
			p.bonus = 1
		case p.start == 0 || len(name) < 2:
			continue
		}
		list = append(list, p)
	}
	return list
}

// firsts keeps the best of candidates that say the same.
func firsts(list []candidate) []candidate {
	var out []candidate
	seen := make(map[string]bool)
	for _, c := range list {
		key := strings.ToLower(pyliteral.Str(c.value))
		if !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	return out
}
