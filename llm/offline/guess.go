package offline

import (
	"strings"

	"airqa/internal/pyliteral"
)

// guess is an answer of the right form from the question alone: never a refusal, rarely right.
func (t *task) guess(want shape) pyliteral.Value {
	switch want.class {
	case asInteger:
		return int64(3)
	case asFloat:
		return number(0.5, want)
	case asBool:
		return true
	case asYesNo:
		return "Yes"
	case asUUID:
		return "00000000-0000-0000-0000-000000000000"
	case asFormula:
		return "y = f(x)"
	case asProse:
		return "The paper reports that " + strings.Join(terms(t.question), " ") + "."
	case asList:
		return t.guessList(want)
	case asDict:
		d := &pyliteral.Dict{}
		for i, key := range want.keys {
			d.Set(key, t.guess(want.part(i)))
		}
		return d
	}
	return t.guessText()
}

func (t *task) guessList(want shape) pyliteral.Value {
	n := max(want.count, len(want.parts), 1)
	var list pyliteral.List
	for i := range n {
		part := want.part(i)
		part.keys, part.parts = nil, nil
		list = append(list, t.guess(part))
	}
	return list
}

// guessText is a name of the question, or its content words.
func (t *task) guessText() string {
	if list := names(t.question); len(list) > 0 {
		return list[len(list)-1]
	}
	return strings.Join(terms(t.question), " ")
}
