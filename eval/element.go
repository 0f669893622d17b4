package eval

import (
	"fmt"

	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

// elementParams are the parameters of the three functions on list elements. Any element_type besides the first three
// means a structured comparison.
var elementParams = []Param{
	required("gold", KindList),
	oneOf("element_type", "str", []string{"str", "int", "float", "structured"}),
	optional("ndigits", KindInt|KindNull, int64(2)), toleranceParam, methodParam,
	optional("threshold", KindNumber, noThreshold), lowercaseParam, ignoreBlankParam,
	ignoreOrderParam, // affects structured comparisons only
}

var elementIncluded = elementFunction("eval_element_included", elementParams, elementMatcher.included)

var elementListIncluded = elementFunction("eval_element_list_included", elementParams, elementMatcher.allIncluded)

var elementListOverlap = elementFunction("eval_element_list_overlap",
	append([]Param{optional("count", KindInt, int64(1))}, elementParams...), elementMatcher.overlap)

// elementMatcher compares single elements with the golds.
type elementMatcher struct {
	matching
	gold, kind, count python.Value
	fixed             bool // uses the rules of [Fixed]
}

// elementFunction makes a function from what it requires of the elements.
func elementFunction(name string, params []Param, match func(elementMatcher, *Comparison, python.Value) (outcome, error)) Function {
	in := func(fixed bool) comparison {
		return func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
			return match(elementMatcher{
				matching: k.matching(int64(2), noThreshold),
				gold:     k.get("gold", nil), kind: k.get("element_type", "str"), count: k.get("count", int64(1)), fixed: fixed,
			}, t, prediction)
		}
	}
	return objective(Function{Name: name, Params: params}, in(false), in(true))
}

// included reports whether an answer matches one of the golds. It is unread if no gold could be compared.
func (e elementMatcher) included(t *Comparison, prediction python.Value) (outcome, error) {
	t.begin(prediction, e.gold)
	o, err := e.search(t, prediction)
	t.end(o, err)
	return o, err
}

func (e elementMatcher) search(t *Comparison, prediction python.Value) (outcome, error) {
	golds, err := iterate(e.gold)
	if err != nil {
		return outcome{}, err
	}
	best := outcome{}
	for i, g := range golds {
		o, err := e.one(nil, prediction, g)
		if err != nil || o.pass {
			if t != nil { // again, recording the comparison
				t.Gold = python.Repr(g)
				_, _ = e.one(t, prediction, g)
			}
			return o, err
		}
		if i == 0 || o.unread == "" {
			best = o
		}
	}
	if t != nil {
		e.showClosest(t, prediction, golds)
	}
	return best, nil
}

// showClosest traces the comparison of an unmatched element with the most similar gold.
func (e elementMatcher) showClosest(t *Comparison, prediction python.Value, golds []python.Value) {
	if len(golds) == 0 {
		t.Rule = "there is no gold"
		return
	}
	closest, score := golds[0], -1
	for _, g := range golds {
		if s := fuzzy.Ratio(python.Str(prediction), python.Str(g)); s > score {
			closest, score = g, s
		}
	}
	o, err := e.one(t, prediction, closest)
	t.end(o, err)
	t.Gold = python.Repr(closest)
	if len(golds) > 1 {
		t.Rule = fmt.Sprintf("none of %d golds; closest: %s", len(golds), t.Rule)
	}
}

func (e elementMatcher) one(t *Comparison, prediction, gold python.Value) (outcome, error) {
	if e.fixed {
		return typed{e.matching}.element(t, e.kind, prediction, gold)
	}
	switch e.kind {
	case "str":
		return e.text(t, prediction, gold)
	case "int":
		return sameInt(t, prediction, gold), nil
	case "float":
		return e.sameFloat(t, prediction, gold), nil
	}
	return e.structured(t, prediction, gold)
}

func (e elementMatcher) list(prediction python.Value) (items []python.Value, read bool) {
	if e.fixed {
		return listOf(prediction)
	}
	return asList(prediction)
}

// allIncluded reports whether each element matches a gold. In [Fixed], an empty answer fails.
func (e elementMatcher) allIncluded(t *Comparison, prediction python.Value) (outcome, error) {
	said, read := e.list(prediction)
	if t != nil {
		t.elements(said, read)
		t.Rule = fmt.Sprintf("each of the %d elements must match a gold", len(said))
	}
	if len(said) == 0 && e.fixed {
		return outcome{}, nil
	}
	all := needAll(t)
	for i, v := range said {
		if all.add(e.included(t.element(i), v)) {
			break
		}
	}
	return all.out, all.err
}

// overlap reports whether at least count distinct spellings in the answer match a gold, or distinct golds in [Fixed].
func (e elementMatcher) overlap(t *Comparison, prediction python.Value) (outcome, error) {
	said, read := e.list(prediction)
	if e.fixed {
		return e.overlapFixed(t, said, read)
	}
	spellings := make(map[string]bool)
	enough := needOne(t)
	for i, v := range said {
		o, err := e.included(t.element(i), v)
		if err == nil && o.pass {
			spellings[python.Str(v)] = true
			o.pass, err = atLeast(len(spellings), e.count)
		}
		if enough.add(o, err) {
			break
		}
	}
	if t != nil {
		t.elements(said, read)
		t.Rule = fmt.Sprintf("%d different spellings match a gold, %s are needed", len(spellings), python.Repr(e.count))
	}
	if !enough.settled && len(spellings) > 0 {
		return outcome{}, nil
	}
	return enough.out, enough.err
}
