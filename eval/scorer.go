package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"airqa/internal/python"
	"airqa/qa"
)

// Config configures a [Scorer].
type Config struct {
	// Judge serves the subjective functions; if nil, their answers stay unscored.
	Judge Judge
	// Mode is the set of rules; empty is [Reference].
	Mode Mode
	// Others are the functions of companion benchmarks.
	Others Others
}

// Others are evaluation functions of other benchmarks by name, which [Companion] makes. Each reads the arguments of an
// evaluator once and returns what scores the answers to its question, also those that are not given.
type Others map[string]func(arguments json.RawMessage, m Mode) (func(qa.Answer) qa.Score, error)

// companion begins the names of functions that score the whole answer to a question of a companion benchmark. They have
// no entry in the catalogue, and the argument "gold" is the gold answer for people.
const companion = "bench_"

// Companion is the name of the evaluation function of a benchmark, such as "bench_qasper".
func Companion(benchmark string) string { return companion + benchmark }

func isCompanion(function string) bool { return strings.HasPrefix(function, companion) }

// Scorer applies evaluation functions. Its methods may be called concurrently if its judge allows it.
type Scorer struct {
	judge  Judge
	mode   Mode
	others Others
}

// New returns a scorer.
func New(c Config) *Scorer { return &Scorer{judge: c.Judge, mode: c.Mode, others: c.Others} }

// Prediction is an answer to be scored: a text or any JSON value. The zero value is JSON's null.
type Prediction struct {
	value python.Value
	// the text that [Fixed] reads instead, if not empty
	latex string
	// answer is the whole answer of an episode, for functions that score more than its text
	answer qa.Answer
}

// Text returns a prediction of the text s.
func Text(s string) Prediction { return Prediction{value: s} }

// Answer returns the prediction of an episode: the answer as Python prints it and, in [Fixed], with LaTeX commands as
// the model wrote them.
func Answer(a qa.Answer) Prediction { return Prediction{value: a.Text, latex: a.LaTeX, answer: a} }

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

// Score applies the function of e to the prediction. The score names no question, function or votes. An unknown
// function, arguments that are not JSON and a failed judge leave an answer unscored. Any other exception in the authors'
// code is a wrong answer with the reason; in [Fixed], an answer stays unscored if the evaluator is at fault.
func (s *Scorer) Score(ctx context.Context, e qa.Evaluator, p Prediction) qa.Score {
	return s.Prepare(e).Score(ctx, p)
}

// NoEvaluator is the reason for an unscored answer to a question without an evaluator.
const NoEvaluator = "the question has no evaluator"

// Undefined ends the reason for an unscored answer that has no number by the rules, such as 0/0 in the authors' code.
const Undefined = " is not defined for this question"

// NeverScored reports whether the reason of an unscored answer stays, whatever is asked again.
func NeverScored(reason string) bool { return reason == NoEvaluator || IsUndefined(reason) }

// IsUndefined reports whether an answer is unscored because the rules give no number.
func IsUndefined(reason string) bool { return strings.HasSuffix(reason, Undefined) }

// Prepared is an evaluator parsed once to score many answers. Its methods may be called concurrently if the judge
// allows it.
type Prepared struct {
	scorer *Scorer
	call   *call
	fault  string // why nothing can be scored
	other  func(qa.Answer) qa.Score
}

// Whole reports whether scoring takes the whole answer, also one that is not given.
func (p Prepared) Whole() bool { return p.other != nil }

// Subjective reports whether scoring may ask a judge.
func (p Prepared) Subjective() bool { return p.call.mayAsk() }

func (c *call) mayAsk() bool {
	return c != nil && c.fault == nil && (c.function.Genre == subjective || slices.ContainsFunc(c.parts, (*call).mayAsk))
}

// Prepare parses an evaluator. A faulty one yields unscored results.
func (s *Scorer) Prepare(e qa.Evaluator) Prepared {
	p := Prepared{scorer: s}
	if open := s.others[e.Func]; open != nil {
		var err error
		if p.other, err = open(e.Kwargs, s.mode); err != nil {
			p.other, p.fault = nil, fmt.Sprintf("read the arguments of %s: %v", e.Func, err)
		}
		return p
	}
	arguments, err := python.FromJSON(e.Kwargs)
	switch {
	case e.Func == "":
		p.fault = NoEvaluator
	case Find(e.Func) == nil:
		p.fault = fmt.Sprintf("there is no evaluation function %q", e.Func)
	case err != nil:
		p.fault = fmt.Sprintf("read the arguments of %s: %v", e.Func, err)
	default:
		p.call = read(e.Func, arguments, s.mode)
	}
	return p
}

// Score is [Scorer.Score] with the prepared evaluator.
func (p Prepared) Score(ctx context.Context, answer Prediction) qa.Score {
	return p.score(ctx, nil, answer)
}

// The prefixes, in any case, of texts in which an agent or a tool of the environment reports a failure.
const (
	errorMark   = "[ERROR]:"
	warningMark = "[WARNING]:"
)

func hasMark(s, mark string) bool {
	return len(s) >= len(mark) && strings.EqualFold(s[:len(mark)], mark)
}

// noAnswer reports whether v is a text without a visible character besides quotation marks, or one that the environment
// wrote. It looks at the first kilobyte after whitespace.
func noAnswer(v python.Value) bool {
	s, ok := v.(string)
	s = python.Strip(s)
	s = strings.TrimLeftFunc(s[:min(len(s), 1<<10)], func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r) || unicode.Is(unicode.Quotation_Mark, r)
	})
	return ok && (s == "" || hasMark(s, errorMark) || hasMark(s, warningMark))
}

func (p Prepared) score(ctx context.Context, t *Comparison, answer Prediction) qa.Score {
	if p.other != nil {
		r := p.other(answer.answer)
		t.measured(r)
		return r
	}
	if s, ok := answer.value.(string); ok && hasMark(s, errorMark) {
		return qa.Score{Verdict: qa.Wrong, Reason: "the answer is an error message"}
	}
	if p.fault != "" {
		return qa.Score{Verdict: qa.Unscored, Reason: p.fault}
	}
	said := answer.in(p.call.mode)
	if p.call.mode == Fixed && noAnswer(said) {
		return qa.Score{Verdict: qa.Wrong, Reason: "the answer is empty or an error message"}
	}
	r := result(p.scorer.run(ctx, p.call, t, said))
	if r.Verdict == qa.Wrong || r.Verdict == qa.Unparseable {
		_, r.FormatOnly = p.unwrapped(ctx, said)
	}
	return r
}

// maxWrapped is the maximum size of an answer, in bytes of its repr(), that is looked at without its wrapping: a longer one
// is no answer in the wrong format, and repeated marks in it would take seconds.
const maxWrapped = 4 << 10

// unwrapped returns the form in which a wrong answer would pass in [Fixed]: without Markdown, quotes, a lead-in sentence
// and so on (docs/scoring.md lists them). It asks no judge.
func (p Prepared) unwrapped(ctx context.Context, answer python.Value) (python.Value, bool) {
	if p.call.mode != Fixed || !p.call.rereads() || len(python.Repr(answer)) > maxWrapped {
		return nil, false
	}
	var forms []python.Value
	for _, form := range peelings(answer) { // its layers of wrapping are removed one by one
		forms = append(forms, form)
		text, _ := form.(string)
		for _, list := range listsIn(text) {
			forms = append(forms, peelings(list)...)
		}
	}
	for _, form := range forms {
		if result(p.scorer.run(ctx, p.call, nil, form)).Verdict == qa.Right {
			return form, true
		}
	}
	return nil, false
}

// rereads reports whether other forms of an answer may be scored. They may not if a judge would have to be asked again,
// or under a negation, which would accept anything unwrapped.
func (c *call) rereads() bool {
	if c.fault != nil || c.function.compare == nil && c.function.need == nil {
		return false
	}
	return !slices.ContainsFunc(c.parts, func(part *call) bool { return !part.rereads() })
}

// run applies c to an answer. In [Fixed], an exception in code shared by both modes is a fault of the evaluator.
func (s *Scorer) run(ctx context.Context, c *call, t *Comparison, prediction python.Value) (o outcome, err error) {
	if t != nil {
		t.Function, t.Said = c.name, python.Repr(prediction)
	}
	if t != nil && c.arguments != nil {
		if gold, ok := c.arguments.Get("gold"); ok {
			t.Gold = python.Repr(gold)
		}
	}
	switch f := c.function; {
	case c.fault != nil:
		err = c.fault
	case f.compare != nil:
		o, err = f.compare(c.matching(), t, prediction, c.get(f.GoldParam()))
	case f.Genre == subjective:
		o, err = s.ask(ctx, c, t, prediction)
	case f.need != nil:
		o, err = s.runParts(ctx, c, prediction, f.need(t))
	default:
		o, err = s.negate(ctx, c, t, prediction)
	}
	if raised := (*raisedError)(nil); c.mode == Fixed && errors.As(err, &raised) {
		err = &faultyError{raised.reason}
	}
	t.end(o, err)
	return o, err
}

func (s *Scorer) ask(ctx context.Context, c *call, t *Comparison, prediction python.Value) (outcome, error) {
	r, err := c.request(prediction)
	if err != nil {
		return outcome{}, err
	}
	if t != nil {
		t.Gold = c.judgedGold()
	}
	if s.judge == nil {
		return outcome{}, errors.New("the function needs a judge and none is configured")
	}
	right, err := s.judge.Judge(ctx, r)
	if right {
		t.rulef("the judge accepts it")
	} else {
		t.rulef("the judge rejects it")
	}
	return passed(right && err == nil), err
}

// negate passes an answer that the nested function does not accept; in [Fixed], only one that it can read and that is no
// empty or error text: it may be an element of the whole answer.
func (s *Scorer) negate(ctx context.Context, c *call, t *Comparison, prediction python.Value) (outcome, error) {
	part := c.parts[0]
	o, err := s.runPart(ctx, part, t.child(""), prediction)
	if c.mode != Fixed {
		t.rulef("passes where %s does not", part.name)
		return passed(!o.pass), err
	}
	t.rulef("passes where %s does not and the answer can be read", part.name)
	if o.unread != "" {
		return o, err
	}
	return passed(!o.pass && !noAnswer(prediction)), err
}

// runParts applies part i to element i of the answer (Table 8 of the paper) and stops once the row is settled. In [Fixed],
// the parts of a disjunction all get the whole answer (Listing 3) if it is not a list with an element for each, and a part
// that is faulty, or whose judge fails, leaves the answer unscored only if the other parts do not settle it.
func (s *Scorer) runParts(ctx context.Context, c *call, prediction python.Value, r row) (outcome, error) {
	said, read := listOf(prediction, c.mode)
	rule := "each of which must pass its function"
	if r.any {
		rule = "one of which must pass its function"
	}
	r.whole = r.any && c.mode == Fixed && len(said) != len(c.parts)
	r.trace.list(said, read, len(c.parts), rule)
	switch {
	case r.whole:
		r.trace.rulef("one answer for %d functions, %s", len(c.parts), rule)
		said = slices.Repeat([]python.Value{prediction}, len(c.parts))
	case len(said) != len(c.parts) && !read:
		return unread(fmt.Sprintf("the answer is not a list of %d", len(c.parts))), nil
	case len(said) != len(c.parts):
		return outcome{}, nil
	case c.partsFault != nil:
		return outcome{}, c.partsFault
	}
	return s.settle(ctx, c, said, r)
}

func (s *Scorer) settle(ctx context.Context, c *call, said []python.Value, r row) (outcome, error) {
	var open error
	for i, part := range c.parts {
		if part == nil || ctx.Err() != nil && open != nil {
			break
		}
		o, err := s.runPart(ctx, part, r.part(i), said[i])
		if err != nil && c.mode == Fixed {
			if open == nil {
				open = fmt.Errorf("part %d, %s: %w", i+1, part.name, err)
			}
		} else if r.add(o, err) {
			break
		}
	}
	if open != nil && !r.settled {
		return outcome{}, open
	}
	return r.out, r.err
}

// runPart applies a nested function.
func (s *Scorer) runPart(ctx context.Context, c *call, t *Comparison, prediction python.Value) (outcome, error) {
	if t != nil && c.mode != Fixed {
		t.Arguments = c.describe()
	}
	return s.run(ctx, c, t, prediction)
}

// String returns the prediction as Python's str() prints it.
func (p Prediction) String() string { return python.Str(p.value) }
