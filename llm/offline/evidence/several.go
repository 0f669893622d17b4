package evidence

import (
	"regexp"
	"slices"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/task"
)

// Several lists candidates of one kind, as many as are asked for; named tells that they are names, which stand in no
// enumeration.
func (q *Case) Several(named bool) pyliteral.Value {
	element, n := q.want.Part(0), q.want.Count
	each := *q
	each.want = element
	if element.Class == task.AsInteger || element.Class == task.AsFloat {
		return take(numbersLike(each.numberCandidates(), element), n)
	}
	if rows := each.rowsBeyond(); len(rows) > 0 {
		return take(asValues(rows), n)
	}
	if !named {
		if found := each.enumeration(n); len(found) > 0 {
			return take(asValues(found), n)
		}
	}
	var values []pyliteral.Value
	for _, c := range each.nameCandidates() {
		values = append(values, c.value)
	}
	return take(values, n)
}

func asValues(list []string) []pyliteral.Value {
	values := make([]pyliteral.Value, len(list))
	for i, s := range list {
		values[i] = s
	}
	return values
}

func numbersLike(list []candidate, want task.Shape) []pyliteral.Value {
	var values []pyliteral.Value
	for _, c := range list {
		x, _ := c.value.(float64)
		if v := want.Number(x); !slices.Contains(values, v) {
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
func (q *Case) enumeration(n int) []string {
	order := q.best()
	for _, i := range order[:min(8, len(order))] {
		text := strings.TrimRight(q.sentences[i].Text, ".")
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
