package session

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/internal/terminal"
	"airqa/qa"
)

// Tally counts the ended episodes of a job by what is known of their scores without a judge, in mode [eval.Reference]. It covers
// the selected questions, those of earlier invocations included.
type Tally struct {
	// Objective answers need no judge; Right of them are right. An episode that ended without an answer is wrong.
	Right, Objective int
	// Judged answers wait for a judge. Settled ones are subjective too, but no verdict can change their score: one without a text
	// is wrong.
	Judged, Settled int
	// NoEvaluator and Faulty answers stay unscored: their question has no evaluator, or one that cannot be used.
	NoEvaluator, Faulty int
	// Undefined answers have no number by the rules of a companion benchmark.
	Undefined int
	// Failed episodes have no score until they are retried.
	Failed int
	// FirstFault is the reason of the first faulty one. That of a failure is in the error of [Session.Result].
	FirstFault string
	// Answers has the texts of the answers of an invocation of one question, by repeat; a later round replaces the earlier one.
	Answers map[int]string
}

// add counts an ended episode.
func (t *Tally) add(s *eval.Scorer, e qa.Evaluator, tr qa.Trajectory) {
	given := tr.Answer.Given
	switch {
	case tr.Outcome.Failed():
		t.Failed++
	case e.Func == "":
		t.NoEvaluator++
	case eval.Subjective(e) && given && s.JudgeDecides(context.Background(), e, eval.Answer(tr.Answer)):
		t.Judged++
	case eval.Subjective(e):
		t.Settled++
	case !given && !s.Prepare(e).Whole():
		t.Objective++
	default:
		t.addScore(s.Score(context.Background(), e, eval.Answer(tr.Answer)))
	}
}

func (t *Tally) addScore(r qa.Score) {
	switch {
	case r.Verdict == qa.Unscored && eval.IsUndefined(r.Reason):
		t.Undefined++
	case r.Verdict == qa.Unscored:
		t.Faulty++
		t.FirstFault = cmp.Or(t.FirstFault, r.Reason)
	case r.Verdict == qa.Right:
		t.Right++
		t.Objective++
	default:
		t.Objective++
	}
}

// Scorable is the number of answers that scoring gives a score.
func (t Tally) Scorable() int { return t.Objective + t.Judged + t.Settled }

// Text is the tally in one sentence; "" if nothing has ended but failures.
func (t Tally) Text() string {
	if t.Scorable()+t.NoEvaluator+t.Undefined+t.Faulty == 0 {
		return ""
	}
	var parts []string
	if t.Objective > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s right (mode %s)", t.Right, terminal.Plural(t.Objective, "objective answer"), eval.Reference))
	}
	wait, faulty := "wait for a judge", "unscored: faulty evaluator"
	if t.Judged == 1 {
		wait = "waits for a judge"
	}
	const maxReason = 60 // the maximum length of a reason in a tally, in columns
	if t.FirstFault != "" {
		faulty += " (" + terminal.Clip(terminal.Line(t.FirstFault), maxReason) + ")"
	}
	for _, p := range []struct {
		n    int
		text string
	}{
		{t.Judged, wait},
		{t.Settled, "subjective, but settled without a judge"},
		{t.NoEvaluator, "unscored: no evaluator"},
		{t.Undefined, "unscored: the measure is not defined"},
		{t.Faulty, faulty},
		{t.Failed, "failed"},
	} {
		switch {
		case p.n > 0 && len(parts) == 0:
			parts = append(parts, terminal.Plural(p.n, "answer")+" "+p.text)
		case p.n > 0:
			parts = append(parts, fmt.Sprint(p.n)+" "+p.text)
		}
	}
	return strings.Join(parts, "; ")
}

// AnswerLines are the answers of an invocation of one question, with control characters escaped: the answer itself, or a line for
// each job and repeat if there are several. Episodes without an answer are left out.
func AnswerLines(jobs []Ended) []string {
	var lines []string
	for _, j := range jobs {
		for _, repeat := range slices.Sorted(maps.Keys(j.Tally.Answers)) {
			text := j.Tally.Answers[repeat]
			switch {
			case j.Repeated:
				lines = append(lines, fmt.Sprintf("%s#%d: %s", terminal.Line(j.Name), repeat, terminal.Line(text)))
			case len(jobs) > 1:
				lines = append(lines, terminal.Line(j.Name)+": "+terminal.Line(text))
			default:
				lines = append(lines, terminal.Safe(text))
			}
		}
	}
	return lines
}
