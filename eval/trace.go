package eval

import (
	"cmp"
	"fmt"

	"airqa/internal/python"
	"airqa/qa"
)

// Comparison is one comparison and the comparisons it consists of. The scoring functions fill a tree of them as they
// compare. A nil *Comparison records nothing, so scoring without an explanation costs nothing extra.
type Comparison struct {
	// Path is the path to the element of the gold, such as [2]["key"], or of the answer if each of its elements is
	// looked up among the golds. It is empty for the whole.
	Path string `json:"path"`
	// Function and Arguments describe an evaluation function, at the top and inside a logical function.
	Function  string     `json:"function,omitempty"`
	Arguments []Argument `json:"arguments,omitempty"`
	// Gold and Said are the compared values in Python's repr() form, the answer as this mode reads it. Gold may be
	// empty.
	Gold    string     `json:"gold,omitempty"`
	Said    string     `json:"said"`
	Pass    bool       `json:"pass"`
	Verdict qa.Verdict `json:"verdict"`
	// Rule is the test and its result, such as "fuzzy ratio 88 < 95".
	Rule   string       `json:"rule"`
	Checks []Comparison `json:"checks,omitempty"`
}

// repr shows a value in Python's repr() form once it is printed.
type repr struct{ value python.Value }

func (r repr) String() string { return python.Repr(r.value) }

// rulef records the test and its result.
func (t *Comparison) rulef(format string, args ...any) {
	if t != nil {
		t.Rule = fmt.Sprintf(format, args...)
	}
}

// begin records the values to compare.
func (t *Comparison) begin(said, gold python.Value) {
	if t != nil {
		t.Said, t.Gold = python.Repr(said), python.Repr(gold)
	}
}

// end records the result of a comparison. A reason replaces the rule if nothing was compared.
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

// measured records the measures of an answer to a companion benchmark.
func (t *Comparison) measured(s qa.Score) {
	if t != nil {
		t.Pass, t.Verdict, t.Rule = s.Verdict == qa.Right, s.Verdict, cmp.Or(s.MeasureText(), s.Reason)
	}
}

// element adds the comparison of element i.
func (t *Comparison) element(i int) *Comparison { return t.child("[%d]", i) }

// key adds the comparison of the value under key k.
func (t *Comparison) key(k python.Value) *Comparison { return t.child("[%q]", python.Str(k)) }

// child adds a comparison one step down the path; an empty step is another function on the same values. The pointer is
// valid until the next one is added.
func (t *Comparison) child(step string, args ...any) *Comparison {
	if t == nil {
		return nil
	}
	t.Checks = append(t.Checks, Comparison{Path: t.Path + fmt.Sprintf(step, args...)})
	return &t.Checks[len(t.Checks)-1]
}

// matched notes that gold g was compared with an element at another index.
func (t *Comparison) matched(g, said int) {
	if t != nil && g != said {
		t.Rule += fmt.Sprintf(" (element [%d] of the answer)", said)
	}
}

// elements records an answer that was read as a list.
func (t *Comparison) elements(said []python.Value, read bool) {
	if t != nil && read {
		t.Said = python.Repr(python.List(said))
	}
}

// list records an answer that must be a list of want elements, and the rule that compares them.
func (t *Comparison) list(said []python.Value, read bool, want int, rule string) {
	t.elements(said, read)
	switch {
	case len(said) == want:
		t.rulef("%d elements, %s", want, rule)
	case read:
		t.rulef("the answer has %d elements, want %d", len(said), want)
	default:
		t.rulef("the answer is not a list; want %d elements", want)
	}
}

// row combines comparisons of which one can settle the result: the first that does not pass or, if any is set, the
// first that passes.
type row struct {
	trace *Comparison
	any   bool
	// whole is true if each function gets the whole answer instead of an element of it.
	whole bool

	out     outcome
	err     error
	settled bool
	legible bool // a function could read the whole answer
}

// part adds the comparison by function i.
func (r *row) part(i int) *Comparison {
	if r.whole {
		return r.trace.child("")
	}
	return r.trace.element(i)
}

// needAll returns a row in which each comparison must pass.
func needAll(t *Comparison) row { return row{trace: t, out: passed(true)} }

// needOne returns a row in which one comparison must pass.
func needOne(t *Comparison) row { return row{trace: t, any: true} }

// add takes the next comparison and reports whether the rest can be skipped. With a trace the rest is compared anyway,
// only to show what else is wrong.
func (r *row) add(o outcome, err error) (done bool) {
	if r.settled {
		return false
	}
	if r.legible = r.legible || r.whole && o.unread == ""; r.legible {
		o.unread = ""
	}
	r.out, r.err = o, err
	r.settled = err != nil || o.pass == r.any
	return r.settled && r.trace == nil
}

func relation(equal bool) string {
	if equal {
		return "="
	}
	return "≠"
}

// Argument is a parameter of an evaluation function or an argument given to it.
type Argument struct {
	Name string `json:"name"`
	// Value is in Python's repr() form: the default if none was given, empty if a required argument is missing.
	Value  string         `json:"value,omitempty"`
	Status ArgumentStatus `json:"status"`
	// Means is the parameter that a misspelled argument name resembles.
	Means string `json:"means,omitempty"`
	// Fixed is how [Fixed] reads the argument, as name = value; empty if it reads it as given.
	Fixed string `json:"fixed,omitempty"`
}

// ArgumentStatus is the origin of an argument.
type ArgumentStatus string

// The argument states.
const (
	ArgumentGiven   ArgumentStatus = "given"
	ArgumentDefault ArgumentStatus = "default"
	ArgumentMissing ArgumentStatus = "missing"
	// ArgumentIgnored is an argument that the function does not have.
	ArgumentIgnored ArgumentStatus = "ignored"
	// ArgumentMisspelled is a misspelled argument. [Reference] ignores it.
	ArgumentMisspelled ArgumentStatus = "misspelled"
	// ArgumentRefused is an argument that makes the function fail in [Reference]. [Fixed] ignores it.
	ArgumentRefused ArgumentStatus = "refused"
)
