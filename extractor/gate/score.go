package gate

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/eval"
	"airqa/eval/author"
	"airqa/eval/judge"
	"airqa/extractor/candidate"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/internal/words"
	"airqa/qa"
)

// score scores an answer; a judge that gives no verdict leaves it unscored, any other failure of a call is an error.
func (t Tools) score(ctx context.Context, mode eval.Mode, e qa.Evaluator, answer string) (qa.Score, error) {
	watch := &watchedJudge{inner: t.Judge}
	r := eval.New(eval.Config{Judge: watch, Mode: mode}).Score(ctx, e, eval.Text(answer))
	if watch.err != nil && !errors.Is(watch.err, judge.ErrNoVerdict) {
		return r, watch.err
	}
	return r, nil
}

// watchedJudge keeps the error of a judge, which a score turns into a text.
type watchedJudge struct {
	inner eval.Judge
	err   error
}

func (w *watchedJudge) Judge(ctx context.Context, r eval.JudgeRequest) (bool, error) {
	right, err := w.inner.Judge(ctx, r)
	if err != nil {
		w.err = err
	}
	return right, err
}

// goldPasses checks that the answer and the gold pass the question's own evaluator, in both modes if that is free.
func goldPasses(ctx context.Context, t Tools, s Subject) (Verdict, error) {
	e := s.Example.Evaluator
	gold, ok := eval.GoldAnswer(e)
	if !ok {
		return rejected(candidate.GoldFails, "the arguments of %s determine no answer", e.Func), nil
	}
	answers, modes := []string{gold}, []eval.Mode{eval.Reference, eval.Fixed}
	if eval.Subjective(e) {
		answers, modes = nil, modes[:1]
	}
	if s.Answer != "" {
		answers = append(answers, s.Answer)
	}
	for _, answer := range answers {
		for _, mode := range modes {
			r, err := t.score(ctx, mode, e, answer)
			switch {
			case err != nil:
				return Verdict{}, err
			case r.Verdict == qa.Unscored:
				return rejected(candidate.EvaluatorUnscored, "%s", r.Reason), nil
			case r.Verdict != qa.Right:
				return rejected(candidate.GoldFails, "the answer %q is %s in mode %s %s", answer, r.Verdict, mode, r.Reason), nil
			}
		}
	}
	return Verdict{}, nil
}

// mutated checks that altered golds do not pass.
func mutated(ctx context.Context, t Tools, s Subject) (Verdict, error) {
	gold, ok := eval.GoldAnswer(s.Example.Evaluator)
	if !ok {
		return rejected(candidate.GoldFails, "the arguments of %s determine no answer", s.Example.Evaluator.Func), nil
	}
	var tried []string
	for _, a := range alterations(s, gold) {
		r, err := t.score(ctx, eval.Reference, s.Example.Evaluator, a.answer)
		if err != nil {
			return Verdict{}, err
		}
		if r.Verdict == qa.Unscored {
			return rejected(candidate.EvaluatorUnscored, "%s: %s", a.name, r.Reason), nil
		}
		if r.Verdict == qa.Right {
			return rejected(candidate.AlteredPasses, "%s: the answer %q passes", a.name, a.answer), nil
		}
		tried = append(tried, a.name)
	}
	return Verdict{Detail: strings.Join(tried, ", ")}, nil
}

// alteration is a wrong answer.
type alteration struct{ name, answer string }

// alterations derives wrong answers from the gold: another number, another order, a missing item, nothing, and the
// question itself.
func alterations(s Subject, gold string) []alteration {
	e := s.Example.Evaluator
	list := []alteration{{"empty", ""}, {"question", s.Example.Question}}
	v, read := python.Read(gold)
	if !read {
		v = gold
	}
	every := e.Func == "eval_element_list_overlap" || e.Func == "eval_disjunction"
	m := mutation{every: every, digits: decimalsAsked(s.Example.AnswerFormat), steps: 2}
	if other, changed := m.other(v); changed && e.Func != "eval_paper_relevance_with_reference_answer" {
		list = append(list, alteration{"value", python.Str(other)})
	}
	if m.steps = -m.steps; author.Decimals(v) >= 0 {
		if other, changed := m.other(v); changed {
			list = append(list, alteration{"value", python.Str(other)})
		}
	}
	if items, isList := v.(python.List); isList {
		list = append(list, itemAlterations(e, items)...)
	}
	return list
}

// itemAlterations derives wrong answers from the items of a list: the last one missing, and another order. There are none
// for an evaluator that accepts these, or that a model applies.
func itemAlterations(e qa.Evaluator, items python.List) []alteration {
	if len(items) < 2 || eval.AnyGold(e.Func) || eval.Subjective(e) && e.Func != "eval_conjunction" {
		return nil
	}
	list := []alteration{{"missing", python.Str(items[:len(items)-1])}}
	reversed := slices.Clone(items)
	slices.Reverse(reversed)
	var arguments struct {
		IgnoreOrder bool `json:"ignore_order"`
	}
	_ = json.Unmarshal(e.Kwargs, &arguments) // arguments without it keep the order
	if !arguments.IgnoreOrder && !python.Equal(reversed, items) {
		list = append(list, alteration{"order", python.Str(reversed)})
	}
	return list
}

var (
	decimalsWord = lazyregexp.New(`(?i)\b(\d+|zero|no|one|two|three|four|five|six)[\s-]+(?:decimal|digits? after|fractional)`)
	wholeWord    = lazyregexp.New(`(?i)\b(?:(?:round\p{L}*|nearest)\b[^.;]*\b(?:integer|whole number)|an integer\b)`)
)

// decimalsAsked returns the number of decimals that an answer format asks for; -1 if it does not say, so that those of the
// gold count.
func decimalsAsked(format string) int {
	if m := decimalsWord.FindStringSubmatch(format); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return n
		}
		return max(0, slices.Index(words.Numerals, strings.ToLower(m[1])))
	}
	if wholeWord.MatchString(format) {
		return 0
	}
	return -1
}

// mutation alters values.
type mutation struct {
	// every alters all elements of a list instead of the last one that can be.
	every bool
	// digits is the number of decimals that count; -1 means those of each value.
	digits int
	// steps is the difference of a number with decimals, in units of its last one.
	steps float64
}

// other returns a value that differs from v in a number or a truth value; false if v has none.
func (m mutation) other(v python.Value) (python.Value, bool) {
	switch x := v.(type) {
	case bool:
		return !x, true
	case int64:
		return x + 1, true
	case float64:
		digits := author.Decimals(x)
		if m.digits >= 0 {
			digits = min(m.digits, digits)
		}
		return x + m.steps*math.Pow10(-digits), true
	case string:
		at := strings.IndexAny(x, "0123456789")
		if at < 0 {
			return x, false
		}
		return x[:at] + string('0'+(x[at]-'0'+3)%10) + x[at+1:], true
	case python.List:
		return m.otherItem(x)
	case *python.Dict:
		out, some := &python.Dict{}, false
		for k, value := range x.All() {
			if other, changed := m.other(value); changed && !some {
				value, some = other, true
			}
			out.Set(k, value)
		}
		return out, some
	}
	return v, false
}

func (m mutation) otherItem(list python.List) (python.Value, bool) {
	out, some := slices.Clone(list), false
	for i := len(out) - 1; i >= 0 && (m.every || !some); i-- {
		if other, changed := m.other(out[i]); changed {
			out[i], some = other, true
		}
	}
	return out, some
}
