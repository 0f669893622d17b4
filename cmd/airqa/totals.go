package main

import (
	"fmt"
	"strings"

	"airqa/eval"
	"airqa/internal/terminal"
	"airqa/qa"
)

// totals are the counts of one scoring.
type totals struct {
	// Run is set where several are scored.
	Run string `json:"run,omitempty"`
	// Questions have an answer each, or several with repeats; Answers is the sum of the next four.
	Questions   int `json:"questions"`
	Answers     int `json:"answers"`
	Right       int `json:"right"`
	Wrong       int `json:"wrong"`
	Unparseable int `json:"unparseable"`
	Unscored    int `json:"unscored"`
	// NoEvaluator of the unscored are answers to questions without an evaluator.
	NoEvaluator int `json:"no_evaluator,omitempty"`
	// FormatOnly of the wrong and unparseable answers would be right without their wrapping; fixed scoring only.
	FormatOnly int `json:"format_only,omitempty"`
	// Score is the mean over the questions with a scored answer, 0 to 1, as in a report: that of a question is the mean
	// over its scored answers. Nil where nothing is scored.
	Score   *float64 `json:"score"`
	Scoring string   `json:"scoring"`
	Judge   string   `json:"judge"`

	// last is the question that was added last, with the sum and number of its scored answers; sum and scored are those
	// of the questions before it.
	last               string
	lastSum, sum       float64
	lastScored, scored int
	// why is the reason of the first unscored answer that may be scored another time.
	why string
	// faulty of the unscored have an evaluator that cannot be used; no judge mends that.
	faulty int
}

// faultyEvaluator begins the reasons of answers that cannot be scored because of their question.
const faultyEvaluator = "the evaluator is faulty"

// add counts one score. Those of one question come one after the other.
func (t *totals) add(s qa.Score) {
	if t.Answers == 0 || s.UUID != t.last {
		t.closeQuestion()
		t.Questions++
		t.last = s.UUID
	}
	t.Answers++
	if s.FormatOnly {
		t.FormatOnly++
	}
	switch s.Verdict {
	case qa.Right:
		t.Right++
	case qa.Unparseable:
		t.Unparseable++
	case qa.Unscored:
		t.unscored(s.Reason)
		return
	default:
		t.Wrong++
	}
	t.lastSum += s.Value
	t.lastScored++
}

func (t *totals) unscored(reason string) {
	t.Unscored++
	switch {
	case reason == eval.NoEvaluator:
		t.NoEvaluator++
	case strings.HasPrefix(reason, faultyEvaluator):
		t.faulty++
	case t.why == "":
		t.why = reason
	}
}

// progress is how many answers were scored.
func (t *totals) progress() string {
	if t.Unscored == 0 {
		return terminal.Plural(t.Answers, "answer") + " scored"
	}
	return fmt.Sprintf("%d of %s scored", t.Answers-t.Unscored, terminal.Plural(t.Answers, "answer"))
}

// closeQuestion puts the last question to the others.
func (t *totals) closeQuestion() {
	if t.lastScored > 0 {
		t.sum += t.lastSum / float64(t.lastScored)
		t.scored++
		mean := t.sum / float64(t.scored)
		t.Score = &mean
	}
	t.lastSum, t.lastScored = 0, 0
}

func (c scoreCmd) count(scores []qa.Score) totals {
	t := totals{Scoring: c.Scoring, Judge: c.Judge}
	for _, s := range scores {
		t.add(s)
	}
	t.closeQuestion()
	return t
}

// show prints scores as JSON lines, or their totals for a person.
func (c scoreCmd) show(a *app, scores []qa.Score, t totals) error {
	if !c.JSON {
		return t.print(a)
	}
	w := newScoreWriter(a.out)
	for _, s := range scores {
		if err := w.write(s); err != nil {
			return err
		}
	}
	return w.end(t)
}

// print shows totals to a person.
func (t totals) print(a *app) error {
	name := ""
	if t.Run != "" {
		name = t.Run + ": "
	}
	answers := terminal.Plural(t.Questions, "question")
	if t.Answers != t.Questions {
		answers = terminal.Plural(t.Answers, "answer") + " to " + answers
	}
	score := "nothing is scored"
	if t.Score != nil {
		score = fmt.Sprintf("score %.2f %% of the %d scored", 100**t.Score, t.scored)
	}
	format := ""
	if t.FormatOnly > 0 {
		format = fmt.Sprintf("\n%d of the wrong and unparseable would be right in another format (docs/scoring.md); they count as 0", t.FormatOnly)
	}
	if t.NoEvaluator > 0 {
		format += fmt.Sprintf("\n%s no score: their questions have no evaluator", have(t.NoEvaluator, "answer"))
	}
	return a.print(fmt.Sprintf("%s%s: %d right, %d wrong, %d unparseable, %d unscored%s\n%s (%s semantics, judge %s)",
		name, answers, t.Right, t.Wrong, t.Unparseable, t.Unscored, format, score, t.Scoring, t.Judge))
}
