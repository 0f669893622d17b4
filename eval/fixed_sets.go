package eval

import (
	"context"
	"math"

	"airqa/internal/pyliteral"
)

// typedElements compares single elements with the golds as [Fixed] does.
type typedElements struct {
	typed
	gold pyliteral.List
	kind pyliteral.Value
}

func (c *call) elements() typedElements {
	golds, _ := c.kwargs.get("gold", nil).(pyliteral.List)
	return typedElements{
		typed: typed{c.kwargs.matching(int64(2), noThreshold)}, gold: golds, kind: c.kwargs.get("element_type", "str"),
	}
}

func fixedIncluded(_ context.Context, _ *Scorer, prediction pyliteral.Value, c *call) (outcome, error) {
	return c.elements().included(prediction)
}

// fixedListIncluded asks for every element. Nothing said is nothing right.
func fixedListIncluded(_ context.Context, _ *Scorer, prediction pyliteral.Value, c *call) (outcome, error) {
	said, _ := listOf(prediction)
	e := c.elements()
	for _, v := range said {
		if o, err := e.included(v); err != nil || !o.pass {
			return o, err
		}
	}
	return passed(len(said) > 0), nil
}

// fixedOverlap asks for as many different golds as count says, each met by an element of its own.
func fixedOverlap(_ context.Context, _ *Scorer, prediction pyliteral.Value, c *call) (outcome, error) {
	count, _ := number(c.kwargs.get("count", int64(1)))
	enough := int(math.Ceil(min(count, math.MaxInt32)))
	last := outcome{}
	said, _ := listOf(prediction)
	e := c.elements()
	a, err := assign(len(e.gold), len(said), enough, func(i, g int) (bool, error) {
		o, err := e.one(said[i], e.gold[g])
		last = o
		return o.pass, err
	})
	switch {
	case err != nil || a.size >= enough:
		return passed(err == nil), err
	case a.size > 0:
		return outcome{}, nil
	}
	return last, nil
}

// included tells whether an answer matches one of the golds. It is unread when no gold could be compared.
func (e typedElements) included(prediction pyliteral.Value) (outcome, error) {
	return anyOf(e.gold, func(gold pyliteral.Value) (outcome, error) { return e.one(prediction, gold) })
}

func (e typedElements) one(prediction, gold pyliteral.Value) (outcome, error) {
	switch e.kind {
	case "str":
		return e.text(prediction, gold)
	case "int":
		return sameWhole(prediction, gold), nil
	case "float":
		return e.float(prediction, gold), nil
	}
	return e.structured(prediction, gold)
}
