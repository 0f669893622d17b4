package explore

import (
	"encoding/json"
	"fmt"
	"strings"

	"airqa/qa"
)

// MergePart is an accepted single question to merge.
type MergePart struct {
	// Title is that of the question's paper.
	Title   string
	Example qa.Example
}

// ordinals name the elements of the answer to a merged question.
var ordinals = []string{"first", "second"}

// Merge combines two questions about different papers into one, which asks for both answers in a list (paper, section
// 3.3): eval_conjunction applies the evaluator of each part to its element.
func Merge(parts [2]MergePart) (Tracked, error) {
	var questions, formats, functions []string
	var kwargs []json.RawMessage
	for i, p := range parts {
		questions = append(questions, fmt.Sprintf("About “%s”: %s", p.Title, p.Example.Question))
		format := "For the " + ordinals[i] + " element: " + p.Example.AnswerFormat
		if rest, found := strings.CutPrefix(p.Example.AnswerFormat, "Your answer should be"); found {
			format = "The " + ordinals[i] + " element should be" + rest
		}
		formats = append(formats, format)
		functions = append(functions, p.Example.Evaluator.Func)
		kwargs = append(kwargs, p.Example.Evaluator.Kwargs)
	}
	arguments, err := json.Marshal(map[string]any{"eval_func_list": functions, "eval_kwargs_list": kwargs})
	return Tracked{
		Question:     "Answer one question about each of two papers. " + strings.Join(questions, " "),
		AnswerFormat: "Your answer should be a Python list of two elements, one per question in the given order. " + strings.Join(formats, " "),
		Evaluator:    qa.Evaluator{Func: "eval_conjunction", Kwargs: arguments},
	}, err
}
