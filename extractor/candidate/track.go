package candidate

import (
	"encoding/json"
	"fmt"
	"strings"

	"airqa/eval"
	"airqa/internal/ledger"
	"airqa/prompts"
	"airqa/qa"
)

// TrackVersion is the version of the tracker's prompts, parsing and rules beyond the texts of the prompts and the catalogue of functions.
const TrackVersion = 1

// Tracked is a question that can be scored.
type Tracked struct {
	Question     string       `json:"question"`
	AnswerFormat string       `json:"answer_format"`
	Answer       string       `json:"answer"`
	Evaluator    qa.Evaluator `json:"evaluator"`
	// Tag is "subjective" if the evaluator asks a judge, otherwise "objective"; empty if the prompt asks for no tag.
	Tag string `json:"tag,omitempty"`
}

// Catalogue describes the evaluation functions, as the tracker sees them.
func Catalogue(set prompts.Set) (string, error) {
	var described []string
	for _, f := range eval.Functions() {
		text, err := set.Render("synth_function", f.Describe())
		if err != nil {
			return "", err
		}
		described = append(described, text)
	}
	return strings.Join(described, "\n\n"), nil
}

// TrackRequest returns the message that asks for an evaluator.
func (d Draft) TrackRequest(set prompts.Set) (qa.Message, error) {
	functions, err := Catalogue(set)
	if err != nil {
		return qa.Message{}, err
	}
	text, err := set.Render("synth_track", prompts.Data{"functions": functions, "question": d.Question, "answer": d.Answer})
	return qa.Message{Role: qa.User, Text: text}, err
}

// ParseTracked reads a reply of the tracker in the form that its prompt asks for. The error names what to correct: a missing field,
// an unknown function, wrong arguments, a tag that contradicts the function.
func ParseTracked(forms Forms, text string) (Tracked, error) {
	labels := forms.track.labels
	fields, err := forms.track.Read(text)
	if err != nil {
		return Tracked{}, err
	}
	t := Tracked{
		Question: OneLine(fields["question"]), AnswerFormat: OneLine(fields["answer_format"]), Answer: fields["answer"],
		Tag: strings.ToLower(strings.Trim(fields["tag"], "`'\"*. ")),
	}
	if err := ledger.Strict([]byte(fields["evaluator"]), &t.Evaluator); err != nil {
		return Tracked{}, fmt.Errorf(`[%s] is not a JSON object {"eval_func": …, "eval_kwargs": {…}}: %w`, labels["evaluator"], err)
	}
	if t.Evaluator.Func == "" || len(t.Evaluator.Kwargs) == 0 {
		return Tracked{}, fmt.Errorf("[%s] lacks eval_func or eval_kwargs", labels["evaluator"])
	}
	if err := eval.AddQuestion(&t.Evaluator, t.Question); err != nil {
		return Tracked{}, fmt.Errorf("eval_kwargs is not a JSON object: %w", err)
	}
	if faults := eval.Check(t.Evaluator); len(faults) > 0 {
		return Tracked{}, fmt.Errorf("[%s] is faulty: %s", labels["evaluator"], strings.Join(faults, "; "))
	}
	if want := eval.Tag(t.Evaluator); t.Tag != "" && t.Tag != want {
		return Tracked{}, fmt.Errorf("[%s] is %q, but with %s it must be %s", labels["tag"], fields["tag"], t.Evaluator.Func, want)
	}
	return t, nil
}

// TrackRetrieval fills in a question whose answer is the title of a paper.
func (d Draft) TrackRetrieval() (Tracked, error) {
	kwargs, err := json.Marshal(map[string]string{"question": d.Question, "reference_answer": d.Answer})
	return Tracked{
		Question: d.Question, AnswerFormat: eval.TitleFormat, Answer: d.Answer,
		Evaluator: qa.Evaluator{Func: "eval_paper_relevance_with_reference_answer", Kwargs: kwargs},
	}, err
}

// ordinals name the elements of the answer to a merged question.
var ordinals = []string{"first", "second"}

// MergeTracked combines two accepted questions about different papers with these titles into one, which asks for both answers in
// a list (paper, section 3.3): eval_conjunction applies the evaluator of each part to its element.
func MergeTracked(titles [2]string, parts [2]qa.Example) (Tracked, error) {
	var questions, formats, functions []string
	var kwargs []json.RawMessage
	for i, p := range parts {
		questions = append(questions, fmt.Sprintf("About “%s”: %s", titles[i], p.Question))
		format := "For the " + ordinals[i] + " element: " + p.AnswerFormat
		if rest, found := strings.CutPrefix(p.AnswerFormat, "Your answer should be"); found {
			format = "The " + ordinals[i] + " element should be" + rest
		}
		formats = append(formats, format)
		functions = append(functions, p.Evaluator.Func)
		kwargs = append(kwargs, p.Evaluator.Kwargs)
	}
	arguments, err := json.Marshal(map[string]any{"eval_func_list": functions, "eval_kwargs_list": kwargs})
	return Tracked{
		Question:     "Answer one question about each of two papers. " + strings.Join(questions, " "),
		AnswerFormat: "Your answer should be a Python list of two elements, one per question in the given order. " + strings.Join(formats, " "),
		Evaluator:    qa.Evaluator{Func: "eval_conjunction", Kwargs: arguments},
	}, err
}
