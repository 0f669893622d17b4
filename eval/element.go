package eval

import (
	"context"

	"airqa/internal/pyliteral"
)

// elementParams are those of the three functions about elements of a list. Any other element_type than the
// first three means a structured comparison.
var elementParams = []Param{
	required("gold", KindList),
	oneOf("element_type", "str", []string{"str", "int", "float", "structured"}),
	optional("ndigits", KindInt|KindNull, int64(2)), toleranceParam, methodParam,
	optional("threshold", KindNumber, noThreshold), lowercaseParam, ignoreBlankParam,
	ignoreOrderParam, // reaches structured comparisons only
}

var elementIncluded = Function{
	Name:   "eval_element_included",
	Params: elementParams,
	fixed:  fixedIncluded,
	score: func(_ context.Context, _ *Scorer, prediction pyliteral.Value, k kwargs) (outcome, error) {
		return k.elements().included(prediction)
	},
}

var elementListIncluded = Function{
	Name:   "eval_element_list_included",
	Params: elementParams,
	fixed:  fixedListIncluded,
	score: func(_ context.Context, _ *Scorer, prediction pyliteral.Value, k kwargs) (outcome, error) {
		said, _ := asList(prediction)
		e := k.elements()
		for _, v := range said {
			if o, err := e.included(v); err != nil || !o.pass {
				return o, err
			}
		}
		return passed(true), nil
	},
}

var elementListOverlap = Function{
	Name:   "eval_element_list_overlap",
	Params: append([]Param{optional("count", KindInt, int64(1))}, elementParams...),
	fixed:  fixedOverlap,
	score: func(_ context.Context, _ *Scorer, prediction pyliteral.Value, k kwargs) (outcome, error) {
		said, _ := asList(prediction)
		return k.elements().overlap(said, k.get("count", int64(1)))
	},
}

// elementMatcher compares single elements with the golds.
type elementMatcher struct {
	matching
	gold, kind pyliteral.Value
}

func (k kwargs) elements() elementMatcher {
	return elementMatcher{
		matching: k.matching(int64(2), noThreshold), gold: k.get("gold", nil), kind: k.get("element_type", "str"),
	}
}

// included tells whether an answer matches one of the golds. It is unread when no gold could be compared.
func (e elementMatcher) included(prediction pyliteral.Value) (outcome, error) {
	golds, err := iterate(e.gold)
	if err != nil {
		return outcome{}, err
	}
	return anyOf(golds, func(gold pyliteral.Value) (outcome, error) { return e.one(prediction, gold) })
}

// anyOf tells whether one of the golds passes a comparison. It is unread when none could be compared.
func anyOf(golds []pyliteral.Value, compare func(gold pyliteral.Value) (outcome, error)) (outcome, error) {
	best := outcome{}
	for i, g := range golds {
		o, err := compare(g)
		if err != nil || o.pass {
			return o, err
		}
		if i == 0 || o.unread == "" {
			best = o
		}
	}
	return best, nil
}

func (e elementMatcher) one(prediction, gold pyliteral.Value) (outcome, error) {
	switch e.kind {
	case "str":
		return e.text(prediction, gold)
	case "int":
		return sameInt(prediction, gold), nil
	case "float":
		return e.sameFloat(prediction, gold), nil
	}
	return e.structured(prediction, gold)
}

// overlap tells whether count different spellings among the answers match a gold.
func (e elementMatcher) overlap(said []pyliteral.Value, count pyliteral.Value) (outcome, error) {
	spellings := make(map[string]bool)
	last := outcome{}
	for _, v := range said {
		o, err := e.included(v)
		if err != nil {
			return outcome{}, err
		}
		if !o.pass {
			last = o
			continue
		}
		spellings[pyliteral.Str(v)] = true
		enough, err := atLeast(len(spellings), count)
		if err != nil || enough {
			return passed(enough), err
		}
	}
	if len(spellings) > 0 {
		return outcome{}, nil
	}
	return last, nil
}
