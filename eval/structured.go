package eval

import (
	"math/big"
	"slices"
	"strings"

	"airqa/internal/python"
)

var structuredExact = objective(
	Function{Name: "eval_structured_object_exact_match", Params: []Param{
		required("gold", KindAny), ignoreOrderParam, toleranceParam, optional("ndigits", KindInt|KindNull, nil),
		lowercaseParam, ignoreBlankParam, optional("threshold", KindNumber, noThreshold), methodParam,
	}},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return k.matching(nil, noThreshold).structured(t, prediction, k.get("gold", nil))
	},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return typed{k.matching(nil, noThreshold)}.structured(t, prediction, k.get("gold", nil))
	})

// structured compares an answer with a gold of any shape; the type of the gold selects the comparison.
func (m matching) structured(t *Comparison, prediction, gold python.Value) (o outcome, err error) {
	t.begin(prediction, gold)
	switch g := gold.(type) {
	case python.List:
		o, err = m.lists(t, prediction, g)
	case *python.Dict:
		o, err = m.dicts(t, prediction, g)
	case bool, int64, *big.Int:
		o = sameInt(t, prediction, g)
	case float64:
		o = m.sameFloat(t, prediction, g)
	default:
		o, err = m.text(t, prediction, gold)
	}
	t.end(o, err)
	return o, err
}

func (m matching) lists(t *Comparison, prediction python.Value, gold python.List) (outcome, error) {
	said, read := asList(prediction)
	t.list(said, read, len(gold), m.orderRule("both sides sorted as texts before they are compared"))
	if len(said) != len(gold) {
		if !read {
			return unread("the answer is not a list"), nil
		}
		return outcome{}, nil
	}
	all := needAll(t)
	if !m.ignoreOrder {
		for i := range gold {
			if all.add(m.structured(t.element(i), said[i], gold[i])) {
				break
			}
		}
		return all.out, all.err
	}
	from := byText(said)
	for n, g := range byText(gold) {
		i := from[n].index
		child := t.element(g.index)
		o, err := m.structured(child, said[i], gold[g.index])
		child.matched(g.index, i)
		if all.add(o, err) {
			break
		}
	}
	return all.out, all.err
}

// orderRule describes the order in which lists are compared.
func (m matching) orderRule(anyOrder string) string {
	if m.ignoreOrder {
		return anyOrder
	}
	return "compared in order"
}

// printedItem is an item's index in a list and its printed form.
type printedItem struct {
	index int
	text  string
}

// byText sorts items by their printed forms, by code point.
func byText(items []python.Value) []printedItem {
	out := make([]printedItem, len(items))
	for i, v := range items {
		out[i] = printedItem{i, python.Str(v)}
	}
	slices.SortStableFunc(out, func(a, b printedItem) int { return strings.Compare(a.text, b.text) })
	return out
}

func (m matching) dicts(t *Comparison, prediction python.Value, gold *python.Dict) (outcome, error) {
	said, read := asDict(prediction)
	t.dict(said, gold, read)
	switch {
	case said == nil, read && said.Len() != gold.Len(): // nil is JSON of another type
		return outcome{}, nil
	case said.Len() != gold.Len():
		return unread("the answer is not a dictionary"), nil
	}
	if m.lowercase {
		var err error
		if said, err = lowerKeys(said); err != nil {
			return outcome{}, err
		}
		if gold, err = lowerKeys(gold); err != nil {
			return outcome{}, err
		}
	}
	all := needAll(t)
	for name, wanted := range gold.All() {
		child := t.key(name)
		var o outcome
		var err error
		if v, ok := said.Get(name); ok {
			o, err = m.structured(child, v, wanted)
		} else {
			child.noKey(wanted)
		}
		if all.add(o, err) {
			break
		}
	}
	return all.out, all.err
}

// lowerKeys returns d with lower-case keys. If keys become equal, the last value wins.
func lowerKeys(d *python.Dict) (*python.Dict, error) {
	out := &python.Dict{}
	for k, v := range d.All() {
		switch x := k.(type) {
		case string:
			out.Set(python.Lower(x), v)
		case python.Bytes:
			out.Set(x, v) // no gold has such a key, so its case does not matter
		default:
			return nil, raise("a key of type %s has no lower case", python.Type(k))
		}
	}
	return out, nil
}
