package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"airqa/eval"
	"airqa/internal/files"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Label is a human judgement of an answer, for [Check]. docs/formats/labels.md describes the file format.
type Label struct {
	// Line is the line number, from 1.
	Line int `json:"line"`
	// UUID is the example's. It may be empty, and several answers to one example may be labelled.
	UUID      string          `json:"uuid,omitempty"`
	Question  string          `json:"question"`
	Evaluator qa.Evaluator    `json:"-"`
	Answer    eval.Prediction `json:"-"`
	// Text is the answer as given in the file: a string's content, otherwise JSON.
	Text string `json:"answer"`
	// Right is the human verdict.
	Right bool `json:"label"`
}

// labelLine is a line of the file. Unknown fields are ignored.
type labelLine struct {
	UUID      string          `json:"uuid"`
	Question  string          `json:"question"`
	Evaluator *qa.Evaluator   `json:"evaluator"`
	Func      string          `json:"eval_func"`
	Kwargs    json.RawMessage `json:"eval_kwargs"`
	Answer    json.RawMessage `json:"answer"`
	Label     *bool           `json:"label"`
}

// ReadLabels reads JSON Lines. An invalid line yields an error with its number, and reading continues; an error of the
// reader ends the sequence.
func ReadLabels(r io.Reader) iter.Seq2[Label, error] {
	return func(yield func(Label, error) bool) {
		in := bufio.NewReader(files.TextReader(r))
		for n := 1; ; n++ {
			raw, end := in.ReadBytes('\n')
			if end != nil && !errors.Is(end, io.EOF) {
				yield(Label{}, end)
				return
			}
			if len(bytes.TrimSpace(raw)) > 0 {
				l, err := readLabel(raw)
				if err != nil {
					err = fmt.Errorf("line %d: %w", n, err)
				}
				l.Line = n
				if !yield(l, err) {
					return
				}
			}
			if end != nil {
				return
			}
		}
	}
}

// Contradictions returns pairs of labels with opposite verdicts on the same answer to the same evaluator, each with the
// first label of that answer.
func Contradictions(labels []Label) [][2]Label {
	type answer struct{ question, function, kwargs, text string }
	first := make(map[answer]Label)
	var out [][2]Label
	for _, l := range labels {
		key := answer{l.Question, l.Evaluator.Func, string(l.Evaluator.Kwargs), l.Text}
		earlier, known := first[key]
		switch {
		case !known:
			first[key] = l
		case earlier.Right != l.Right:
			out = append(out, [2]Label{earlier, l})
		}
	}
	return out
}

func readLabel(raw []byte) (Label, error) {
	var line labelLine
	if err := json.Unmarshal(raw, &line); err != nil {
		return Label{}, fmt.Errorf("not a label: %w", dataset.FieldError(err))
	}
	l := Label{UUID: line.UUID, Question: line.Question, Evaluator: qa.Evaluator{Func: line.Func, Kwargs: line.Kwargs}}
	if line.Evaluator != nil {
		l.Evaluator = *line.Evaluator
	}
	switch {
	case line.Label == nil:
		return l, errors.New(`"label" is missing: true or false`)
	case line.Answer == nil:
		return l, errors.New(`"answer" is missing`)
	case l.Evaluator.Func == "":
		return l, errors.New(`"evaluator" is missing, or "eval_func" with "eval_kwargs"`)
	}
	l.Right = *line.Label
	var err error
	if l.Answer, err = eval.JSON(line.Answer); err != nil {
		return l, err
	}
	if json.Unmarshal(line.Answer, &l.Text) != nil {
		l.Text = string(line.Answer)
	}
	if !eval.Subjective(l.Evaluator) {
		return l, fmt.Errorf("%s asks no judge", l.Evaluator.Func)
	}
	if err := eval.AddQuestion(&l.Evaluator, l.Question); err != nil {
		return l, fmt.Errorf("read the arguments of %s: %w", l.Evaluator.Func, err)
	}
	return l, nil
}
