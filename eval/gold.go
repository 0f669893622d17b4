package eval

import (
	"math/big"
	"strings"

	"airqa/internal/python"
	"airqa/qa"
)

// GoldAnswer returns the answer that an evaluator asks for, in the form the authors' driver would pass it: a text,
// Python's str() of the gold. For a negation it is a readable wrong answer. It returns false if the arguments do not
// determine an answer, or if a judge would have to reject it.
func GoldAnswer(e qa.Evaluator) (Prediction, bool) {
	arguments, err := python.FromJSON(e.Kwargs)
	if err != nil {
		return Prediction{}, false
	}
	v, ok := answer(e.Func, arguments, true)
	if !ok {
		return Prediction{}, false
	}
	return Text(python.Str(v)), true
}

// answer returns a right or a wrong answer for a function.
func answer(name string, arguments python.Value, right bool) (python.Value, bool) {
	d, ok := arguments.(*python.Dict)
	f := find(functions, name)
	if !ok || f == nil {
		return nil, false
	}
	switch {
	case f.param("eval_func") != nil:
		k := kwargs{d}
		inner, _ := k.get("eval_func", nil).(string)
		return answer(inner, k.get("eval_kwargs", nil), !right)
	case f.param("eval_func_list") != nil:
		return answerParts(kwargs{d}, right)
	case f.Subjective:
		return judgedAnswer(d), right
	}
	gold, ok := goldValue(f, d)
	if !ok || right {
		return gold, ok
	}
	if said, isTruth := toBool(gold); isTruth && f.Name == boolExact.Name {
		return !said, true
	}
	return wrongFor(gold), true
}

// answerParts returns a list with an answer per part. Wrong ones fail both a conjunction and a disjunction.
func answerParts(k kwargs, right bool) (python.Value, bool) {
	names, _ := k.get("eval_func_list", nil).(python.List)
	lists, _ := k.get("eval_kwargs_list", nil).(python.List)
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
	name := "gold"
	if f.Name == paperRelevance.Name {
		name = "reference_answer"
	}
	v, ok := d.Get(name)
	if f.Name != paperRelevance.Name && f.Name != elementIncluded.Name {
		return v, ok
	}
	if golds, isList := v.(python.List); isList {
		if len(golds) == 0 {
			return nil, false
		}
		return golds[0], true
	}
	return v, ok
}

func judgedAnswer(d *python.Dict) python.Value {
	var parts []string
	for _, name := range []string{"reference_answer", "candidate_reference_answers", "scoring_points", "scoring_point", "formulas", "fomulas"} {
		v, ok := d.Get(name)
		items, isList := v.(python.List)
		switch {
		case isList && name == "candidate_reference_answers" && len(items) > 0:
			parts = append(parts, python.Str(items[0]))
		case isList:
			for _, item := range items {
				parts = append(parts, python.Str(item))
			}
		case ok:
			parts = append(parts, python.Str(v))
		}
	}
	return strings.Join(parts, "\n")
}

// nothingLike is a text that shares no word or letter with any gold.
const nothingLike = "¿…?"

// wrongFor returns a value of the same shape as gold that differs everywhere.
func wrongFor(gold python.Value) python.Value {
	switch x := gold.(type) {
	case bool:
		return !x
	case int64:
		return float64(x)*2 + 1.5
	case float64:
		return x*2 + 1000.5
	case *big.Int:
		return int64(0)
	case python.List:
		out := python.List{}
		for _, v := range x {
			out = append(out, wrongFor(v))
		}
		if len(out) == 0 {
			return python.List{nothingLike}
		}
		return out
	case *python.Dict:
		out := &python.Dict{}
		for k, v := range x.All() {
			out.Set(k, wrongFor(v))
		}
		if out.Len() == 0 {
			out.Set(nothingLike, nil)
		}
		return out
	}
	return nothingLike
}
