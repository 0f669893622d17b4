package eval_test

import (
	"context"
	"encoding/json"
	"fmt"

	"airqa/eval"
	"airqa/qa"
)

func ExampleScorer_Score() {
	evaluator := qa.Evaluator{
		Func:   "eval_structured_object_exact_match",
		Kwargs: json.RawMessage(`{"gold": ["BERT", 85.3], "lowercase": true, "ndigits": 1}`),
	}
	s := eval.New(eval.Config{})
	for _, answer := range []string{"['bert', 85.31]", "['T5', 85.3]", "BERT"} {
		r := s.Score(context.Background(), evaluator, eval.Text(answer))
		fmt.Printf("%v, %s: %q\n", r.Value, r.Verdict, r.Reason)
	}
	// Output:
	// 1, right: ""
	// 0, wrong: ""
	// 0, unparseable: "the answer is not a list"
}

func ExampleScorer_Explain() {
	x := eval.New(eval.Config{}).Explain(context.Background(), qa.Evaluator{
		Func:   "eval_structured_object_exact_match",
		Kwargs: json.RawMessage(`{"gold": {"layers": 12, "heads": 8}}`),
	}, eval.Text("{'layers': 12.5, 'heads': 8}"))
	for _, d := range x.Differences {
		fmt.Println(d.Path)
		fmt.Println("  reference:", d.Reference)
		fmt.Println("  fixed:", d.Fixed)
	}
	// Output:
	// ["layers"]
	//   reference: right: int() makes 12 of 12.5, 12 = 12
	//   fixed: wrong: number 12.5 ≠ 12
}

func ExampleCheck() {
	for _, fault := range eval.Check(qa.Evaluator{
		Func:   "eval_string_exact_match",
		Kwargs: json.RawMessage(`{"gold": ["BERT"], "ignore_case": true}`),
	}) {
		fmt.Println(fault)
	}
	// Output:
	// eval_string_exact_match: the unknown argument ignore_case is ignored: did you mean lowercase?
	// eval_string_exact_match: gold is of type list, not text
}
