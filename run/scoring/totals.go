package scoring

import (
	"fmt"
	"strings"

	"airqa/eval"
	"airqa/internal/stats"
	"airqa/internal/terminal"
	"airqa/qa"
)

// Totals are the counts of one scoring. The zero value is ready to use.
type Totals struct {
	// Run is set if several runs are scored.
	Run string `json:"run,omitempty"`
	// Questions have one answer each, or several with repeats; Answers is the sum of the next four.
	Questions   int `json:"questions"`
	Answers     int `json:"answers"`
	Right       int `json:"right"`
	Wrong       int `json:"wrong"`
	Unparseable int `json:"unparseable"`
	Unscored    int `json:"unscored"`
	// NoEvaluator counts the unscored answers to questions without an evaluator.
	NoEvaluator int `json:"no_evaluator,omitempty"`
	// Undefined counts those without a number by the rules of a companion benchmark.
	Undefined int `json:"undefined,omitempty"`
	// FormatOnly counts the wrong and unparseable answers that would be right without their wrapping; fixed scoring
	// only.
	FormatOnly int `json:"format_only,omitempty"`
	// PartlyScored counts the questions with scored and unscored answers. They are not in Score, as in a report.
	PartlyScored int `json:"partly_scored,omitempty"`
	// Score is the mean over the questions of which every answer is scored, 0 to 1, as in a report; a question's score is
	// the mean over its answers. It is nil if there is none, or if the verdicts rule the mean out (see
	// [stats.Bounded.Possible]). Bounds are the lowest and highest score that they allow, nil if no answer that can be
	// scored lacks one.
	Score   *float64        `json:"score"`
	Bounds  *stats.Interval `json:"bounds,omitempty"`
	Scoring string          `json:"scoring"`
	Judge   string          `json:"judge"`

	// last is the question added last, with the sum of its scores and the numbers of its scored answers and of those that
	// wait for a verdict; mean covers the questions before it.
	last          string
	sum           float64
	scored, waits int
	mean          stats.Bounded
	// judged is true if a judge may have been asked.
	judged bool
	// Why is the reason of the first unscored answer that may be scored later.
	Why string `json:"-"`
	// Faulty counts unscored answers whose evaluator is unusable with any judge.
	Faulty int `json:"-"`
}

// faultyEvaluator is the prefix of reasons for answers that cannot be scored because of their question.
const faultyEvaluator = "the evaluator is faulty"

// Add counts one score. The scores of a question must be consecutive.
func (t *Totals) Add(s qa.Score) {
	if t.Answers == 0 || s.UUID != t.last {
		t.End()
		t.Questions++
		t.last = s.UUID
	}
	t.Answers++
	t.judged = t.judged || eval.MayAsk(s.Func)
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
	t.sum += s.Value
	t.scored++
}

// unscored counts an answer without a score.
func (t *Totals) unscored(reason string) {
	t.Unscored++
	switch {
	case reason == eval.NoEvaluator:
		t.NoEvaluator++
		return
	case eval.IsUndefined(reason):
		t.Undefined++
		return
	case strings.HasPrefix(reason, faultyEvaluator):
		t.Faulty++
	case t.Why == "":
		t.Why = reason
	}
	t.waits++
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
	if n := float64(t.scored + t.waits); n > 0 {
		t.mean.Add(t.sum/n, (t.sum+float64(t.waits))/n)
	}
	switch {
	case t.scored > 0 && t.waits > 0:
		t.PartlyScored++
	case t.scored > 0:
		t.mean.Count(t.sum / float64(t.scored))
	}
	t.sum, t.scored, t.waits = 0, 0, 0
	t.Score, t.Bounds = nil, nil
	if b := t.mean.Bounds(1); b != nil && *b != (stats.Interval{Low: 0, High: 1}) {
		t.Bounds = b
	}
	if t.mean.Possible() {
		mean := t.mean.Sum / float64(t.mean.N)
		t.Score = &mean
	}
}

// Count totals the scores of one scoring.
func Count(scores []qa.Score, mode eval.Mode, judge string) Totals {
	t := Totals{Scoring: string(mode), Judge: judge}
	for _, s := range scores {
		t.Add(s)
	}
	t.End()
	return t
}

// Text formats totals for users.
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
	switch {
	case t.Score != nil:
		score = fmt.Sprintf("score %.2f%% of %d scored", 100**t.Score, t.mean.N)
	case t.Bounds != nil:
		score = fmt.Sprintf("score between %.2f%% and %.2f%%, %d scored", 100*t.Bounds.Low, 100*t.Bounds.High, t.mean.N)
	}
	if t.PartlyScored > 0 {
		score += fmt.Sprintf(", %d partly scored", t.PartlyScored)
	}
	format := ""
	if t.FormatOnly > 0 {
		format = fmt.Sprintf("\n%d of the wrong and unparseable would be right in another format (docs/scoring.md); they count as 0", t.FormatOnly)
	}
	if t.NoEvaluator > 0 {
		format += fmt.Sprintf("\n%s unscored: no evaluator", terminal.Plural(t.NoEvaluator, "answer"))
	}
	if t.Undefined > 0 {
		format += fmt.Sprintf("\n%s unscored: the measure is not defined in this mode, and leaves the question out", terminal.Plural(t.Undefined, "answer"))
	}
	rules := t.Scoring + " mode"
	if t.judged {
		rules += ", judge " + t.Judge
	}
	return fmt.Sprintf("%s%s: %d right, %d wrong, %d unparseable, %d unscored%s\n%s (%s)",
		name, answers, t.Right, t.Wrong, t.Unparseable, t.Unscored, format, score, rules)
}
