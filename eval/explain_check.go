package eval

import (
	"context"
	"fmt"

	"airqa/internal/pyliteral"
	"airqa/qa"
)

// explainer makes the checks of one mode. Whether a check passes is always asked of the code that scores; what is
// made here are the pairs and the words.
type explainer struct{ scorer *Scorer }

func (x explainer) fixed() bool { return x.scorer.mode == Fixed }

func (x explainer) reading(ctx context.Context, e qa.Evaluator, p Prediction) Reading {
	prepared, said := x.scorer.Prepare(e), p.in(x.scorer.mode)
	r := prepared.Score(ctx, p)
	out := Reading{Mode: x.scorer.mode, Verdict: r.Verdict, Reason: r.Reason}
	if r.Verdict != qa.Unscored {
		out.Score = &r.Value
	}
	if r.FormatOnly {
		form, _ := prepared.unwrapped(ctx, said)
		out.FormatOnly = pyliteral.Repr(form)
	}
	if prepared.fault != "" || isErrorText(said) {
		out.Check = Comparison{Function: e.Func, Said: pyliteral.Repr(said), Verdict: r.Verdict, Rule: r.Reason}
		return out
	}
	t := x.target(e.Func, prepared.arguments)
	if prepared.fixed != nil {
		t = x.fixedTarget(prepared.fixed)
	}
	out.Check = x.function(ctx, "", t, said)
	out.Check.Arguments = nil // they stand in the explanation
	return out
}

// target is a function with its arguments, ready to be applied.
type target struct {
	name     string
	function *Function // nil when there is none
	kwargs   kwargs    // without arguments when they are no dictionary
	given    []Argument
	parts    []target
	apply    func(ctx context.Context, prediction pyliteral.Value) (outcome, error)
}

// target returns a function as [Reference] calls it.
func (x explainer) target(name, arguments pyliteral.Value) target {
	text, _ := name.(string)
	t := target{name: pyliteral.Str(name), function: x.scorer.function(text), kwargs: kwargs{&pyliteral.Dict{}}}
	t.apply = func(ctx context.Context, prediction pyliteral.Value) (outcome, error) {
		return x.scorer.call(ctx, name, prediction, arguments)
	}
	d, ok := arguments.(*pyliteral.Dict)
	if !ok || t.function == nil {
		return t
	}
	t.kwargs = kwargs{d}
	t.given = argumentsOf(x.scorer.read(text, d), d)
	if t.function.param("eval_func") != nil {
		t.parts = []target{x.target(t.kwargs.get("eval_func", nil), t.kwargs.get("eval_kwargs", nil))}
	}
	if t.function.param("eval_func_list") != nil {
		names, _ := iterate(t.kwargs.get("eval_func_list", nil))
		lists, _ := iterate(t.kwargs.get("eval_kwargs_list", nil))
		for i := range min(len(names), len(lists)) {
			t.parts = append(t.parts, x.target(names[i], lists[i]))
		}
	}
	return t
}

// fixedTarget returns a function as [Fixed] calls it.
func (x explainer) fixedTarget(c *call) target {
	t := target{name: c.name, function: c.function, kwargs: c.kwargs}
	t.apply = func(ctx context.Context, prediction pyliteral.Value) (outcome, error) {
		return x.scorer.run(ctx, c, prediction)
	}
	if t.kwargs.d == nil {
		t.kwargs = kwargs{&pyliteral.Dict{}}
	}
	for _, part := range c.parts {
		t.parts = append(t.parts, x.fixedTarget(part))
	}
	return t
}

// function makes the check of a function.
func (x explainer) function(ctx context.Context, path string, t target, prediction pyliteral.Value) Comparison {
	o, err := t.apply(ctx, prediction)
	c := newCheck(path, prediction, o, err)
	c.Function, c.Arguments = t.name, t.given
	if t.function == nil || err != nil && len(t.parts) == 0 {
		return c
	}
	inside := x.inside(ctx, path, t, prediction)
	c.Gold, c.Checks = inside.Gold, inside.Checks
	if inside.Said != "" {
		c.Said = inside.Said
	}
	if err == nil {
		c.Rule = inside.Rule
	}
	return c
}

func newCheck(path string, prediction pyliteral.Value, o outcome, err error) Comparison {
	r := result(o, err)
	return Comparison{Path: path, Said: pyliteral.Repr(prediction), Pass: r.Verdict == qa.Right, Verdict: r.Verdict, Rule: r.Reason}
}

// inside says what a function compares: gold, rule and checks.
func (x explainer) inside(ctx context.Context, path string, t target, prediction pyliteral.Value) Comparison {
	k := t.kwargs
	gold := k.get("gold", nil)
	switch t.name {
	case "eval_string_exact_match":
		m := matching{lowercase: k.truth("lowercase"), ignoreBlank: k.truth("ignore_blank"), threshold: noThreshold}
		return x.leaf(prediction, gold, comparer{m, x.fixed()}.textRule(prediction, gold))
	case "eval_string_fuzzy_match":
		m := k.matching(nil, defaultThreshold)
		return x.leaf(prediction, gold, comparer{m, x.fixed()}.alikeRule(prediction, gold))
	case "eval_bool_exact_match":
		return x.leaf(prediction, gold, x.truthRule(prediction, gold))
	case "eval_int_exact_match":
		return x.leaf(prediction, gold, comparer{fixed: x.fixed()}.wholeRule(prediction, gold))
	case "eval_float_exact_match":
		return x.leaf(prediction, gold, comparer{k.matching(nil, nil), x.fixed()}.floatRule(prediction, gold))
	case "eval_structured_object_exact_match":
		return comparer{k.matching(nil, noThreshold), x.fixed()}.check(path, prediction, gold)
	case "eval_element_included", "eval_element_list_included", "eval_element_list_overlap":
		return x.sets(path, t, prediction)
	case "eval_paper_relevance_with_reference_answer":
		return x.titles(k, prediction)
	case "eval_conjunction", "eval_disjunction", "eval_negation":
		return x.logic(ctx, path, t, prediction)
	}
	return x.judged(ctx, t, prediction)
}

func (x explainer) leaf(prediction, gold pyliteral.Value, rule string) Comparison {
	return Comparison{Gold: pyliteral.Repr(gold), Said: pyliteral.Repr(prediction), Rule: rule}
}

// logic shows the parts of a logical function.
func (x explainer) logic(ctx context.Context, path string, t target, prediction pyliteral.Value) Comparison {
	if t.name == "eval_negation" {
		part := x.function(ctx, path, t.parts[0], prediction)
		rule := "passes where " + t.parts[0].name + " does not"
		if x.fixed() {
			rule += " and the answer can be read"
		}
		return Comparison{Rule: rule, Checks: []Comparison{part}}
	}
	said, read := x.list(prediction)
	functions, _ := iterate(t.kwargs.get("eval_func_list", nil))
	if len(said) != len(functions) {
		return Comparison{Rule: lengthRule(said, read, len(functions))}
	}
	c := Comparison{Said: pyliteral.Repr(pyliteral.List(said))}
	c.Rule = fmt.Sprintf("each of the %d elements must pass its function", len(functions))
	if t.name == "eval_disjunction" {
		c.Rule = fmt.Sprintf("one of the %d elements must pass its function", len(functions))
	}
	for i, part := range t.parts {
		c.Checks = append(c.Checks, x.function(ctx, fmt.Sprintf("%s[%d]", path, i), part, said[i]))
	}
	return c
}

func (x explainer) list(v pyliteral.Value) ([]pyliteral.Value, bool) {
	return comparer{fixed: x.fixed()}.list(v)
}

// judged shows what a judge was asked.
func (x explainer) judged(ctx context.Context, t target, prediction pyliteral.Value) Comparison {
	o, _ := t.apply(ctx, prediction)
	c := Comparison{Rule: "the judge refuses it"}
	if o.pass {
		c.Rule = "the judge accepts it"
	}
	for _, name := range []string{"reference_answer", "candidate_reference_answers", "scoring_points", "formulas"} {
		if v, ok := t.kwargs.d.Get(name); ok {
			c.Gold = pyliteral.Repr(v)
			break
		}
	}
	return c
}

func lengthRule(said []pyliteral.Value, read bool, want int) string {
	if !read {
		return fmt.Sprintf("the answer is not a list; %d elements are needed", want)
	}
	return fmt.Sprintf("the answer has %d elements, %d are needed", len(said), want)
}
