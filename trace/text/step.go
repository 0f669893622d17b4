package text

import (
	"fmt"
	"slices"
	"strings"

	"airqa/agent/action"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/trace"
	"airqa/trace/diff"
)

// step is what is printed of a step besides its texts.
type step struct {
	qa.Step
	// title names the action, cost the seconds, tokens and messages.
	title, cost string
	// marks are sentences on what to notice.
	marks   []string
	comment string
}

func stepOf(e trace.Episode, s qa.Step, list []trace.Note) step {
	d := step{Step: s, title: trace.StepTitle(s), cost: costOf(s), comment: commentsOn(list, s.N)}
	if s.By == qa.ByProgram && s.ParseError == nil && s.Action != nil {
		d.title += ", by the program"
	}
	for _, m := range e.StepMarks(s.N) {
		d.marks = append(d.marks, m.Sentence(s))
	}
	if s.Reply != nil {
		if s.Reply.Finish != "" && stopped[s.Reply.Finish] != "" {
			d.marks = append(d.marks, stopped[s.Reply.Finish])
		}
		if slices.ContainsFunc(s.Reply.Attempts, func(a qa.Attempt) bool { return a.Error == qa.FailContextOverflow }) {
			d.marks = append(d.marks, "shortened: the window did not fit the model")
		}
	}
	return d
}

// stopped describes replies that the endpoint ended, other than by the limit of tokens.
var stopped = map[string]string{
	qa.FinishFilter: "reply stopped by the endpoint's content filter", qa.FinishRefusal: "reply refused by the endpoint",
}

func costOf(s qa.Step) string {
	working, waiting := s.Time()
	parts := []string{fmt.Sprintf("%.1f s", working+waiting)}
	if s.Reply == nil {
		return parts[0]
	}
	u := s.Reply.Usage
	tokens := fmt.Sprintf("%d + %d tokens", u.Prompt, u.Completion)
	switch {
	case s.Reply.Cached:
		tokens += " (from the cache, not counted)"
	case u.Estimated:
		tokens += " (estimated by airqa)"
	}
	parts = append(parts, tokens)
	var spans []string // message numbers from 0: "0-1, 4-7"
	for _, span := range s.Shown {
		if span.First < span.End {
			spans = append(spans, fmt.Sprintf("%d-%d", span.First, span.End-1))
		}
	}
	if len(spans) > 0 {
		parts = append(parts, "messages "+strings.Join(spans, ", "))
	}
	return strings.Join(parts, ", ")
}

// indented is the indentation of texts below their label.
const indented = 4

// rule prints the title line of a step.
func (p *page) rule(name, title string) {
	text := "── " + name
	if title != "" {
		text += ": " + terminal.Line(title)
	}
	if p.width > 0 {
		text = terminal.Clip(text, p.width)
	}
	p.add(bold, text)
}

func (p *page) printStep(s step) {
	p.blank()
	p.rule(fmt.Sprintf("step %d", s.N), s.title)
	p.prose(3, dim, s.cost)
	if s.Reply != nil {
		p.attempts(s.Reply.Attempts)
	}
	for _, m := range s.marks {
		p.hanging("   ! ", yellow, m)
	}
	if s.comment != "" {
		p.hanging("   # ", green, s.comment)
	}
	for _, t := range replyParts(s.Step) {
		p.part(t)
	}
	if text := otherCalls(s.Step); text != "" {
		p.part(part{label: "several calls", colour: yellow, text: text})
	}
	if s.Observation != nil {
		p.result(*s.Observation)
	}
}

func (p *page) attempts(list []qa.Attempt) {
	for _, line := range retries(list) {
		p.hanging("   ! ", yellow, line)
	}
}

// retries are sentences about failed requests and waits.
func retries(list []qa.Attempt) []string {
	var lines []string
	for _, a := range list {
		if a.Error == "" {
			continue
		}
		text := "request failed: " + string(a.Error)
		if a.Status != 0 {
			text += fmt.Sprintf(" (HTTP %d)", a.Status)
		}
		text += fmt.Sprintf(" after %.1f s", a.Seconds)
		if a.Wait > 0 {
			text += fmt.Sprintf(", sent after a wait of %.1f s", a.Wait)
		}
		lines = append(lines, text)
	}
	return lines
}

// part is a text of a step under its label.
type part struct {
	label, colour string
	// head is a call above its SQL, which is the text then.
	head, text string
	// language is that of the text, for Markdown.
	language string
}

// replyParts are all parts of a step's reply and its action, or the reply as it is if there is no action.
func replyParts(s qa.Step) (list []part) {
	if s.Reply != nil && s.Reply.Reasoning != "" {
		list = append(list, part{label: "reasoning", colour: dim, text: s.Reply.Reasoning, language: "text"})
	}
	rest, acted := action.PartRest, false
	if s.ParseError != nil || s.Action == nil { // positions in the error count from the beginning of the reply
		rest, s.Action, s.ThoughtAt = "reply without an action", nil, qa.Span{}
	}
	for _, t := range trace.ReplyParts(s) {
		p := part{label: t.Kind, colour: dim, text: s.Reply.Text[t.First:t.End], language: "text"}
		switch t.Kind {
		case action.PartAction:
			p, acted = actionPart(*s.Action), true
		case action.PartRest:
			p.label = rest
			fallthrough
		case action.PartThought:
			p.colour = ""
		}
		list = append(list, p)
	}
	if s.Action != nil && !acted { // a native call, or one of the program
		list = append(list, actionPart(*s.Action))
	}
	return list
}

// actionPart is a call, with its SQL over several lines.
func actionPart(a qa.Action) part {
	p := part{label: "action", colour: bold, text: a.Text, language: "python"}
	if sql, ok := a.Args["sql"].(string); ok {
		p.head, p.text, p.language = a.Name, strings.Join(diff.SQLLines(sql), "\n"), "sql"
		if len(a.Args) > 1 {
			p.head += " " + a.Text
		}
	}
	return p
}

func (p *page) part(t part) {
	p.label(t.label)
	if t.head == "" {
		p.prose(indented, t.colour, t.text)
		return
	}
	p.prose(indented, bold, t.head)
	p.prose(indented+2, "", t.text)
}

func (p *page) label(text string) { p.prose(2, blue, text) }

// otherCalls lists the native calls of a reply that are not its action: those that were run with their results, and those
// that were not.
func otherCalls(s qa.Step) string {
	if s.Reply == nil || s.Called == nil || len(s.Reply.ToolCalls) != len(s.Others)+1 {
		return ""
	}
	var ran, not []string
	for i, call := range s.Reply.ToolCalls[1:] {
		line := call.Name + " " + string(call.Arguments)
		if s.Others[i].Status == "" {
			not = append(not, line)
		} else {
			ran = append(ran, fmt.Sprintf("%s\nits result (%s):\n%s", line, s.Others[i].Status, s.Others[i].Text))
		}
	}
	if len(not) > 0 {
		not = append([]string{s.Called.Name + " was run. Only one call runs per turn; not run:"}, not...)
	}
	return strings.Join(append(ran, not...), "\n")
}
