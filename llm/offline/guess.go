package offline

import (
	"strings"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

// guess is an answer of the right form from the question alone: never a refusal, rarely right.
func (p policy) guess(want task.Shape) pyliteral.Value {
	switch want.Class {
	case task.AsInteger:
		return int64(3)
	case task.AsFloat:
		return want.Number(0.5)
	case task.AsBool:
		return true
	case task.AsYesNo:
		return "Yes"
	case task.AsUUID:
		return "00000000-0000-0000-0000-000000000000"
	case task.AsFormula:
		return "y = f(x)"
	case task.AsProse:
		return "The paper reports that " + strings.Join(words.Terms(p.Question), " ") + "."
	case task.AsList:
		return p.guessList(want)
	case task.AsDict:
		d := &pyliteral.Dict{}
		for i, key := range want.Keys {
			d.Set(key, p.guess(want.Part(i)))
		}
		return d
	}
	return p.guessText()
}

func (p policy) guessList(want task.Shape) pyliteral.Value {
	n := max(want.Count, len(want.Parts), 1)
	var list pyliteral.List
	for i := range n {
		part := want.Part(i)
		part.Keys, part.Parts = nil, nil
		list = append(list, p.guess(part))
	}
	return list
}

// guessText is a name of the question, or its content words.
func (p policy) guessText() string {
	if list := words.Names(p.Question); len(list) > 0 {
		return list[len(list)-1]
	}
	return strings.Join(words.Terms(p.Question), " ")
}
