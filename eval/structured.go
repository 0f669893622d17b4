package eval

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"airqa/internal/python"
	"airqa/qa"
)

// structured compares an answer with a gold of any shape; the type of the gold selects the comparison.
func (m matching) structured(t *Comparison, prediction, gold python.Value) (o outcome, err error) {
	t.begin(prediction, gold)
	switch g := gold.(type) {
	case python.List:
		o, err = m.lists(t, prediction, g)
	case *python.Dict:
		o, err = m.dicts(t, prediction, g)
	case bool:
		if m.mode == Fixed {
			o = sameTruth(t, prediction, g)
		} else {
			o, err = m.whole(t, prediction, g)
		}
	case int64, *big.Int:
		o, err = m.whole(t, prediction, g)
	case float64:
		o, err = m.float(t, prediction, g)
	default:
		o, err = m.text(t, prediction, gold)
	}
	t.end(o, err)
	return o, err
}

// lists compares an answer with a list. In any order, [Reference] sorts both sides by their printed forms and [Fixed]
// finds an element for each gold.
func (m matching) lists(t *Comparison, prediction python.Value, gold python.List) (outcome, error) {
	said, read := listOf(prediction, m.mode)
	t.list(said, read, len(gold), m.orderRule())
	switch {
	case len(said) != len(gold) && !read:
		return unread("the answer is not a list"), nil
	case len(said) != len(gold):
		return outcome{}, nil
	case m.ignoreOrder && m.mode == Fixed && len(gold) > 1:
		return m.anyOrder(t, said, gold)
	}
	sorted := m.ignoreOrder && m.mode != Fixed
	from, to := order(said, sorted), order(gold, sorted)
	all := needAll(t)
	for n := range gold {
		i, g := from[n], to[n]
		child := t.element(g)
		o, err := m.structured(child, said[i], gold[g])
		child.matched(g, i)
		if all.add(o, err) {
			break
		}
	}
	return all.out, all.err
}

// orderRule describes the order in which lists are compared.
func (m matching) orderRule() string {
	switch {
	case !m.ignoreOrder:
		return "compared in order"
	case m.mode == Fixed:
		return "in any order, each gold with an element of its own"
	}
	return "both sides sorted as texts before they are compared"
}

// order returns the indices of items, sorted by the items' printed forms, by code point, if sorted is set.
func order(items []python.Value, sorted bool) []int {
	indices, texts := make([]int, len(items)), make([]string, len(items))
	for i, v := range items {
		indices[i] = i
		if sorted {
			texts[i] = python.Str(v)
		}
	}
	slices.SortStableFunc(indices, func(a, b int) int { return strings.Compare(texts[a], texts[b]) })
	return indices
}

// anyOrder passes if each gold has an element of its own. It is unread if some gold could not be compared with any
// element.
func (m matching) anyOrder(t *Comparison, said []python.Value, gold python.List) (outcome, error) {
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
func (m matching) showPairs(t *Comparison, said []python.Value, gold python.List, a assignment) {
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

// dicts compares an answer with a dictionary.
func (m matching) dicts(t *Comparison, prediction python.Value, gold *python.Dict) (outcome, error) {
	said, read := dictOf(prediction, m.mode)
	if said == nil || !read {
		t.rulef("the answer is not a dictionary")
	}
	switch {
	case !read && (m.mode == Fixed || gold.Len() > 0):
		return unread("the answer is not a dictionary"), nil
	case said == nil: // JSON of another type
		return outcome{}, nil
	case said.Len() != gold.Len():
		t.rulef("the answer has %d keys, want %d", said.Len(), gold.Len())
		return outcome{}, nil
	case read:
		t.begin(said, gold)
		t.rulef("%d keys", gold.Len())
	}
	_, values, err := m.byKey(said)
	keys, wanted, goldErr := m.byKey(gold)
	if err = cmp.Or(err, goldErr); err != nil {
		return outcome{}, err
	}
	all := needAll(t)
	for _, key := range keys {
		if all.add(m.sameValues(t.key(key), values.under(key), wanted.under(key))) {
			break
		}
	}
	return all.out, all.err
}

// groups are the values of a dictionary by key, a list each.
type groups struct{ python.Dict }

func (g *groups) under(key python.Value) python.List {
	v, _ := g.Get(key)
	list, _ := v.(python.List)
	return list
}

// byKey groups the values of a dictionary by the form in which its keys are compared. In [Fixed], keys are texts, so that
// several may be equal. In [Reference], the last value wins where keys become equal in lower case.
func (m matching) byKey(d *python.Dict) (keys []python.Value, values *groups, err error) {
	values = &groups{}
	for k, v := range d.All() {
		key, group := k, python.List{v}
		text, isText := k.(string)
		_, isBytes := k.(python.Bytes) // no gold has such a key, so its case does not matter
		switch {
		case m.mode == Fixed && m.lowercase:
			key = python.Lower(python.Str(k))
		case m.mode == Fixed:
			key = python.Str(k)
		case m.lowercase && isText:
			key = python.Lower(text)
		case m.lowercase && !isBytes:
			return nil, nil, raise("a key of type %s has no lower case", python.Type(k))
		}
		earlier := values.under(key)
		if m.mode == Fixed {
			group = append(earlier, v)
		}
		if m.mode == Fixed || earlier == nil {
			keys = append(keys, key)
		}
		values.Set(key, group)
	}
	return keys, values, nil
}

// sameValues compares the values under one key, usually one on each side.
func (m matching) sameValues(t *Comparison, said, gold python.List) (outcome, error) {
	switch {
	case len(gold) == 1 && len(said) == 1:
		return m.structured(t, said[0], gold[0])
	case len(said) == 0:
		if t != nil {
			t.Gold, t.Verdict, t.Rule = python.Repr(gold[0]), qa.Wrong, "the answer has no such key"
		}
		return outcome{}, nil
	}
	t.begin(said, gold)
	t.rulef("%d values under equivalent keys, want %d, each matching a different one", len(said), len(gold))
	var o outcome
	var err error
	if len(said) == len(gold) {
		o, err = m.anyOrder(t, said, gold)
	}
	t.end(o, err)
	return o, err
}
