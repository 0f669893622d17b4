package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/sqltext"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/trace"
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
	d := step{Step: s, title: titleOf(s), cost: costOf(s), comment: commentsOn(list, s.N)}
	for _, m := range e.Marks {
		if m.Step == s.N {
			d.marks = append(d.marks, markText(m, s))
		}
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

func titleOf(s qa.Step) string {
	switch {
	case s.ParseError != nil:
		return "no action"
	case s.Action == nil:
		return "reply"
	case s.By == qa.ByProgram:
		return s.Action.Name + ", by the program"
	}
	return s.Action.Name
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
		tokens += " (counted by airqa)"
	}
	parts = append(parts, tokens)
	if spans := spansText(s.Shown); spans != "" {
		parts = append(parts, "messages "+spans)
	}
	return strings.Join(parts, ", ")
}

// spansText lists message numbers from 0: "0-1, 4-7".
func spansText(spans []qa.Span) string {
	var parts []string
	for _, s := range spans {
		if s.First < s.End {
			parts = append(parts, fmt.Sprintf("%d-%d", s.First, s.End-1))
		}
	}
	return strings.Join(parts, ", ")
}

// markText is a sentence about a mark.
func markText(m trace.Mark, s qa.Step) string {
	switch m.Kind {
	case trace.MarkFormat:
		return cmp.Or("format error: "+s.ParseError.Reason, "format error")
	case trace.MarkError:
		return "error of the tool"
	case trace.MarkEmpty:
		return "empty result"
	case trace.MarkRepeated:
		return fmt.Sprintf("repeated: the same action as step %d; %d tokens wasted", m.First, m.Wasted)
	case trace.MarkCut:
		return cutText(s.Observation.Cut)
	case trace.MarkLeft:
		return "left the window: the last request did not have this result"
	case trace.MarkReply:
		return "reply cut off at the limit of tokens"
	}
	return string(m.Kind)
}

// cutText is a sentence about a cut: "cut: 2 of 5 rows shown (limit of 5000 tokens)".
func cutText(c *qa.Cut) string {
	total := fmt.Sprint(c.RowsTotal)
	if c.RowsTotal < 0 {
		total = "more"
	}
	text := fmt.Sprintf("cut: %d of %s rows shown", c.RowsShown, total)
	switch c.Reason {
	case "cell":
		text += ", the last one in part"
	case "rows":
		return text + " (limit of rows)"
	}
	return text + fmt.Sprintf(" (limit of %d tokens)", c.TokenLimit)
}

// indented is the indentation of texts below their label.
const indented = 4

// rule prints the title line of a step.
func (p *Page) rule(name, title string) {
	text := "── " + name
	if title != "" {
		text += ": " + terminal.Line(title)
	}
	if p.width > 0 {
		text = terminal.Clip(text, p.width)
	}
	p.add(bold, text)
}

func (p *Page) printStep(s step) {
	p.blank()
	p.step = s.N
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
	p.reply(s.Step)
	p.notRun(s.Step)
	if s.Observation != nil {
		p.result(*s.Observation)
	}
}

// attempts lists failed requests.
func (p *Page) attempts(list []qa.Attempt) {
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

// reply prints the thought and the action, or the reply as it is.
func (p *Page) reply(s qa.Step) {
	if s.Reply != nil && s.Reply.Reasoning != "" {
		p.label("reasoning")
		p.prose(indented, dim, s.Reply.Reasoning)
	}
	if s.Reply != nil && (s.ParseError != nil || s.Action == nil) {
		p.label("reply without an action")
		p.prose(indented, "", s.Reply.Text)
		return
	}
	if thought := s.Thought(); thought != "" {
		p.label("thought")
		p.prose(indented, "", thought)
	}
	if s.Action != nil {
		p.label("action")
		p.action(*s.Action)
	}
}

func (p *Page) label(text string) { p.prose(2, blue, text) }

// action prints a call; SQL is laid out over lines.
func (p *Page) action(a qa.Action) {
	sql, others, ok := sqlOf(a)
	if !ok {
		p.prose(indented, bold, a.Text)
		return
	}
	p.prose(indented, bold, a.Name+others)
	p.prose(indented+2, "", sql)
}

// sqlOf returns the statement of a call over lines and its other arguments; false for a call without SQL.
func sqlOf(a qa.Action) (sql, others string, ok bool) {
	text, isText := a.Args["sql"].(string)
	if !isText {
		return "", "", false
	}
	if len(a.Args) > 1 {
		others = " " + a.Text
	}
	return strings.Join(sqltext.Lines(text), "\n"), others, true
}

// notRun lists the native calls that were not executed.
func (p *Page) notRun(s qa.Step) {
	if text := notRunText(s); text != "" {
		p.label("several calls")
		p.prose(indented, yellow, text)
	}
}

func notRunText(s qa.Step) string {
	if s.Reply == nil || s.Called == nil || len(s.Reply.ToolCalls) < 2 {
		return ""
	}
	lines := []string{fmt.Sprintf("%s was run. Only one call runs per turn; not run:", s.Called.Name)}
	for _, call := range s.Reply.ToolCalls[1:] {
		lines = append(lines, call.Name+" "+string(call.Arguments))
	}
	return strings.Join(lines, "\n")
}
