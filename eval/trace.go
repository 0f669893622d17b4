package eval

import (
	"cmp"
	"fmt"

	"airqa/internal/python"
	"airqa/qa"
)

// Comparison is one comparison, and those it is made of. The scoring functions fill a tree of them while they compare;
// a nil *Comparison records nothing, so that scoring pays for an explanation only where one was asked for.
type Comparison struct {
	// Path names the element of the gold (of the answer, where each of its elements is looked for among the golds): [2] or
	// ["key"], one after the other on the way down; empty for the whole.
	Path string `json:"path"`
	// Function and Arguments are those of an evaluation function, at the top and inside a logical function.
	Function  string     `json:"function,omitempty"`
	Arguments []Argument `json:"arguments,omitempty"`
	// Gold and Said are what was compared, as Python's repr() prints it: the answer as this mode reads it. Gold is empty
	// where there is none.
	Gold    string     `json:"gold,omitempty"`
	Said    string     `json:"said"`
	Pass    bool       `json:"pass"`
	Verdict qa.Verdict `json:"verdict"`
	// Rule is what was asked and what came of it, such as "fuzzy ratio 88 < 95".
	Rule   string       `json:"rule"`
	Checks []Comparison `json:"checks,omitempty"`
}

// begin records what is compared.
func (t *Comparison) begin(said, gold python.Value) {
	if t != nil {
		t.Said, t.Gold = python.Repr(said), python.Repr(gold)
	}
}

// beginFunction records the call of an evaluation function.
func (t *Comparison) beginFunction(name string, said python.Value, k kwargs) {
	if t == nil {
		return
	}
	t.Function, t.Said = name, python.Repr(said)
	if k.d == nil {
		return
	}
	if gold, ok := k.d.Get("gold"); ok {
		t.Gold = python.Repr(gold)
	}
}

// end records what came of a comparison. A reason replaces the rule where nothing was compared.
func (t *Comparison) end(o outcome, err error) {
	if t == nil {
		return
	}
	r := result(o, err)
	t.Pass, t.Verdict = r.Verdict == qa.Right, r.Verdict
	if err != nil {
		t.Rule = r.Reason
	}
	t.Rule = cmp.Or(t.Rule, r.Reason, string(r.Verdict))
}

// element adds the comparison of element i. It is valid until the next one is added.
func (t *Comparison) element(i int) *Comparison {
	if t == nil {
		return nil
	}
	return t.child(fmt.Sprintf("[%d]", i))
}

// key is element for the value of a key.
func (t *Comparison) key(k python.Value) *Comparison {
	if t == nil {
		return nil
	}
	return t.child(fmt.Sprintf("[%q]", python.Str(k)))
}

// whole is element for a comparison of the same values by another function.
func (t *Comparison) whole() *Comparison {
	if t == nil {
		return nil
	}
	return t.child("")
}

func (t *Comparison) child(step string) *Comparison {
	t.Checks = append(t.Checks, Comparison{Path: t.Path + step})
	return &t.Checks[len(t.Checks)-1]
}

// matched notes that gold g was compared with another element than its own.
func (t *Comparison) matched(g, said int) {
	if t != nil && g != said {
		t.Rule += fmt.Sprintf(" (element [%d] of the answer)", said)
	}
}

// elements records an answer as the list that it was read as.
func (t *Comparison) elements(said []python.Value, read bool) {
	if t != nil && read {
		t.Said = python.Repr(python.List(said))
	}
}

// list records an answer that must be a list of want elements, and by what rule they are compared.
func (t *Comparison) list(said []python.Value, read bool, want int, rule string) {
	if t == nil {
		return
	}
	t.elements(said, read)
	switch {
	case len(said) == want:
		t.Rule = fmt.Sprintf("%d elements, %s", want, rule)
	case read:
		t.Rule = fmt.Sprintf("the answer has %d elements, %d are needed", len(said), want)
	default:
		t.Rule = fmt.Sprintf("the answer is not a list; %d elements are needed", want)
	}
}

// dict records an answer that must be a dictionary; said is nil and read false where it is none.
func (t *Comparison) dict(said, gold *python.Dict, read bool) {
	switch {
	case t == nil:
	case said == nil || !read:
		t.Rule = "the answer is not a dictionary"
	case said.Len() != gold.Len():
		t.Rule = fmt.Sprintf("the answer has %d keys, %d are needed", said.Len(), gold.Len())
	default:
		t.Said, t.Rule = python.Repr(said), fmt.Sprintf("%d keys", gold.Len())
	}
}

// noKey records that the answer lacks a key of the gold.
func (t *Comparison) noKey(gold python.Value) {
	if t != nil {
		t.Gold, t.Verdict, t.Rule = python.Repr(gold), qa.Wrong, "the answer has no such key"
	}
}

// row is the outcome of comparisons of which one can settle the whole: the first that does not pass, or with any the
// first that passes.
type row struct {
	trace *Comparison
	any   bool

	out     outcome
	err     error
	settled bool
}

// needAll is a row in which each comparison must pass.
func needAll(t *Comparison) row { return row{trace: t, out: passed(true)} }

// needOne is a row in which one comparison must pass.
func needOne(t *Comparison) row { return row{trace: t, any: true} }

// add takes the next comparison and reports whether the rest can be left out. With a trace the rest is compared too: it
// changes nothing but shows the reader what else is wrong.
func (r *row) add(o outcome, err error) (done bool) {
	if r.settled {
		return false
	}
	r.out, r.err = o, err
	r.settled = err != nil || o.pass == r.any
	return r.settled && r.trace == nil
}

// rule says which of the comparisons must pass.
func (r *row) rule() string {
	if r.any {
		return "one of which must pass its function"
	}
	return "each of which must pass its function"
}

// negated records that the one part of a function must not pass.
func (t *Comparison) negated(also string) {
	if t != nil {
		t.Rule = "passes where " + t.Checks[0].Function + " does not" + also
	}
}

func relation(equal bool) string {
	if equal {
		return "="
	}
	return "≠"
}
