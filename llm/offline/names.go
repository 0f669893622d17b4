package offline

import (
	"regexp"
	"strings"

	"airqa/internal/pyliteral"
)

var (
	calledPattern = regexp.MustCompile(`(?i)\b(?:call(?:ed|s)?|named?|term(?:ed|s)?|dubbed|known as|referred to as|denoted)\s+(?:(?:it|this|these|them|such|that)\s+(?:\w+\s+)?)?(?:the |an? )?["“‘'` + "`" + `]?([\p{L}][\p{L}\p{N}-]*)`)
	asksCalled    = regexp.MustCompile(`(?i)\b(?:called|named?|term|known as|word)\b`)
	phrasePattern = regexp.MustCompile(`[“"]([^”"]{2,60})[”"]|((?:\p{Lu}[\p{L}\p{N}@]*|[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*)(?:[- ](?:\p{Lu}[\p{L}\p{N}@]*|\d+\p{Lu}))*)`)
	newPattern    = regexp.MustCompile(`(?i)\b(?:introduc\w+|present\w*|propos\w+|releas\w+|new|construct\w*|build|collect\w*|we call)\b`)
	asksNew       = regexp.MustCompile(`(?i)\b(?:introduc\w+|present\w*|propos\w+|releas\w+|new)\b`)
)

// text is a short answer: the number of a section, a caption, a row of a table, a word that something is called, or
// a name near the words of the question.
func (t *task) text(q ask) pyliteral.Value {
	if s := t.heading(q); s != "" {
		return s
	}
	if s := t.caption(); s != "" {
		return s
	}
	for _, g := range q.grids() {
		if best, ok := q.extreme(g); ok && best.label != "" {
			return best.label
		}
	}
	if list := q.nameCandidates(); len(list) > 0 {
		return list[0].value
	}
	if order := q.best(); len(order) > 0 {
		return q.sentences[order[0]].text
	}
	return nil
}

// nameCandidates ranks what may be a name in the sentences that fit.
func (q *ask) nameCandidates() []candidate {
	var list []candidate
	order := q.best()
	for rank, i := range order[:min(len(order), 30)] {
		s := q.sentences[i]
		rating := q.scores[i] - 0.02*float64(rank)
		if asksNew.MatchString(q.text) && newPattern.MatchString(s.text) {
			rating++
		}
		for _, p := range phrases(s.text) {
			name := s.text[p.start:p.end]
			if q.refuses(name) {
				continue
			}
			score := rating + q.nearness(s.text, p.start, p.end) + p.bonus
			if p.called && asksCalled.MatchString(q.text) {
				score += 4
			}
			list = append(list, candidate{name, score})
		}
	}
	return firsts(ranked(list))
}

// refuses drops names whose words the question says already, and phrases where a word is wanted.
func (q *ask) refuses(name string) bool {
	if q.want.word && strings.Contains(name, " ") {
		return true
	}
	for s := range stems(name) {
		if !q.asked[s] && !questionOpeners[s] {
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

var headingNumber = regexp.MustCompile(`^(?:section |appendix )?((?:[IVXLC]+|[A-Z]|\d+)(?:\.\d+)*)[.)]?\s+`)

// heading answers which section something stands in: its number when a number is asked for, its title otherwise.
func (t *task) heading(q ask) string {
	if t.place() != isSection {
		return ""
	}
	title, most := "", 0.0
	for _, it := range q.items {
		score := 3*q.words.sum(stems(it.label)) + q.words.sum(stems(it.text))
		if it.kind == isSection && score > most {
			title, most = flat(it.label), score
		}
	}
	m := headingNumber.FindStringSubmatch(title)
	switch {
	case m == nil:
		return title
	case strings.Contains(strings.ToLower(t.format), "number"):
		return m[1]
	}
	return strings.TrimPrefix(title, m[0])
}

var captionLabel = regexp.MustCompile(`(?i)^(?:figure|fig\.|table|tab\.)\s*[\dIVXLC.]+\s*[:.]?\s*`)

// caption answers what a caption says.
func (t *task) caption() string {
	if !captionPattern.MatchString(t.question) || t.numberedObject() == "" {
		return ""
	}
	for _, k := range []kind{isFigure, isTable} {
		if it := t.bestObject(k); it != nil && strings.HasPrefix(strings.ToLower(it.label), strings.ToLower(t.numberedObject())) {
			if strings.Contains(t.question, "without") || !strings.Contains(t.question, "label") {
				return captionLabel.ReplaceAllString(flat(it.label), "")
			}
			return flat(it.label)
		}
	}
	return ""
}

// bestObject is the figure or table whose caption fits the question best, nil when none was seen.
func (t *task) bestObject(k kind) *item {
	q := t.ask(t.question, t.want, nil)
	label := strings.ToLower(t.numberedObject())
	var best *item
	most := -1.0
	for i := range q.items {
		it := &q.items[i]
		score := q.words.sum(stems(it.label))
		if label != "" && strings.HasPrefix(strings.ToLower(it.label), label) {
			score += 100
		}
		if it.kind == k && score > most {
			best, most = it, score
		}
	}
	return best
}
