package eval

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strings"

	"airqa/internal/python"
	"airqa/qa"
)

// Weakness is a way to earn the full reward of an evaluator with an answer made without knowing the gold.
type Weakness struct {
	// Reason is a clause such as "one safe element passes"; empty if no probe passes.
	Reason string
	// Guess is true if the answer is one of two guesses, as with truth values.
	Guess bool
}

// Weakness scores probes, answers that can be made without knowing the gold, and returns the first weakness that they
// show. A nil judge rejects all of them: what passes then passes with any judge that is right.
func (s *Scorer) Weakness(ctx context.Context, e qa.Evaluator) Weakness {
	p := s.Prepare(e)
	if p.call == nil {
		return Weakness{}
	}
	probing := *s
	if s.judge == nil {
		probing.judge = &alternating{}
	}
	_, found := probing.probe(ctx, p.call)
	return found
}

func (s *Scorer) passes(ctx context.Context, c *call, answer python.Value) bool {
	o, err := s.run(ctx, c, nil, answer)
	return err == nil && o.pass
}

// probe returns a probe that passes and the weakness that it shows.
func (s *Scorer) probe(ctx context.Context, c *call) (answer python.Value, found Weakness) {
	if c.fault != nil || c.partsFault != nil {
		return nil, found
	}
	if c.function.need != nil {
		answer, found = s.probeParts(ctx, c)
	}
	if found.Reason != "" && !found.Guess {
		return answer, found
	}
	if v, constant := s.constants(ctx, c); constant.Reason != "" {
		answer, found = v, constant
	}
	if c.function.Genre == logical || found.Reason != "" && !found.Guess {
		return answer, found
	}
	for _, candidate := range leafProbes(c) {
		if s.passes(ctx, c, candidate.answer) {
			return candidate.answer, Weakness{Reason: candidate.reason}
		}
	}
	return answer, found
}

// probeParts gives each part of a logical function a probe of its own.
func (s *Scorer) probeParts(ctx context.Context, c *call) (python.Value, Weakness) {
	out := make(python.List, len(c.parts))
	decides := c.function.need(nil)
	var found Weakness
	for i, part := range c.parts {
		out[i] = nothingLike
		if part == nil {
			continue
		}
		v, one := s.probe(ctx, part)
		if one.Reason == "" {
			continue
		}
		out[i] = v
		if found.Reason == "" || one.Guess != decides.any { // the strongest part of all, the weakest of any
			found = one
		}
	}
	if !s.passes(ctx, c, out) {
		return nil, Weakness{}
	}
	return out, found
}

// clueless are answers that need no paper, grouped by meaning.
var clueless = [][]string{
	{"x"}, {"None"}, {"I don't know"}, {nothingLike}, falseWords, trueWords, {"10"}, {"50"}, {"100"}, {"1000"}, {"nan"}, {"inf"}, {"[]", "{}"},
}

// The guesses of a truth value, with the number last.
var falseWords, trueWords = []string{"False", "no", "0"}, []string{"True", "yes", "1"}

// constants finds out whether answers of different meaning pass, whatever the gold is.
func (s *Scorer) constants(ctx context.Context, c *call) (answer python.Value, found Weakness) {
	var passing []string
	for _, group := range clueless {
		v, text := s.firstPassing(ctx, c, group)
		if text == "" {
			continue
		}
		answer = v
		passing = append(passing, text)
		if len(group) == len(trueWords) && text != group[len(group)-1] {
			found = Weakness{Reason: "one of two guesses passes", Guess: true}
		}
	}
	switch {
	case len(passing) < 2:
	case c.function.Genre == logical && c.function.need == nil:
		found = Weakness{Reason: "any wrong answer passes (negation)"}
	default:
		found = Weakness{Reason: fmt.Sprintf("%s and %s both pass", passing[0], passing[1])}
		if c.function.Param("tolerance") != nil && c.get("tolerance") != toleranceParam.Default {
			found.Reason += fmt.Sprintf(" (tolerance %s)", python.Str(c.get("tolerance")))
		}
	}
	return answer, found
}

// firstPassing returns the first text that passes, as it is or in the form of the gold, and the answer with it.
func (s *Scorer) firstPassing(ctx context.Context, c *call, group []string) (answer python.Value, text string) {
	for _, text := range group {
		for _, v := range []python.Value{text, shaped(c, text)} {
			if s.passes(ctx, c, v) {
				return v, text
			}
		}
	}
	return nil, ""
}

// shaped returns text in the form that the gold has, or a list with it for each part of a logical function.
func shaped(c *call, text string) python.Value {
	if c == nil || c.function == nil || c.arguments == nil {
		return text
	}
	switch {
	case c.function.need != nil:
		out := make(python.List, len(c.parts))
		for i, part := range c.parts {
			out[i] = shaped(part, text)
		}
		return out
	case c.function.Genre == logical:
		return shaped(c.parts[0], text)
	case c.function.Genre == subjective:
		return text
	}
	gold, _ := goldValue(c.function, c.arguments)
	return fill(gold, func(python.Value) python.Value { return text })
}

// leafProbe is an answer with less than the gold, or with much besides it.
type leafProbe struct {
	answer python.Value
	reason string
}

// leafProbes are the probes of a function that compares or judges: the gold hidden in others and a safe fraction of it.
func leafProbes(c *call) (out []leafProbe) {
	gold, ok := judgedAnswer(c.arguments), true
	if c.function.Genre == objective {
		gold, ok = goldValue(c.function, c.arguments)
	}
	if !ok {
		return nil
	}
	add := func(reason string, answer python.Value) { out = append(out, leafProbe{answer, reason}) }
	if golds, isList := gold.(python.List); isList && len(golds) > 0 {
		add("an empty list passes", python.List{})
		enough := float64(len(golds))
		if count, ok := number(c.get("count")); ok {
			enough = min(enough, math.Ceil(max(count, 1)))
		}
		dump := python.List{}
		for _, g := range golds[:int(enough)] {
			dump = append(dump, wrongFor(g), g, wrongFor(g), wrongFor(g))
		}
		add("a list of every candidate passes", dump)
		if len(golds) > 1 && c.function.Param("count") == nil {
			add("one safe element passes", golds[:1])
		}
	}
	add("a text of every candidate passes", texts(gold, func(s string) string {
		other := strings.Repeat("zqxv ", len(s)/5+1) // about as long as the gold
		return other + "or " + other + "or " + s + " or " + other
	}))
	add("a long text that contains the answer passes", texts(gold, func(s string) string {
		const filler = " Zq wxv jk. "
		return strings.Repeat(filler, 40) + s + strings.Repeat(filler, 40)
	}))
	half := texts(gold, func(s string) string {
		runes := []rune(s)
		return string(runes[:sort.Search(len(runes), func(n int) bool {
			part := string(runes[:n]) // also of the text without whitespace
			return 2*wordLetters(part) >= wordLetters(s) && 2*wordLetters(python.RemoveSpace(part)) >= wordLetters(python.RemoveSpace(s))
		})])
	})
	if python.Repr(half) != python.Repr(gold) {
		add("half of the gold's text passes", half)
	}
	return out
}

// texts applies with to the texts in gold. Other leaves become null, because one number among many cannot be read.
func texts(gold python.Value, with func(string) string) python.Value {
	return fill(gold, func(leaf python.Value) python.Value {
		if s, ok := leaf.(string); ok {
			return with(s)
		}
		return nil
	})
}
