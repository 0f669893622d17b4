package eval

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"airqa/internal/python"
)

// typed compares values by the rules of [Fixed]: numbers by type, unordered lists by assignment.
type typed struct{ matching }

// structured compares an answer with a gold of any shape; the type of the gold selects the comparison.
func (m typed) structured(t *Comparison, prediction, gold python.Value) (o outcome, err error) {
	t.begin(prediction, gold)
	switch g := gold.(type) {
	case python.List:
		o, err = m.lists(t, prediction, g)
	case *python.Dict:
		o, err = m.dicts(t, prediction, g)
	case bool:
		o = sameTruth(t, prediction, g)
	case int64, *big.Int:
		o = sameWhole(t, prediction, g)
	case float64:
		o = m.float(t, prediction, g)
	default:
		o, err = m.text(t, prediction, gold)
	}
	t.end(o, err)
	return o, err
}

func (m typed) lists(t *Comparison, prediction python.Value, gold python.List) (outcome, error) {
	said, read := listOf(prediction)
	t.list(said, read, len(gold), m.orderRule("in any order, each gold with an element of its own"))
	if len(said) != len(gold) {
		if !read {
			return unread("the answer is not a list"), nil
		}
		return outcome{}, nil
	}
	if m.ignoreOrder && len(gold) > 1 {
		return m.anyOrder(t, said, gold)
	}
	all := needAll(t)
	for i := range said {
		if all.add(m.structured(t.element(i), said[i], gold[i])) {
			break
		}
	}
	return all.out, all.err
}

// anyOrder passes if each gold has an element of its own. It is unread if some gold could not be compared with any
// element.
func (m typed) anyOrder(t *Comparison, said []python.Value, gold python.List) (outcome, error) {
	reasons := make([]string, len(gold)) // per gold: why no element could be compared with it so far
	compared := make([]bool, len(gold))
	a, err := assign(len(gold), len(said), len(gold), func(i, g int) (bool, error) {
		o, err := m.structured(nil, said[i], gold[g])
		compared[g] = compared[g] || o.unread == ""
		reasons[g] = o.unread
		return o.pass, err
	})
	if t != nil && err == nil {
		m.showPairs(t, said, gold, a)
	}
	if err != nil || a.size == len(gold) {
		return passed(err == nil), err
	}
	for g, reason := range reasons {
		if reason != "" && !compared[g] {
			return unread(reason), nil
		}
	}
	return outcome{}, nil
}

// showPairs records each gold with its element, and unpaired golds with the remaining elements.
func (m typed) showPairs(t *Comparison, said []python.Value, gold python.List, a assignment) {
	for g, i := range a.said {
		for next := 0; i < 0; next++ {
			if !slices.Contains(a.said, next) {
				i = next
			}
		}
		a.said[g] = i
		child := t.element(g)
		_, _ = m.structured(child, said[i], gold[g])
		child.matched(g, i)
	}
}

func (m typed) dicts(t *Comparison, prediction python.Value, gold *python.Dict) (outcome, error) {
	said, ok := prediction.(*python.Dict)
	if !ok {
		parsed, _ := literalOf(prediction)
		said, _ = parsed.(*python.Dict)
	}
	t.dict(said, gold, said != nil)
	if said == nil {
		return unread("the answer is not a dictionary"), nil
	}
	if said.Len() != gold.Len() {
		return outcome{}, nil
	}
	values := m.byKey(said)
	wanted := m.byKey(gold)
	all := needAll(t)
	for k := range gold.All() {
		key := keyText(k, m.lowercase)
		if all.add(m.sameValues(t.key(key), values[key], wanted[key])) {
			break
		}
	}
	return all.out, all.err
}

// byKey groups the values by key as text; keys that differ only in case or type share a group.
func (m typed) byKey(d *python.Dict) map[string]python.List {
	out := make(map[string]python.List, d.Len())
	for k, v := range d.All() {
		key := keyText(k, m.lowercase)
		out[key] = append(out[key], v)
	}
	return out
}

// sameValues compares the values under one key, usually one on each side.
func (m typed) sameValues(t *Comparison, said, gold python.List) (outcome, error) {
	switch {
	case len(gold) == 1 && len(said) == 1:
		return m.structured(t, said[0], gold[0])
	case len(said) == 0:
		t.noKey(gold[0])
		return outcome{}, nil
	}
	if t != nil {
		t.begin(said, gold)
		t.Rule = fmt.Sprintf("%d values under equivalent keys, want %d, each matching a different one", len(said), len(gold))
	}
	var o outcome
	var err error
	if len(said) == len(gold) {
		o, err = m.anyOrder(t, said, gold)
	}
	t.end(o, err)
	return o, err
}

// text compares values as texts. A gold that is a list of one text matches the text and a list of it. true, false and
// null match in Python's and JSON's spelling.
func (m typed) text(t *Comparison, prediction, gold python.Value) (outcome, error) {
	compare := m.matching.text
	if fuzzyMatch, err := positive(m.threshold); err == nil && fuzzyMatch {
		compare = m.alike
	}
	return anyReading(t, prediction, gold, compare)
}

// anyReading compares the values as given and then in their alternative readings, until one comparison passes.
func anyReading(
	t *Comparison, prediction, gold python.Value, compare func(t *Comparison, prediction, gold python.Value) (outcome, error),
) (outcome, error) {
	o, err := compare(t, prediction, gold)
	if err != nil || o.pass {
		return o, err
	}
	for _, pair := range readings(prediction, gold) {
		o, err := compare(nil, pair[0], pair[1])
		if err != nil || o.pass {
			if t != nil { // again, recording the comparison
				_, _ = compare(t, pair[0], pair[1])
			}
			return o, err
		}
	}
	return o, nil
}

func readings(prediction, gold python.Value) [][2]python.Value {
	var pairs [][2]python.Value
	if one, ok := onlyText(gold); ok {
		pairs = append(pairs, [2]python.Value{prediction, one})
		if said, read := listOf(prediction); read && len(said) == 1 {
			pairs = append(pairs, [2]python.Value{said[0], one})
		}
	}
	if s, ok := jsonConstant(prediction); ok {
		pairs = append(pairs, [2]python.Value{s, gold})
	}
	if s, ok := jsonConstant(gold); ok {
		pairs = append(pairs, [2]python.Value{prediction, s})
	}
	return pairs
}

// onlyText returns the text of a one-element list.
func onlyText(v python.Value) (string, bool) {
	if items, ok := v.(python.List); ok && len(items) == 1 {
		s, ok := items[0].(string)
		return s, ok
	}
	return "", false
}

// jsonConstant returns JSON's spelling of a truth value or null.
func jsonConstant(v python.Value) (string, bool) {
	switch x := v.(type) {
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(x), true
	}
	return "", false
}

// sameTruth compares an answer with a truth value; a number never matches.
func sameTruth(t *Comparison, prediction python.Value, gold bool) outcome {
	switch x := prediction.(type) {
	case bool:
		return equalTruth(t, x, gold)
	case string:
		_, isNumber := python.SmallInt(x)
		if said, ok := toBool(python.Strip(x)); ok && !isNumber {
			return equalTruth(t, said, gold)
		}
	}
	return unread("the answer is neither true nor false")
}

// sameWhole compares an answer with a whole number. "3.0" is 3; a number with a fraction does not match.
func sameWhole(t *Comparison, prediction, gold python.Value) outcome {
	said := prediction
	switch x := prediction.(type) {
	case int64, *big.Int, float64:
	case string, python.Bytes:
		i, ok := toInt(x)
		if !ok {
			var f float64
			if f, ok = toFloat(x); !ok {
				return unread("the answer is not a number")
			}
			i = f
		}
		said = i
	default:
		return unread("the answer is not a number")
	}
	equal := python.Equal(said, gold)
	if t != nil {
		t.Rule = fmt.Sprintf("number %s %s %s", python.Repr(prediction), relation(equal), python.Repr(gold))
	}
	return passed(equal)
}

// zeroTolerance is the absolute tolerance for a gold of 0, where a relative tolerance allows nothing.
const zeroTolerance = 1e-9

// float compares an answer with a number, rounded if ndigits is set. Truth values do not match.
func (m typed) float(t *Comparison, prediction, gold python.Value) outcome {
	if _, isBool := prediction.(bool); isBool {
		return unread("the answer is not a number")
	}
	o := m.sameFloat(t, prediction, gold)
	if o.pass || o.unread != "" {
		return o
	}
	said, _ := toFloat(prediction)
	wanted, ok := number(gold)
	if !ok || wanted != 0 {
		return outcome{}
	}
	if t != nil {
		t.Rule += ", absolute tolerance " + python.Repr(zeroTolerance)
	}
	return passed(math.Abs(said) <= zeroTolerance)
}
