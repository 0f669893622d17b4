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

// Config is what a [Scorer] is made from.
type Config struct {
	// Judge answers for the subjective functions; nil leaves their answers unscored.
	Judge Judge
	// Mode is the semantics; empty is [Reference].
	Mode Mode
}

// Scorer applies evaluation functions. Its methods may be called from several goroutines if its judge may.
type Scorer struct {
	judge Judge
	mode  Mode
	// functions is the list of the package; the logical functions reach it through here, because a list in a
	// package variable cannot hold functions that name the variable.
	functions []Function
}

// New returns a scorer.
func New(c Config) *Scorer { return &Scorer{judge: c.Judge, mode: c.Mode, functions: functions} }

// Result is what scoring made of an answer.
type Result struct {
	// Value is 1 for a right answer, otherwise 0. It means nothing when the verdict is unscored.
	Value   float64
	Verdict qa.Verdict
	// Reason says why the answer is unparseable or unscored, and why a wrong one did not come to a comparison;
	// empty for an answer that was read and compared.
	Reason string
	// FormatOnly is set in [Fixed] for a wrong or unparseable answer of an objective function that would be right without
	// its wrapping, such as quotes or Markdown.
	FormatOnly bool
}

// Prediction is an answer to be scored: a text, or any JSON value. The zero value is JSON's null.
type Prediction struct {
	value python.Value
	// latex is the text that [Fixed] reads instead; empty for value itself.
	latex string
}

// Text returns the prediction that is the text s itself.
func Text(s string) Prediction { return Prediction{value: s} }

// Answer returns the prediction of an episode: the answer as Python prints it, and in [Fixed] with LaTeX commands as the
// model wrote them.
func Answer(a qa.Answer) Prediction { return Prediction{value: a.Text, latex: a.LaTeX} }

// in is the prediction as a mode reads it.
func (p Prediction) in(m Mode) python.Value {
	if m == Fixed && p.latex != "" {
		return p.latex
	}
	return p.value
}

// Literal returns the prediction that is a Python value.
func Literal(v python.Value) Prediction { return Prediction{value: v} }

// JSON returns the prediction that raw spells, read as Python reads JSON.
func JSON(raw json.RawMessage) (Prediction, error) {
	v, err := python.FromJSON(raw)
	if err != nil {
		return Prediction{}, fmt.Errorf("read the answer: %w", err)
	}
	return Prediction{value: v}, nil
}

// Score applies the function of e to the prediction. An unknown function, arguments that are no JSON and a judge that
// failed leave an answer unscored. Whatever else the authors' code raises an exception on is a wrong answer with the
// reason; in [Fixed], what is the evaluator's fault leaves the answer unscored instead.
func (s *Scorer) Score(ctx context.Context, e qa.Evaluator, p Prediction) Result {
	return s.Prepare(e).Score(ctx, p)
}

// NoEvaluator is the reason of an unscored answer to a question that cannot be scored.
const NoEvaluator = "the question has no evaluator"

// Prepared is an evaluator that was read once to score many answers. Its methods may be called from several
// goroutines if the judge's may.
type Prepared struct {
	scorer    *Scorer
	name      string
	function  *Function
	arguments python.Value
	unread    error  // why the arguments could not be read
	fixed     *call  // the evaluator as Fixed reads it; nil in Reference
	fault     string // why nothing can be scored
}

// Subjective is [Subjective], without reading the evaluator again.
func (p Prepared) Subjective() bool { return check(p.name, p.arguments, p.unread).subjective }

// Prepare reads an evaluator. A fault of it shows in the results: they are unscored.
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

// Score is [Scorer.Score] with the evaluator that was prepared.
func (p Prepared) Score(ctx context.Context, answer Prediction) Result {
	return p.score(ctx, nil, answer)
}

func (p Prepared) score(ctx context.Context, t *Comparison, answer Prediction) Result {
	if isErrorText(answer.value) {
		return Result{Verdict: qa.Wrong, Reason: "the answer is an error message"}
	}
	if p.fault != "" {
		return Result{Verdict: qa.Unscored, Reason: p.fault}
	}
	if p.fixed != nil {
		return p.scoreFixed(ctx, t, answer.in(Fixed))
	}
	return result(p.scorer.apply(ctx, p.function, t, answer.value, p.arguments))
}

func (p Prepared) scoreFixed(ctx context.Context, t *Comparison, answer python.Value) Result {
	r := result(p.scorer.run(ctx, p.fixed, t, answer))
	if r.Verdict == qa.Wrong || r.Verdict == qa.Unparseable {
		_, r.FormatOnly = p.unwrapped(ctx, answer)
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

// errorMark begins the texts that stand for a failure of the agent, in any case of letters.
const errorMark = "[ERROR]:"

func isErrorText(v python.Value) bool {
	s, ok := v.(string)
	return ok && len(s) >= len(errorMark) && strings.EqualFold(s[:len(errorMark)], errorMark)
}

// function returns the function of a name, nil when there is none.
func (s *Scorer) function(name string) *Function { return find(s.functions, name) }

// apply calls f as Python would: arguments that are no dictionary, that are missing, or that a function does
// not take, are exceptions.
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
