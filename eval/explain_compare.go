package eval

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/internal/pystr"
)

// comparer shows how one mode compares values.
type comparer struct {
	matching
	fixed bool
}

// structured is what scores, of the mode.
func (c comparer) structured(prediction, gold pyliteral.Value) (outcome, error) {
	if c.fixed {
		return typed{c.matching}.structured(prediction, gold)
	}
	return c.matching.structured(prediction, gold)
}

func (c comparer) alike(prediction, gold pyliteral.Value) (outcome, error) {
	if c.fixed {
		return typed{c.matching}.alike(prediction, gold)
	}
	return c.matching.alike(prediction, gold)
}

func (c comparer) list(v pyliteral.Value) ([]pyliteral.Value, bool) {
	if c.fixed {
		return listOf(v)
	}
	return asList(v)
}

// check makes the tree of checks of an answer and a gold of any shape.
func (c comparer) check(path string, prediction, gold pyliteral.Value) Comparison {
	o, err := c.structured(prediction, gold)
	n := newCheck(path, prediction, o, err)
	n.Gold = pyliteral.Repr(gold)
	if err != nil {
		return n
	}
	switch g := gold.(type) {
	case pyliteral.List:
		c.listChecks(&n, prediction, g)
	case *pyliteral.Dict:
		c.dictChecks(&n, prediction, g)
	default:
		n.Rule = c.atomRule(prediction, gold)
	}
	return n
}

func (c comparer) listChecks(n *Comparison, prediction pyliteral.Value, gold pyliteral.List) {
	said, read := c.list(prediction)
	if read {
		n.Said = pyliteral.Repr(pyliteral.List(said))
	}
	if len(said) != len(gold) {
		n.Rule = lengthRule(said, read, len(gold))
		return
	}
	n.Rule = fmt.Sprintf("%d elements, compared in order", len(gold))
	partner := inOrder(len(gold))
	if c.ignoreOrder {
		n.Rule, partner = c.anyOrderPairs(said, gold)
	}
	for g, i := range partner {
		child := c.check(fmt.Sprintf("%s[%d]", n.Path, g), said[i], gold[g])
		if i != g {
			child.Rule += fmt.Sprintf(" (element [%d] of the answer)", i)
		}
		n.Checks = append(n.Checks, child)
	}
}

func inOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// anyOrderPairs tells for each gold which element it is compared with, and why.
func (c comparer) anyOrderPairs(said []pyliteral.Value, gold pyliteral.List) (rule string, partner []int) {
	if !c.fixed {
		partner = make([]int, len(gold))
		saidOrder := textOrder(said)
		for n, g := range textOrder(gold) {
			partner[g] = saidOrder[n]
		}
		return fmt.Sprintf("%d elements, both sides sorted as texts before they are compared", len(gold)), partner
	}
	a, err := assign(len(gold), len(said), len(gold), func(i, g int) (bool, error) {
		o, err := c.structured(said[i], gold[g])
		return o.pass, err
	})
	if err != nil {
		return err.Error(), inOrder(len(gold))
	}
	for g := range a.said {
		for i := 0; a.said[g] < 0; i++ { // what is left over is paired in order
			if !slices.Contains(a.said, i) {
				a.said[g] = i
			}
		}
	}
	return fmt.Sprintf("%d elements in any order, %d golds find one of their own", len(gold), a.size), a.said
}

// textOrder returns the numbers of items in the order of sortedByText.
func textOrder(items []pyliteral.Value) []int {
	texts := make([]string, len(items))
	for i, v := range items {
		texts[i] = pyliteral.Str(v)
	}
	order := inOrder(len(items))
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(texts[a], texts[b]) })
	return order
}

func (c comparer) dictChecks(n *Comparison, prediction pyliteral.Value, gold *pyliteral.Dict) {
	said := dictOf(prediction)
	if !c.fixed {
		said, _ = asDict(prediction)
	}
	if said == nil {
		n.Rule = "the answer is not a dictionary"
		return
	}
	if said.Len() != gold.Len() {
		n.Rule = fmt.Sprintf("the answer has %d keys, %d are needed", said.Len(), gold.Len())
		return
	}
	n.Said = pyliteral.Repr(said)
	n.Rule = fmt.Sprintf("%d keys", gold.Len())
	if c.lowercase {
		n.Rule += " in lower case"
	}
	find := c.values(said, gold)
	for k, wanted := range gold.All() {
		n.Checks = append(n.Checks, c.keyCheck(n.Path, k, wanted, find(k)))
	}
}

// values returns how the mode finds the values of a gold's key, and the golds of equal keys.
func (c comparer) values(said, gold *pyliteral.Dict) func(k pyliteral.Value) [2]pyliteral.List {
	if c.fixed {
		m := typed{c.matching}
		answers, golds := m.byKey(said), m.byKey(gold)
		return func(k pyliteral.Value) [2]pyliteral.List {
			key := keyText(k, c.lowercase)
			return [2]pyliteral.List{answers[key], golds[key]}
		}
	}
	if c.lowercase {
		said, _ = lowerKeys(said) // an error of it ended the comparison before
		gold, _ = lowerKeys(gold)
	}
	return func(k pyliteral.Value) [2]pyliteral.List {
		if name, ok := k.(string); ok && c.lowercase {
			k = pystr.Lower(name)
		}
		return [2]pyliteral.List{only(said, k), only(gold, k)}
	}
}

func only(d *pyliteral.Dict, k pyliteral.Value) pyliteral.List {
	if v, ok := d.Get(k); ok {
		return pyliteral.List{v}
	}
	return nil
}

// keyCheck compares what stands under one key.
func (c comparer) keyCheck(path string, k, wanted pyliteral.Value, values [2]pyliteral.List) Comparison {
	path = fmt.Sprintf("%s[%s]", path, pathKey(k))
	said, gold := values[0], values[1]
	switch {
	case len(said) == 0:
		o := outcome{}
		n := newCheck(path, nil, o, nil)
		n.Gold, n.Said, n.Rule = pyliteral.Repr(wanted), "", "the answer has no such key"
		return n
	case len(said) == 1 && len(gold) == 1:
		return c.check(path, said[0], gold[0])
	}
	o, err := typed{c.matching}.sameValues(said, gold)
	n := newCheck(path, said, o, err)
	n.Gold = pyliteral.Repr(gold)
	n.Rule = fmt.Sprintf("%d values under keys that read alike, %d are needed, each with one of its own", len(said), len(gold))
	return n
}

// pathKey spells a key in a path, in double quotes as in JSON.
func pathKey(k pyliteral.Value) string { return fmt.Sprintf("%q", pyliteral.Str(k)) }
