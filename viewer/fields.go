package viewer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"airqa/qa"
	"airqa/trace"
)

// ErrNoText is returned for a text that an episode does not have.
var ErrNoText = errors.New("no such text")

// Text returns a text of an episode by its name: "messages.0.text", "steps.2.reply.text", "steps.2.reply.reasoning",
// "steps.2.action.text", "steps.2.observation.text", "steps.2.observation.full", "steps.2.prompt", "answer.text" or
// "evaluator.eval_kwargs". Messages count from 0, steps from 1.
func Text(e trace.Episode, name string) (string, error) {
	list, rest, _ := strings.Cut(name, ".")
	number, part, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	if err != nil {
		n = -1
	}
	text, ok := "", false
	switch {
	case name == "answer.text":
		text, ok = e.Traced.Answer.Text, true
	case name == "evaluator.eval_kwargs":
		text, ok = string(e.Traced.Evaluator.Kwargs), true
	case list == "messages" && part == "text" && n >= 0 && n < len(e.Traced.Messages):
		text, ok = e.Traced.Messages[n].Text, true
	case list == "steps" && n >= 1 && n <= len(e.Traced.Steps):
		text, ok = stepText(e, e.Traced.Steps[n-1], part)
	}
	if !ok {
		return "", fmt.Errorf("%w: %q", ErrNoText, name)
	}
	return text, nil
}

func stepText(e trace.Episode, s qa.Step, part string) (text string, ok bool) {
	switch {
	case part == "prompt":
		return prompt(e, s), true
	case part == "reply.text" && s.Reply != nil:
		return s.Reply.Text, true
	case part == "reply.reasoning" && s.Reply != nil:
		return s.Reply.Reasoning, true
	case part == "action.text" && s.Action != nil:
		return s.Action.Text, true
	case part == "observation.text" && s.Observation != nil:
		return s.Observation.Text, true
	case part == "observation.full" && s.Observation != nil:
		return s.Observation.Full, true
	}
	return "", false
}

// prompt is the conversation that the model saw at a step, one message after the other.
func prompt(e trace.Episode, s qa.Step) string {
	var b strings.Builder
	for _, r := range s.Shown {
		for i := max(r.First, 0); i < min(r.End, len(e.Traced.Messages)); i++ {
			m := e.Traced.Messages[i]
			fmt.Fprintf(&b, "── message %d, %s\n%s\n", i, m.Role, m.Text)
			for _, c := range m.ToolCalls {
				fmt.Fprintf(&b, "call %s %s\n", c.Name, c.Arguments)
			}
			for _, im := range m.Images {
				fmt.Fprintf(&b, "image %s\n", im.SHA256)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// Markdown is an episode for people and chats: the question, each step, the outcome.
func Markdown(e trace.Episode) string {
	var b strings.Builder
	t := e.Traced
	fmt.Fprintf(&b, "# %s\n\n", strings.ReplaceAll(strings.TrimSpace(t.Question), "\n", " "))
	fmt.Fprintf(&b, "- run: %s\n- episode: %s\n- status: %s\n- outcome: %s %s\n", e.Run, e.Episode, e.Status, e.Outcome, e.Reason)
	fmt.Fprintf(&b, "- turns: %d, tokens: %d\n", e.Turns, e.Tokens())
	fmt.Fprintf(&b, "- answer format: %s\n- evaluator: %s %s\n", t.AnswerFormat, t.Evaluator.Func, t.Evaluator.Kwargs)
	if e.Why.Code != "" {
		fmt.Fprintf(&b, "- lost at: %s, %s\n- cause: %s, %s\n", e.Loss.Level, e.Loss.Why, e.Why.Code, e.Why.Why)
	}
	for i, m := range t.Messages {
		if m.Role == qa.Assistant {
			break
		}
		fmt.Fprintf(&b, "\n## Message %d, %s\n\n%s", i, m.Role, fenced(m.Text))
	}
	for _, s := range t.Steps {
		fmt.Fprintf(&b, "\n## Step %d\n\n", s.N)
		if s.Reply != nil {
			b.WriteString(fenced(s.Reply.Text))
		} else if s.Action != nil {
			b.WriteString(fenced(s.Action.Text))
		}
		if s.ParseError != nil {
			fmt.Fprintf(&b, "\nParse error: %s\n", s.ParseError.Reason)
		}
		if s.Observation != nil {
			fmt.Fprintf(&b, "\nObservation (%s):\n\n%s", s.Observation.Status, fenced(s.Observation.Text))
		}
	}
	fmt.Fprintf(&b, "\n## Answer\n\n%s", fenced(t.Answer.Text))
	return b.String()
}

// fenced is a code block that the text cannot close.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}
