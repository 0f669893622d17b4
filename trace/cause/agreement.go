package cause

import (
	"fmt"
	"math"

	"airqa/internal/stats"
)

// Agreement compares two opinions on the same wrong answers.
type Agreement struct {
	// A and B name who decided, such as "rules", "people" or the name of a model.
	A string `json:"a"`
	B string `json:"b"`
	// Answers counts the answers that both named a cause of, Equal those with the same cause.
	Answers int `json:"answers"`
	Equal   int `json:"equal"`
	// Interval is Wilson's for the share of equal causes, at 95%; nil without answers.
	Interval *stats.Interval `json:"interval"`
	// Kappa is Cohen's; nil if it is undefined.
	Kappa *float64 `json:"kappa"`
}

// Agree compares two lists of causes of the same answers. Answers without a cause in one of them do not count.
func Agree(nameA, nameB string, a, b []Code) Agreement {
	g := Agreement{A: nameA, B: nameB}
	var left, right []Code
	for i := range a {
		if a[i] == "" || b[i] == "" {
			continue
		}
		left, right = append(left, a[i]), append(right, b[i])
		if a[i] == b[i] {
			g.Equal++
		}
	}
	g.Answers = len(left)
	if g.Answers > 0 {
		interval := stats.Wilson(g.Equal, g.Answers, 0.95)
		g.Interval = &interval
	}
	if kappa := stats.CohenKappa(left, right); !math.IsNaN(kappa) {
		g.Kappa = &kappa
	}
	return g
}

// Agree sets the agreements of the rules with people and with a model, and of these two, as far as there are any.
func (r *Run) Agree() {
	rules, people, model, name := make([]Code, len(r.Rows)), make([]Code, len(r.Rows)), make([]Code, len(r.Rows)), ""
	for i, row := range r.Rows {
		rules[i], people[i] = row.Code, row.Decided
		if row.Opinion != nil {
			model[i], name = row.Opinion.Cause, row.Opinion.Model
		}
	}
	r.Agreements = nil
	for _, g := range []Agreement{Agree("rules", "people", rules, people), Agree("rules", name, rules, model), Agree("people", name, people, model)} {
		if g.Answers > 0 {
			r.Agreements = append(r.Agreements, g)
		}
	}
}

// String is a sentence.
func (g Agreement) String() string {
	text := fmt.Sprintf("%s and %s agree on %d of %d causes", g.A, g.B, g.Equal, g.Answers)
	if g.Interval != nil {
		text += fmt.Sprintf(" (95%% interval %.0f%% to %.0f%%", 100*g.Interval.Low, 100*g.Interval.High)
	}
	if g.Kappa != nil {
		text += fmt.Sprintf(", Cohen's kappa %.2f", *g.Kappa)
	}
	return text + ")"
}
