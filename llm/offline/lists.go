package offline

import (
	"regexp"
	"slices"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/evidence"
	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

// list is an answer of several elements: one for each paper or part of the question, or several of one kind.
func (p policy) list(q *evidence.Case, text string, want task.Shape) pyliteral.Value {
	n := want.Count
	if n == 0 {
		n = len(want.Parts)
	}
	parts := words.Clauses(text)
	switch {
	case n > 1 && n == len(p.Papers):
		return p.each(n, func(i int) (string, []string) { return pick(parts, i, n, text), p.Papers[i : i+1] })
	case n > 1 && (n == len(parts) || mixed(want.Parts)):
		return p.each(n, func(i int) (string, []string) { return pick(parts, i, n, text), nil })
	}
	return q.Several(asksNames.MatchString(p.Format))
}

// mixed tells that the elements are of different kinds.
func mixed(parts []task.Shape) bool {
	return slices.ContainsFunc(parts, func(s task.Shape) bool { return s.Class != parts[0].Class })
}

func pick(parts []string, i, n int, whole string) string {
	if len(parts) == n {
		return parts[i]
	}
	return whole
}

// each solves n parts, whose words and papers come from part.
func (p policy) each(n int, part func(i int) (string, []string)) pyliteral.Value {
	var list pyliteral.List
	for i := range n {
		text, papers := part(i)
		want := p.Want.Part(i)
		v := p.solve(text, want, papers)
		if v == nil {
			v = p.guess(want)
		}
		list = append(list, v)
	}
	return list
}

// dict solves the question once for each key.
func (p policy) dict() pyliteral.Value {
	d := &pyliteral.Dict{}
	for i, key := range p.Want.Keys {
		want := p.Want.Part(i)
		v := p.solve(key+" "+p.Question, want, nil)
		if v == nil {
			v = p.guess(want)
		}
		d.Set(key, v)
	}
	return d
}

var asksNames = regexp.MustCompile(`(?i)\bnames\b`)
