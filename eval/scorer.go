package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"airqa/internal/python"
	"airqa/qa"
)

// Mode names the rules by which answers are scored.
type Mode string

// The modes.
const (
	// Reference does what the authors' code does, quirks included, as in published numbers.
	Reference Mode = "reference"
	// Fixed corrects the known faults of the reference: unordered matching by assignment, typed numbers, empty lists,
	// misspelled options, golds that are lists.
	Fixed Mode = "fixed"
)

// Config configures a [Scorer].
type Config struct {
	// Judge serves the subjective functions; if nil, their answers stay unscored.
	Judge Judge
	// Mode is the set of rules; empty is [Reference].
	Mode Mode
}

// Scorer applies evaluation functions. Its methods may be called concurrently if its judge allows it.
type Scorer struct {
	judge Judge
	mode  Mode
	// functions is the package's list. The logical functions reach it through the scorer to avoid an initialization
	// cycle.
	functions []Function
}

// New returns a scorer.
func New(c Config) *Scorer { return &Scorer{judge: c.Judge, mode: c.Mode, functions: functions} }

// Result is the score of an answer.
type Result struct {
	// Value is 1 for a right answer, otherwise 0. It is meaningless if the verdict is unscored.
	Value   float64
	Verdict qa.Verdict
	// Reason explains an unparseable or unscored answer, and a wrong one that could not be compared. It is empty for an
	// answer that was read and compared.
	Reason string
	// FormatOnly is set in [Fixed] for a wrong or unparseable answer to an objective function that would pass without
	// its wrapping, such as quotes or Markdown.
	FormatOnly bool
}

// Prediction is an answer to be scored: a text or any JSON value. The zero value is JSON's null.
type Prediction struct {
	value python.Value
	// the text that [Fixed] reads instead, if not empty
	latex string
}

// Text returns a prediction of the text s.
func Text(s string) Prediction { return Prediction{value: s} }

// Answer returns the prediction of an episode: the answer as Python prints it and, in [Fixed], with LaTeX commands as
// the model wrote them.
func Answer(a qa.Answer) Prediction { return Prediction{value: a.Text, latex: a.LaTeX} }

// in returns the prediction as mode m reads it.
func (p Prediction) in(m Mode) python.Value {
	if m == Fixed && p.latex != "" {
		return p.latex
	}
	return p.value
}

// Literal returns a prediction of a Python value.
func Literal(v python.Value) Prediction { return Prediction{value: v} }

// JSON parses raw as Python does and returns the value as a prediction.
func JSON(raw json.RawMessage) (Prediction, error) {
	v, err := python.FromJSON(raw)
	if err != nil {
		return Prediction{}, fmt.Errorf("read the answer: %w", err)
	}
	return Prediction{value: v}, nil
}

// Score applies the function of e to the prediction. An unknown function, arguments that are not JSON and a failed
// judge leave an answer unscored. Any other exception in the authors' code is a wrong answer with the reason; in
// [Fixed], an answer stays unscored if the evaluator is at fault.
func (s *Scorer) Score(ctx context.Context, e qa.Evaluator, p Prediction) Result {
	return s.Prepare(e).Score(ctx, p)
}

// NoEvaluator is the reason for an unscored answer to a question without an evaluator.
const NoEvaluator = "the question has no evaluator"

// Prepared is an evaluator parsed once to score many answers. Its methods may be called concurrently if the judge
// allows it.
type Prepared struct {
	scorer    *Scorer
	name      string
	function  *Function
	arguments python.Value
	unread    error  // why the arguments could not be read
	fixed     *call  // the evaluator as Fixed reads it; nil in Reference
	fault     string // why nothing can be scored
}

// Subjective is [Subjective] without parsing the evaluator again.
func (p Prepared) Subjective() bool { return check(p.name, p.arguments, p.unread).subjective }

// Prepare parses an evaluator. A faulty one yields unscored results.
func (s *Scorer) Prepare(e qa.Evaluator) Prepared {
	p := Prepared{scorer: s, name: e.Func, function: s.function(e.Func)}
	p.arguments, p.unread = python.FromJSON(e.Kwargs)
	switch {
	case e.Func == "":
		p.fault = NoEvaluator
	case p.function == nil:
		p.fault = fmt.Sprintf("there is no evaluation function %q", e.Func)
	case p.unread != nil:
		p.fault = fmt.Sprintf("read the arguments of %s: %v", e.Func, p.unread)
	case s.mode == Fixed:
		p.fixed = s.read(e.Func, p.arguments)
	}
	return p
}

// Score is [Scorer.Score] with the prepared evaluator.
func (p Prepared) Score(ctx context.Context, answer Prediction) Result {
	return p.score(ctx, nil, answer)
}

// errorMark is the prefix, in any case, of texts that represent a failure of the agent.
const errorMark = "[ERROR]:"

func (p Prepared) score(ctx context.Context, t *Comparison, answer Prediction) Result {
	if s, ok := answer.value.(string); ok && len(s) >= len(errorMark) && strings.EqualFold(s[:len(errorMark)], errorMark) {
		return Result{Verdict: qa.Wrong, Reason: "the answer is an error message"}
	}
	if p.fault != "" {
		return Result{Verdict: qa.Unscored, Reason: p.fault}
	}
	if p.fixed == nil {
		return result(p.scorer.apply(ctx, p.function, t, answer.value, p.arguments))
	}
	said := answer.in(Fixed)
	r := result(p.scorer.run(ctx, p.fixed, t, said))
	if r.Verdict == qa.Wrong || r.Verdict == qa.Unparseable {
		_, r.FormatOnly = p.unwrapped(ctx, said)
	}
	return r
}

func result(o outcome, err error) Result {
	var raised *raisedError
	switch {
	case errors.As(err, &raised):
		return Result{Verdict: qa.Wrong, Reason: err.Error()}
	case err != nil:
		return Result{Verdict: qa.Unscored, Reason: err.Error()}
	case o.pass:
		return Result{Value: 1, Verdict: qa.Right}
	case o.unread != "":
		return Result{Verdict: qa.Unparseable, Reason: o.unread}
	}
	return Result{Verdict: qa.Wrong}
}

// function returns the function with the given name, or nil.
func (s *Scorer) function(name string) *Function { return find(s.functions, name) }

// apply calls f like Python: arguments that are not a dictionary, missing arguments and unknown ones that a function
// does not take are exceptions.
func (s *Scorer) apply(ctx context.Context, f *Function, t *Comparison, prediction, arguments python.Value) (o outcome, err error) {
	d, ok := arguments.(*python.Dict)
	k := kwargs{d}
	t.beginFunction(f.Name, prediction, k)
	if !ok {
		err = raise("the arguments of %s are a %s", f.Name, python.Type(arguments))
	} else if err = k.bind(f); err == nil {
		o, err = f.score(ctx, s, t, prediction, k)
	}
	t.end(o, err)
	return o, err
}

// String returns the prediction as Python's str() prints it.
func (p Prediction) String() string { return python.Str(p.value) }
