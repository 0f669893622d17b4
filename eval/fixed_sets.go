package eval

import (
	"fmt"
	"math"

	"airqa/internal/python"
)

// overlapFixed requires count distinct golds, each matched by an element of its own.
func (e elementMatcher) overlapFixed(t *Comparison, said []python.Value, read bool) (outcome, error) {
	count, _ := number(e.count)
	needed := int(math.Ceil(min(count, math.MaxInt32)))
	golds, _ := e.gold.(python.List)
	most := needed
	if t != nil {
		most = len(golds)
		t.elements(said, read)
		for i, v := range said {
			_, _ = e.included(t.element(i), v)
		}
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
