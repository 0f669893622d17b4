package offline

import (
	"regexp"
	"slices"
	"strings"

	"airqa/internal/pyliteral"
)

var clausePattern = regexp.MustCompile(`(?i)(?:(?:,|;)?\s+and,?|\?)\s+((?:(?:in|on|at|by|with|for|from|to|under|of)\s+)?(?:what|which|how|who|where|when)\b)`)

// clauses cuts a question where a second one begins: "…, and how many …".
func clauses(question string) []string {
	var list []string
	start := 0
	for _, m := range clausePattern.FindAllStringSubmatchIndex(question, -1) {
		list = append(list, strings.TrimSpace(question[start:m[0]]))
		start = m[2]
	}
	return append(list, strings.TrimSpace(question[start:]))
}

// list is an answer of several elements: one for each paper or part of the question, or several of one kind.
func (t *task) list(q ask) pyliteral.Value {
	n := q.want.count
	if n == 0 {
		n = len(q.want.parts)
	}
	parts := clauses(q.text)
	switch {
	case n > 1 && n == len(t.papers):
		return t.each(n, func(i int) (string, []string) { return pick(parts, i, n, q.text), t.papers[i : i+1] })
	case n > 1 && (n == len(parts) || mixed(q.want.parts)):
		return t.each(n, func(i int) (string, []string) { return pick(parts, i, n, q.text), nil })
	}
	return t.several(q)
}

// mixed tells that the elements are of different kinds.
func mixed(parts []shape) bool {
	return slices.ContainsFunc(parts, func(s shape) bool { return s.class != parts[0].class })
}

func pick(parts []string, i, n int, whole string) string {
	if len(parts) == n {
		return parts[i]
	}
	return whole
}

// each solves n parts, whose words and papers come from part.
func (t *task) each(n int, part func(i int) (string, []string)) pyliteral.Value {
	var list pyliteral.List
	for i := range n {
		text, papers := part(i)
		want := t.want.part(i)
		v := t.solve(text, want, papers)
		if v == nil {
			v = t.guess(want)
		}
		list = append(list, v)
	}
	return list
}

// several lists candidates of one kind, as many as are asked for.
func (t *task) several(q ask) pyliteral.Value {
	element := q.want.part(0)
	n := q.want.count
	q.want = element
	if element.class == asInteger || element.class == asFloat {
		return take(numbersLike(q.numberCandidates(), element), n)
	}
	if rows := q.rowsBeyond(); len(rows) > 0 {
		return take(asValues(rows), n)
	}
	if named := asksNames.MatchString(t.format); !named {
		if found := q.enumeration(n); len(found) > 0 {
			return take(asValues(found), n)
		}
	}
	var values []pyliteral.Value
	for _, c := range q.nameCandidates() {
		values = append(values, c.value)
	}
	return take(values, n)
}

var asksNames = regexp.MustCompile(`(?i)\bnames\b`)

func asValues(list []string) []pyliteral.Value {
	values := make([]pyliteral.Value, len(list))
	for i, s := range list {
		values[i] = s
	}
	return values
}

func numbersLike(list []candidate, want shape) []pyliteral.Value {
	var values []pyliteral.Value
	for _, c := range list {
		x, _ := c.value.(float64)
		if v := number(x, want); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// take keeps n values, two when no number is told; nil when there are none.
func take(values []pyliteral.Value, n int) pyliteral.Value {
	if len(values) == 0 {
		return nil
	}
	if n == 0 {
		n = 2
	}
	return pyliteral.List(values[:min(n, len(values))])
}

var (
	enumCut   = regexp.MustCompile(`\s*(?:;|,)\s+(?:and |or )?|\s+(?:and|or|as well as)\s+`)
	enumStart = regexp.MustCompile(`(?i).*(?::|\b(?:from|are|of|with|including|includes?|such as|namely|into|by|on|for|between|using)\b)\s*(?:the |an? )?`)
)

// enumeration finds "from A, B, C and D" with n members in the sentences that fit best; n is 0 when not told.
func (q *ask) enumeration(n int) []string {
	order := q.best()
	for _, i := range order[:min(8, len(order))] {
		text := strings.TrimRight(q.sentences[i].text, ".")
		for part := range strings.SplitSeq(text, "; ") {
			if found := members(part, n); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

const maxMembers = 60

// members reads a run of n short stretches between commas, of three or more when n is 0; the first loses what leads
// to it.
func members(text string, n int) []string {
	parts := enumCut.Split(text, maxMembers)
	for start := range parts {
		end := start + 1
		for end < len(parts) && end-start != n && isMember(parts[end]) {
			end++
		}
		first := enumStart.ReplaceAllString(parts[start], "")
		if got := end - start; n > 1 && got == n || n == 0 && got > 2 {
			if words := len(strings.Fields(first)); words > 0 && words <= 8 {
				return append([]string{first}, parts[start+1:end]...)
			}
		}
	}
	return nil
}

func isMember(s string) bool { return s != "" && len(strings.Fields(s)) <= 6 }

// dict solves the question once for each key.
func (t *task) dict() pyliteral.Value {
	d := &pyliteral.Dict{}
	for i, key := range t.want.keys {
		want := t.want.part(i)
		v := t.solve(key+" "+t.question, want, nil)
		if v == nil {
			v = t.guess(want)
		}
		d.Set(key, v)
	}
	return d
}
