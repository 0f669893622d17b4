package questions

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/eval/author"
	"airqa/qa"
)

// Function is the frequency of an evaluation function.
type Function struct {
	Name string `json:"name"`
	// Genre is objective, subjective or logical; Category is the subtype in the paper's Table 8, empty for logical
	// ones.
	Genre    string `json:"genre"`
	Category string `json:"category"`
	// Top counts questions with this function, Nested its uses inside logical functions.
	Top    int `json:"top"`
	Nested int `json:"nested"`
	// Share is Top plus Nested as a percentage of all uses.
	Share float64 `json:"share"`
}

// Uses is the number of all uses.
func (f Function) Uses() int { return f.Top + f.Nested }

// Short is the name without the common prefix.
func (f Function) Short() string { return strings.TrimPrefix(f.Name, "eval_") }

// evaluators counts functions in the order of the paper's Table 8, then unknown ones.
func (s *Stats) evaluators(items []author.Question) {
	for _, f := range eval.Functions() {
		s.Evaluators = append(s.Evaluators, Function{Name: f.Name, Genre: f.Genre, Category: f.Category})
	}
	known, uses := len(s.Evaluators), 0
	for _, it := range items {
		walk(it.Evaluator, 0, func(name string, depth int) {
			i := slices.IndexFunc(s.Evaluators, func(f Function) bool { return f.Name == name })
			if i < 0 {
				i = len(s.Evaluators)
				s.Evaluators = append(s.Evaluators, Function{Name: name, Genre: "unknown"})
			}
			if depth == 0 {
				s.Evaluators[i].Top++
			} else {
				s.Evaluators[i].Nested++
			}
			uses++
		})
	}
	for i, f := range s.Evaluators {
		s.Evaluators[i].Share = share(f.Uses(), uses)
	}
	slices.SortFunc(s.Evaluators[known:], func(a, b Function) int { return cmp.Or(b.Uses()-a.Uses(), strings.Compare(a.Name, b.Name)) })
	s.Kinds = s.count(items, qa.EvaluationTags, func(ex qa.Example) []string { return []string{kind(ex.Evaluator)} })
}

// kind returns the genre by whether scoring may ask a judge, as the paper classifies functions (Section 2.2).
func kind(e qa.Evaluator) string {
	if e.Func == "" {
		return none
	}
	return eval.Tag(e)
}

func walk(e qa.Evaluator, depth int, visit func(name string, depth int)) {
	if e.Func == "" {
		return
	}
	visit(e.Func, depth)
	const deepest = 50 // the maximum nesting of logical functions that is counted
	if depth == deepest {
		return
	}
	var k struct {
		Func       string            `json:"eval_func"`
		Kwargs     json.RawMessage   `json:"eval_kwargs"`
		FuncList   []string          `json:"eval_func_list"`
		KwargsList []json.RawMessage `json:"eval_kwargs_list"`
	}
	if f := eval.Find(e.Func); f == nil || f.Category != "" || json.Unmarshal(e.Kwargs, &k) != nil {
		return
	}
	if k.Func != "" {
		walk(qa.Evaluator{Func: k.Func, Kwargs: k.Kwargs}, depth+1, visit)
	}
	for i, name := range k.FuncList {
		inner := qa.Evaluator{Func: name}
		if i < len(k.KwargsList) {
			inner.Kwargs = k.KwargsList[i]
		}
		walk(inner, depth+1, visit)
	}
}
