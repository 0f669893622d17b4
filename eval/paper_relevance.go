package eval

import (
	"context"

	"airqa/internal/fuzzy"
	"airqa/internal/pyliteral"
	"airqa/internal/pystr"
)

var paperRelevance = Function{
	Name: "eval_paper_relevance_with_reference_answer",
	Params: []Param{
		formal("question", KindText), required("reference_answer", KindText|KindList), optional("threshold", KindNumber, defaultThreshold),
	},
	Closed: true,
	fixed:  fixedRelevance,
	score: func(_ context.Context, _ *Scorer, t *Comparison, prediction pyliteral.Value, k kwargs) (outcome, error) {
		titles, ok := k.titles()
		if !ok {
			return outcome{}, nil
		}
		return isTitle(t, prediction, titles, k.get("threshold", defaultThreshold))
	},
}

// titles returns the right titles; false when the argument is neither a text nor a list.
func (k kwargs) titles() ([]pyliteral.Value, bool) {
	switch x := k.get("reference_answer", nil).(type) {
	case string:
		return []pyliteral.Value{x}, true
	case pyliteral.List:
		return x, true
	}
	return nil, false
}

// isTitle tells whether a text is one of the titles, but for case and a few characters.
func isTitle(t *Comparison, prediction pyliteral.Value, titles []pyliteral.Value, threshold pyliteral.Value) (outcome, error) {
	said, ok := prediction.(string)
	if !ok {
		return outcome{}, raise("a title of type %s has no lower case", pyliteral.Type(prediction))
	}
	said = pystr.Lower(said)
	closest := -1
	for _, v := range titles {
		title, ok := v.(string)
		if !ok {
			return outcome{}, raise("a reference title of type %s has no lower case", pyliteral.Type(v))
		}
		title = pystr.Lower(title)
		possible, err := atLeast(fuzzy.Limit(said, title), threshold)
		if err != nil {
			return outcome{}, err
		}
		if !possible && t == nil {
			continue
		}
		score := fuzzy.Ratio(said, title)
		enough, _ := atLeast(score, threshold)
		if t != nil && score > closest {
			closest = score
			t.Said, t.Gold = pyliteral.Repr(said), pyliteral.Repr(v)
			_, _ = matching{method: defaultMethod, threshold: threshold}.reaches(t, score)
			t.Rule += ", in lower case"
		}
		if enough {
			return passed(true), nil
		}
	}
	return outcome{}, nil
}
