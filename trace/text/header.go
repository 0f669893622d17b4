package text

import (
	"cmp"
	"fmt"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/trace"
	"airqa/trace/cause"
)

// fact is one line of the header. Its text may come from anywhere.
type fact struct{ name, colour, text string }

// facts are the lines of the header.
func facts(e trace.Episode, list []trace.Note) []fact {
	t := e.Traced
	rule, decision := "", ""
	if e.Why.Rule != "" {
		rule = e.Why.By()
	}
	for _, n := range list {
		if n.Cause != "" { // the last one counts
			decision = strings.ReplaceAll(string(n.Cause), "_", " ") + by(n)
		}
	}
	all := []fact{
		{"Format", "", t.AnswerFormat},
		{"Tags", "", strings.Join(t.Tags, ", ")},
		{"Episode", "", strings.TrimSuffix(t.Episode+" in "+e.Run, " in ")},
		{"Status", statusColour(e.Status), statusText(e)},
		{"Lost at", "", explained(e.Loss.Level.Label(e.Loss.Weak), ladder[e.Loss.Level], e.Loss.Why)},
		{"Cause", "", explained(strings.ReplaceAll(string(e.Why.Code), "_", " "), rule, e.Why.Why)},
		{"Decision", green, decision},
		{"Answer", "", answerText(t.Answer)},
		{"Gold", "", goldText(e)},
		{"Effort", "", effortText(e)},
		{"Marks", yellow, marksText(e)},
		{"Comment", green, commentsOn(list, 0)},
	}
	if t.Fork != nil {
		all = append(all, fact{"Fork", "", trace.ForkText(*t.Fork)})
	}
	if e.Damage != nil {
		all = append(all, fact{"Damaged", red, e.Damage.Error() + "; what follows is the part that can be read"})
	}
	return all
}

func statusColour(s trace.Status) string {
	switch s {
	case trace.Right:
		return green
	case trace.Wrong, trace.Failed, trace.Damaged:
		return red
	}
	return yellow
}

// statusText is the status with the outcome and the score: "wrong; answered; score 0 by eval_int_exact_match".
func statusText(e trace.Episode) string {
	parts := []string{string(e.Status)}
	if e.Traced.Outcome != "" {
		parts = append(parts, string(e.Traced.Outcome))
	}
	if s := e.Traced.Score; s != nil {
		text := fmt.Sprintf("score %.4g by %s", s.Value, s.Func)
		if s.Verdict == qa.Unscored {
			text = "no verdict by " + s.Func
		}
		if s.FormatOnly {
			text += ", right except for its format"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func outcomeText(t trace.Traced) string { return cmp.Or(string(t.Outcome), "unfinished") }

// ladder explains the levels in the words of docs/why.md.
var ladder = map[cause.Level]string{
	cause.LevelDB: "not in the database", cause.LevelScope: "outside the scope of Retrieve", cause.LevelHits: "in no result",
	cause.LevelLimit: "among hits beyond the limit", cause.LevelCut: "in a result, in the part that was not shown",
	cause.LevelWindow: "shown, but not in the last request", cause.LevelAnswer: "in the last request",
}

// explained is "text (detail): why", without what is empty; empty without a text.
func explained(text, detail, why string) string {
	if text == "" {
		return ""
	}
	if detail != "" {
		text += " (" + detail + ")"
	}
	if why != "" {
		text += ": " + why
	}
	return text
}

// commentsOn are the comments on a step, one per line.
func commentsOn(list []trace.Note, step int) string {
	var lines []string
	for _, n := range list {
		if n.Step == step && n.Text != "" {
			lines = append(lines, n.Text+by(n))
		}
	}
	return strings.Join(lines, "\n")
}

func by(n trace.Note) string {
	if n.Author == "" {
		return ""
	}
	return " (" + n.Author + ")"
}

func answerText(a qa.Answer) string {
	if !a.Given {
		return "(none)"
	}
	return cmp.Or(a.Text, `""`)
}

// goldText is the gold answer, or the arguments of the evaluator if they have none.
func goldText(e trace.Episode) string {
	return cmp.Or(e.Gold, strings.TrimSpace(string(e.Traced.Evaluator.Kwargs)))
}

func effortText(e trace.Episode) string {
	u := e.Traced.Usage
	text := fmt.Sprintf("%s, %d + %d tokens", terminal.Plural(e.Traced.Turns, "turn"), u.Prompt, u.Completion)
	if u.Estimated {
		text += " (estimated by airqa)"
	}
	text += fmt.Sprintf(", %.1f s", e.Seconds)
	if e.CostUSD != nil {
		text += ", " + terminal.USD(*e.CostUSD)
	}
	if n := e.Traced.CutReplies; n > 0 {
		text += fmt.Sprintf("; %d of %d replies cut off at the token limit", n, e.Traced.Turns)
	}
	return text
}

// marksText counts the marks of the steps: "2 cut, 1 repeated (4971 tokens wasted)".
func marksText(e trace.Episode) string {
	count, wasted := trace.TallyMarks(e.Marks)
	var parts []string
	for _, kind := range trace.MarkKinds() {
		if n := count[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(kind), "_", " ")))
		}
	}
	text := strings.Join(parts, ", ")
	if wasted > 0 {
		text += fmt.Sprintf(" (%d tokens of repeated steps)", wasted)
	}
	return text
}
