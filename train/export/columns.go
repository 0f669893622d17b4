package export

import (
	"encoding/json"
	"strconv"
	"strings"

	"airqa/qa"
	"airqa/train/curate"
	"airqa/train/format"
)

// columns are the further columns of the rows of an episode; nil without [Rules.Columns].
func (o *rowWriter) columns(e *Episode) []format.Column {
	if !o.Columns {
		return nil
	}
	c := e.candidate()
	score := float64(curate.NoScore)
	if e.Score != nil && e.Score.Verdict != qa.Unscored {
		score = e.Score.Value
	}
	return []format.Column{
		{Name: "score", Value: fraction(score)},
		{Name: "pass_rate", Value: fraction(o.plan.rates.Of(c.Repeats()))},
		{Name: "turns", Value: strconv.Itoa(c.Turns())},
		{Name: "tokens", Value: strconv.Itoa(c.Tokens())},
		{Name: "repeat", Value: strconv.Itoa(c.Repeat)},
	}
}

// label reports whether an episode is right, if the rows of the format are labelled.
func (o *rowWriter) label(e *Episode) *bool {
	if o.Format != KTO {
		return nil
	}
	right := e.candidate().Class() == ""
	return &right
}

// labelled returns the columns of a row with its label under the name that the format's trainer has for it.
func (p *pair) labelled(f format.Format) []format.Column {
	if p.label == nil {
		return p.columns
	}
	name := "label"
	if f == format.ShareGPT {
		name = "kto_tag"
	}
	return append([]format.Column{{Name: name, Value: strconv.FormatBool(*p.label)}}, p.columns...)
}

// labels counts the rows of right and of other episodes.
func (t *tally) labels() (right, wrong int) {
	for end, n := range t.endings {
		if end.verdict == string(qa.Right) {
			right += n.rows
		} else {
			wrong += n.rows
		}
	}
	return right, wrong
}

// labelWeights are the weights of right and wrong rows with which both have the same part in the loss, as TRL advises.
func (t *tally) labelWeights() (right, wrong string) {
	n, m := t.labels()
	weight := func(few, many int) string {
		return strconv.FormatFloat(max(1, float64(many)/float64(max(few, 1))), 'f', 2, 64)
	}
	return weight(n, m), weight(m, n)
}

// fraction returns a number as JSON that no reader takes for an integer: a column has one type.
func fraction(x float64) string {
	raw, err := json.Marshal(x)
	if err != nil {
		return strconv.Itoa(curate.NoScore) + ".0" // no number
	}
	if s := string(raw); strings.ContainsAny(s, ".e") {
		return s
	}
	return string(raw) + ".0"
}
