package scoring

import (
	"fmt"
	"strings"

	"airqa/eval"
	"airqa/internal/terminal"
	"airqa/qa"
)

// Totals are the counts of one scoring. The zero value is empty.
type Totals struct {
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
	// Why is the reason of the first unscored answer that may be scored another time.
	Why string `json:"-"`
	// Faulty of the unscored have an evaluator that cannot be used, whoever judges.
	Faulty int `json:"-"`
}

// faultyEvaluator begins the reasons of answers that cannot be scored because of their question.
const faultyEvaluator = "the evaluator is faulty"

// Add counts one score. Those of one question come one after the other.
func (t *Totals) Add(s qa.Score) {
	if t.Answers == 0 || s.UUID != t.last {
		t.End()
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

func (t *Totals) unscored(reason string) {
	t.Unscored++
	switch {
	case reason == eval.NoEvaluator:
		t.NoEvaluator++
	case strings.HasPrefix(reason, faultyEvaluator):
		t.Faulty++
	case t.Why == "":
		t.Why = reason
	}
}

// progress is the number of answers scored so far.
func (t *Totals) progress() string {
	if t.Unscored == 0 {
		return terminal.Plural(t.Answers, "answer") + " scored"
	}
	return fmt.Sprintf("%d of %s scored", t.Answers-t.Unscored, terminal.Plural(t.Answers, "answer"))
}

// End counts the last question. Call it after the last score.
func (t *Totals) End() {
	if t.lastScored > 0 {
		t.sum += t.lastSum / float64(t.lastScored)
		t.scored++
		mean := t.sum / float64(t.scored)
		t.Score = &mean
	}
	t.lastSum, t.lastScored = 0, 0
}

// Count sums up scores that came from a scoring by mode and judge.
func Count(scores []qa.Score, mode eval.Mode, judge string) Totals {
	t := Totals{Scoring: string(mode), Judge: judge}
	for _, s := range scores {
		t.Add(s)
	}
	t.End()
	return t
}

// Text shows totals to a person.
func (t Totals) Text() string {
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
	return fmt.Sprintf("%s%s: %d right, %d wrong, %d unparseable, %d unscored%s\n%s (%s semantics, judge %s)",
		name, answers, t.Right, t.Wrong, t.Unparseable, t.Unscored, format, score, t.Scoring, t.Judge)
}

// have is a number of things that are the subject of a sentence.
func have(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " has"
	}
	return terminal.Plural(n, noun) + " have"
}
