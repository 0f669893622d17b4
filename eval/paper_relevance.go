package eval

import (
	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

var paperRelevance = objective(
	Function{
		Name: "eval_paper_relevance_with_reference_answer",
		Params: []Param{
			{Name: "question", Kind: KindText, Required: true, Formal: true},
			required("reference_answer", KindText|KindList), optional("threshold", KindNumber, defaultThreshold),
		},
		Closed: true,
	},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		titles, ok := k.titles()
		if !ok {
			return outcome{}, nil
		}
		return isTitle(t, prediction, titles, k.get("threshold", defaultThreshold))
	},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		said, ok := prediction.(string)
		if !ok {
			said, ok = onlyText(prediction)
		}
		if !ok {
			return unread("the answer is not a title"), nil
		}
		titles, _ := k.titles()
		return isTitle(t, unquoted(said), titles, k.get("threshold", defaultThreshold))
	})

// titles returns the right titles; false if the argument is neither a text nor a list.
func (k kwargs) titles() ([]python.Value, bool) {
	switch x := k.get("reference_answer", nil).(type) {
	case string:
		return []python.Value{x}, true
	case python.List:
		return x, true
	}
	return nil, false
}

// isTitle reports whether a text is one of the titles, ignoring case and a few characters.
func isTitle(t *Comparison, prediction python.Value, titles []python.Value, threshold python.Value) (outcome, error) {
	said, ok := prediction.(string)
	if !ok {
		return outcome{}, raise("a title of type %s has no lower case", python.Type(prediction))
	}
	said = python.Lower(said)
	closest := -1
	for _, v := range titles {
		title, ok := v.(string)
		if !ok {
			return outcome{}, raise("a reference title of type %s has no lower case", python.Type(v))
		}
		title = python.Lower(title)
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
			t.Said, t.Gold = python.Repr(said), python.Repr(v)
			_, _ = matching{method: defaultMethod, threshold: threshold}.reaches(t, score)
			t.Rule += ", in lower case"
		}
		if enough {
			return passed(true), nil
		}
	}
	return outcome{}, nil
}
