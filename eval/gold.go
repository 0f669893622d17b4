package eval

import (
	"encoding/json"
	"math/big"
	"strings"

	"airqa/internal/python"
	"airqa/qa"
)

// GoldAnswer returns the answer that an evaluator asks for, in the form the authors' driver would pass it: a text,
// Python's str() of the gold. For a negation it is a readable wrong answer. It returns false if the arguments do not
// determine an answer, or if a judge would have to reject it.
func GoldAnswer(e qa.Evaluator) (string, bool) {
	arguments, err := python.FromJSON(e.Kwargs)
	if err != nil {
		return "", false
	}
	v, ok := answer(e.Func, arguments, true)
	if !ok {
		return "", false
	}
	return python.Str(v), true
}

// GoldOf returns the gold answer of a question: that of [GoldAnswer], or the target that an imported question came with.
func GoldOf(ex qa.Example) string {
	if isCompanion(ex.Evaluator.Func) {
		var arguments struct{ Gold string }
		_ = json.Unmarshal(ex.Evaluator.Kwargs, &arguments) // scoring reports the fault
		return arguments.Gold
	}
	if gold, ok := GoldAnswer(ex.Evaluator); ok || ex.Evaluator.Func != "" {
		return gold
	}
	target := string(ex.Extra["target"])
	var list []string
	if json.Unmarshal([]byte("["+strings.Trim(target, "[]")+"]"), &list) == nil {
		return strings.Join(list, "; ")
	}
	return target
}

// answer returns a right or a wrong answer for a function.
func answer(name string, arguments python.Value, right bool) (python.Value, bool) {
	d, ok := arguments.(*python.Dict)
	f := Find(name)
	if !ok || f == nil {
		return nil, false
	}
	c := &call{function: f, arguments: d}
	switch {
	case f.need != nil:
		return answerParts(c, right)
	case f.Genre == logical:
		inner, _ := c.get("eval_func").(string)
		return answer(inner, c.get("eval_kwargs"), !right)
	case f.Genre == subjective:
		return judgedAnswer(d), right
	}
	gold, ok := goldValue(f, d)
	if !ok || right {
		return gold, ok
	}
	if said, isTruth := toBool(gold); isTruth && f.Param(f.GoldParam()).Kind == KindBool {
		return !said, true
	}
	return wrongFor(gold), true
}

// answerParts returns a list with an answer per part. Wrong ones fail both a conjunction and a disjunction.
func answerParts(c *call, right bool) (python.Value, bool) {
	names, _ := c.get("eval_func_list").(python.List)
	lists, _ := c.get("eval_kwargs_list").(python.List)
	if len(names) != len(lists) {
		return nil, false
	}
	out := python.List{}
	for i := range names {
		name, _ := names[i].(string)
		v, ok := answer(name, lists[i], right)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// goldValue returns the gold of an objective function; the first if any of a list is right.
func goldValue(f *Function, d *python.Dict) (python.Value, bool) {
	v, ok := d.Get(f.GoldParam())
	golds, isList := v.(python.List)
	switch {
	case !isList || f.Name != "eval_element_included" && f.Category != "retrieval":
		return v, ok
	case len(golds) == 0:
		return nil, false
	}
	return golds[0], true
}

func judgedAnswer(d *python.Dict) python.Value {
	var parts []string
	for _, name := range []string{"reference_answer", "candidate_reference_answers", "scoring_points", "scoring_point", "formulas", "fomulas"} {
		v, ok := d.Get(name)
		items, isList := v.(python.List)
		if ok && !isList {
			items = python.List{v}
		}
		if name == "candidate_reference_answers" {
			items = items[:min(len(items), 1)]
		}
		for _, item := range items {
			parts = append(parts, python.Str(item))
		}
	}
	return strings.Join(parts, "\n")
}

// nothingLike is a text that shares no word or letter with any gold.
const nothingLike = "¿…?"

// wrongFor returns a value of the same shape as gold that differs everywhere.
func wrongFor(gold python.Value) python.Value {
	return fill(gold, func(leaf python.Value) python.Value {
		switch x := leaf.(type) {
		case bool:
			return !x
		case int64:
			return float64(x)*2 + 1.5
		case float64:
			return x*2 + 1000.5
		case *big.Int:
			return int64(0)
		}
		return nothingLike
	})
}

// fill returns a copy of v with other leaves: the same lists and keys, but no empty list or dictionary.
func fill(v python.Value, with func(leaf python.Value) python.Value) python.Value {
	switch x := v.(type) {
	case python.List:
		out := python.List{}
		for _, v := range x {
			out = append(out, fill(v, with))
		}
		if len(out) == 0 {
			return python.List{nothingLike}
		}
		return out
	case *python.Dict:
		out := &python.Dict{}
		for k, v := range x.All() {
			out.Set(k, fill(v, with))
		}
		if out.Len() == 0 {
			out.Set(nothingLike, nil)
		}
		return out
	}
	return with(v)
}
