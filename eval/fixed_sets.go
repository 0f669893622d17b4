package eval

import (
	"context"
	"fmt"
	"math"

	"airqa/internal/python"
)

func fixedIncluded(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	return c.kwargs.elements(true).included(t, prediction)
}

func fixedListIncluded(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	said, read := listOf(prediction)
	return c.kwargs.elements(true).allIncluded(t, said, read)
}

// fixedOverlap requires count distinct golds, each matched by an element of its own.
func fixedOverlap(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	count, _ := number(c.kwargs.get("count", int64(1)))
	needed := int(math.Ceil(min(count, math.MaxInt32)))
	said, read := listOf(prediction)
	e := c.kwargs.elements(true)
	golds, _ := e.gold.(python.List)
	most := needed
	if t != nil {
		most = len(golds)
		e.eachIncluded(t, said, read)
	}
	last := outcome{}
	a, err := assign(len(golds), len(said), most, func(i, g int) (bool, error) {
		o, err := e.one(nil, said[i], golds[g])
		last = o
		return o.pass, err
	})
	if t != nil {
		t.Rule = fmt.Sprintf("%d golds have an element of their own, want %d", a.size, needed)
	}
	switch {
	case err != nil || a.size >= needed:
		return passed(err == nil), err
	case a.size > 0:
		return outcome{}, nil
	}
	return last, nil
}

// eachIncluded records for each element whether it matches a gold.
func (e elementMatcher) eachIncluded(t *Comparison, said []python.Value, read bool) {
	t.elements(said, read)
	for i, v := range said {
		_, _ = e.included(t.element(i), v)
	}
}

// element compares a value with one gold of the given element type.
func (m typed) element(t *Comparison, kind, prediction, gold python.Value) (outcome, error) {
	switch kind {
	case "str":
		return m.text(t, prediction, gold)
	case "int":
		return sameWhole(t, prediction, gold), nil
	case "float":
		return m.float(t, prediction, gold), nil
	}
	return m.structured(t, prediction, gold)
}
