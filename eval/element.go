package eval

import (
	"math"

	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

// element compares a value with one gold of the element type. Any type besides the first three means a structured
// comparison.
func (m matching) element(t *Comparison, prediction, gold python.Value) (outcome, error) {
	switch m.elementType {
	case "str":
		return m.text(t, prediction, gold)
	case "int":
		return m.whole(t, prediction, gold)
	case "float":
		return m.float(t, prediction, gold)
	}
	return m.structured(t, prediction, gold)
}

// included reports whether an answer matches one of the golds. It is unread if no gold could be compared. Of the elements
// of a list, each text is compared once, because a long list often repeats a few.
func (m matching) included(t *Comparison, prediction, gold python.Value) (outcome, error) {
	text, isText := prediction.(string)
	if o, ok := m.known[text]; ok && isText && t == nil {
		return o, nil
	}
	t.begin(prediction, gold)
	o, err := m.search(t, prediction, gold)
	if m.known != nil && isText && err == nil {
		m.known[text] = o
	}
	t.end(o, err)
	return o, err
}

func (m matching) search(t *Comparison, prediction, gold python.Value) (outcome, error) {
	golds, err := iterate(gold)
	if err != nil {
		return outcome{}, err
	}
	best := outcome{}
	for i, g := range golds {
		o, err := m.element(nil, prediction, g)
		if err != nil || o.pass {
			if t != nil { // again, recording the comparison
				t.Gold = python.Repr(g)
				_, _ = m.element(t, prediction, g)
			}
			return o, err
		}
		if i == 0 || o.unread == "" {
			best = o
		}
	}
	if t != nil {
		m.showClosest(t, prediction, golds)
	}
	return best, nil
}

// showClosest traces the comparison of an unmatched element with the most similar gold.
func (m matching) showClosest(t *Comparison, prediction python.Value, golds []python.Value) {
	if len(golds) == 0 {
		t.rulef("there is no gold")
		return
	}
	closest, score := golds[0], -1
	for _, g := range golds {
		if s := fuzzy.Ratio(python.Str(prediction), python.Str(g)); s > score {
			closest, score = g, s
		}
	}
	o, err := m.element(t, prediction, closest)
	t.end(o, err)
	t.Gold = python.Repr(closest)
	if len(golds) > 1 {
		t.rulef("none of %d golds; closest: %s", len(golds), t.Rule)
	}
}

// allIncluded reports whether each element matches a gold. In [Fixed], an answer without elements or with more than golds
// fails.
func (m matching) allIncluded(t *Comparison, prediction, gold python.Value) (outcome, error) {
	said, read := listOf(prediction, m.mode)
	t.elements(said, read)
	t.rulef("each of the %d elements must match a gold", len(said))
	if golds, _ := gold.(python.List); m.mode == Fixed && (len(said) == 0 || surplus(t, said, len(golds))) {
		return outcome{}, nil
	}
	all := needAll(t)
	m.known = make(map[string]outcome)
	for i, v := range said {
		if all.add(m.included(t.element(i), v, gold)) {
			break
		}
	}
	return all.out, all.err
}

// surplus reports whether an answer has more elements than most: a list of every candidate is no answer.
func surplus(t *Comparison, said []python.Value, most int) bool {
	if len(said) <= most {
		return false
	}
	t.rulef("%d elements, at most %d are read", len(said), most)
	return true
}

// overlap reports whether at least count distinct spellings in the answer match a gold, or distinct golds in [Fixed].
func (m matching) overlap(t *Comparison, prediction, gold python.Value) (outcome, error) {
	said, read := listOf(prediction, m.mode)
	t.elements(said, read)
	if golds, _ := gold.(python.List); m.mode == Fixed {
		return m.overlapGolds(t, said, golds)
	}
	m.known = make(map[string]outcome)
	spellings := make(map[string]bool)
	enough := needOne(t)
	for i, v := range said {
		o, err := m.included(t.element(i), v, gold)
		if err == nil && o.pass {
			spellings[python.Str(v)] = true
			o.pass, err = atLeast(len(spellings), m.count)
		}
		if enough.add(o, err) {
			break
		}
	}
	t.rulef("%d different spellings match a gold, %s are needed", len(spellings), repr{m.count})
	if !enough.settled && len(spellings) > 0 {
		return outcome{}, nil
	}
	return enough.out, enough.err
}

// overlapGolds requires count distinct golds, each matched by an element of its own.
func (m matching) overlapGolds(t *Comparison, said []python.Value, golds python.List) (outcome, error) {
	count, _ := number(m.count)
	needed := int(math.Ceil(min(count, math.MaxInt32)))
	if surplus(t, said, max(len(golds), needed)) {
		return outcome{}, nil
	}
	most := needed
	if t != nil {
		most = len(golds)
		for i, v := range said {
			_, _ = m.included(t.element(i), v, golds)
		}
	}
	last := outcome{}
	a, err := assign(len(golds), len(said), most, func(i, g int) (bool, error) {
		o, err := m.element(nil, said[i], golds[g])
		last = o
		return o.pass, err
	})
	t.rulef("%d golds have an element of their own, want %d", a.size, needed)
	switch {
	case err != nil || a.size >= needed:
		return passed(err == nil), err
	case a.size > 0:
		return outcome{}, nil
	}
	return last, nil
}
