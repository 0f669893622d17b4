package eval

import (
	"context"
	"math/big"
	"slices"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/internal/pystr"
)

var structuredExact = Function{
	Name: "eval_structured_object_exact_match",
	Params: []Param{
		required("gold", KindAny), ignoreOrderParam, toleranceParam, optional("ndigits", KindInt|KindNull, nil),
		lowercaseParam, ignoreBlankParam, optional("threshold", KindNumber, noThreshold), methodParam,
	},
	fixed: fixedStructured,
	score: func(_ context.Context, _ *Scorer, prediction pyliteral.Value, k kwargs) (outcome, error) {
		return k.matching(nil, noThreshold).structured(prediction, k.get("gold", nil))
	},
}

// structured compares an answer with a gold of any shape; the type of the gold decides how.
func (m matching) structured(prediction, gold pyliteral.Value) (outcome, error) {
	switch g := gold.(type) {
	case pyliteral.List:
		return m.lists(prediction, g)
	case *pyliteral.Dict:
		return m.dicts(prediction, g)
	case bool, int64, *big.Int:
		return sameInt(prediction, g), nil
	case float64:
		return m.sameFloat(prediction, g), nil
	}
	return m.text(prediction, gold)
}

func (m matching) lists(prediction pyliteral.Value, gold pyliteral.List) (outcome, error) {
	said, read := asList(prediction)
	if len(said) != len(gold) {
		if !read {
			return unread("the answer is not a list"), nil
		}
		return outcome{}, nil
	}
	wanted := []pyliteral.Value(gold)
	if m.ignoreOrder {
		said, wanted = sortedByText(said), sortedByText(wanted)
	}
	for i := range said {
		if o, err := m.structured(said[i], wanted[i]); err != nil || !o.pass {
			return o, err
		}
	}
	return passed(true), nil
}

// sortedByText returns the items in the order of their printed forms, by code points.
func sortedByText(items []pyliteral.Value) []pyliteral.Value {
	type keyed struct {
		text string
		item pyliteral.Value
	}
	pairs := make([]keyed, len(items))
	for i, v := range items {
		pairs[i] = keyed{pyliteral.Str(v), v}
	}
	slices.SortStableFunc(pairs, func(a, b keyed) int { return strings.Compare(a.text, b.text) })
	out := make([]pyliteral.Value, len(items))
	for i, p := range pairs {
		out[i] = p.item
	}
	return out
}

func (m matching) dicts(prediction pyliteral.Value, gold *pyliteral.Dict) (outcome, error) {
	said, read := asDict(prediction)
	if said == nil {
		return outcome{}, nil // JSON of another type
	}
	if said.Len() != gold.Len() {
		if !read {
			return unread("the answer is not a dictionary"), nil
		}
		return outcome{}, nil
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
	for name, wanted := range gold.All() {
		v, ok := said.Get(name)
		if !ok {
			return outcome{}, nil
		}
		if o, err := m.structured(v, wanted); err != nil || !o.pass {
			return o, err
		}
	}
	return passed(true), nil
}

// lowerKeys returns d with its keys in lower case. Of keys that become equal the last value stays.
func lowerKeys(d *pyliteral.Dict) (*pyliteral.Dict, error) {
	out := &pyliteral.Dict{}
	for k, v := range d.All() {
		switch x := k.(type) {
		case string:
			out.Set(pystr.Lower(x), v)
		case pyliteral.Bytes:
			out.Set(x, v) // no gold has such a key, so its case does not matter
		default:
			return nil, raise("a key of type %s has no lower case", pyliteral.Type(k))
		}
	}
	return out, nil
}
