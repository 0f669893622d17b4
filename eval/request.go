package eval

import (
	"math"
	"strings"

	"airqa/internal/python"
)

// request returns what a subjective function asks its judge about an answer.
func (c *call) request(prediction python.Value) (r JudgeRequest, err error) {
	r = JudgeRequest{Kind: c.function.judge, Question: c.str("question"), Prediction: python.Str(prediction)}
	r.Fixed = c.mode == Fixed
	r.Guarded = r.Fixed && holdsVerdict(r.Prediction)
	r.IgnoreOrder = r.Kind == JudgePartialPoints
	for _, p := range c.function.Params {
		switch p.Name {
		case "reference_answer":
			r.Reference = c.str(p.Name)
		case "candidate_reference_answers":
			r.Candidates, err = c.strs(p.Name)
		case "scoring_points":
			r.Points, err = c.strs(p.Name)
		case "ignore_order":
			r.IgnoreOrder = c.truth(p.Name)
		case "count":
			r.Count, err = c.pointsNeeded(len(r.Points))
		case "formulas":
			if _, r.Listed = c.get(p.Name).(python.List); r.Listed {
				r.Formulas, err = c.strs(p.Name)
			} else {
				r.Formulas = []string{c.str(p.Name)}
			}
		}
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// judgedGold is the first text that a judge compares an answer with.
func (c *call) judgedGold() string {
	for _, name := range []string{"reference_answer", "candidate_reference_answers", "scoring_points", "formulas"} {
		if v, ok := c.arguments.Get(name); ok {
			return python.Repr(v)
		}
	}
	return ""
}

// holdsVerdict reports whether quoting a text could be mistaken for giving the verdict in it.
func holdsVerdict(s string) bool {
	if !strings.Contains(s, "```") {
		return false
	}
	lower := strings.ToLower(s)
	return strings.Contains(lower, "true") || strings.Contains(lower, "false")
}

// strs returns the elements of an argument. The authors' code strips each, which fails on anything but text.
func (c *call) strs(name string) ([]string, error) {
	items, err := iterate(c.get(name))
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(items))
	for i, v := range items {
		text, ok := v.(string)
		if !ok {
			return nil, raise("an element of %s is a %s, not a text", name, python.Type(v))
		}
		texts[i] = text
	}
	return texts, nil
}

// pointsNeeded returns the argument count: at least one and fewer than all points.
func (c *call) pointsNeeded(points int) (int, error) {
	v := c.get("count")
	n, ok := number(v)
	if !ok || n <= 0 || n >= float64(points) {
		return 0, raise("the count %s is not between 0 and the number of points, %d", python.Repr(v), points)
	}
	return int(math.Ceil(n)), nil
}
