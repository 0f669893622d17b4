package eval

import (
	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

// title reports whether a text is the title of a paper, or one of several, ignoring case and a few characters. In
// [Fixed] it may be in quotes, or in a list of one text.
func (m matching) title(t *Comparison, prediction, gold python.Value) (outcome, error) {
	titles, isList := gold.(python.List)
	if _, isText := gold.(string); isText {
		titles = python.List{gold}
	} else if !isList {
		return outcome{}, nil
	}
	said, ok := prediction.(string)
	if m.mode == Fixed {
		if !ok {
			said, ok = onlyText(prediction)
		}
		if !ok {
			return unread("the answer is not a title"), nil
		}
		said = unquoted(said)
	}
	if !ok {
		return outcome{}, raise("a title of type %s has no lower case", python.Type(prediction))
	}
	return m.anyTitle(t, python.Lower(said), titles)
}

func (m matching) anyTitle(t *Comparison, said string, titles []python.Value) (outcome, error) {
	m.method = defaultMethod
	closest := -1
	for _, v := range titles {
		title, ok := v.(string)
		if !ok {
			return outcome{}, raise("a reference title of type %s has no lower case", python.Type(v))
		}
		title = python.Lower(title)
		possible, err := atLeast(fuzzy.Limit(said, title), m.threshold)
		if err != nil {
			return outcome{}, err
		}
		if !possible && t == nil {
			continue
		}
		score := fuzzy.Ratio(said, title)
		enough, _ := atLeast(score, m.threshold)
		if t != nil && score > closest {
			closest = score
			t.Said, t.Gold = python.Repr(said), python.Repr(v)
			_, _ = m.reaches(t, score)
			t.Rule += ", in lower case"
		}
		if enough {
			return passed(true), nil
		}
	}
	return outcome{}, nil
}
