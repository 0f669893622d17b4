package ask

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"airqa/internal/python"
	"airqa/internal/terminal"
	"airqa/qa"
)

// Text prints the answers with their sources. Lines but commands are wrapped to width; 0 means [terminal.ProseWidth].
func (r *Result) Text(out io.Writer, width int, style terminal.Style) error {
	p := &printer{width: terminal.ProseWidth(width), style: style}
	for i, a := range r.Answers {
		if len(r.Answers) > 1 {
			if i > 0 {
				p.b.WriteByte('\n')
			}
			p.say(style.Bold, "", a.Question)
		}
		p.answer(a, len(r.Answers) == 1)
	}
	_, err := io.WriteString(out, p.b.String())
	return err
}

// printer collects lines.
type printer struct {
	b     strings.Builder
	width int
	style terminal.Style
}

// say adds a paragraph.
func (p *printer) say(paint func(string) string, indent, text string) {
	for line := range strings.SplitSeq(terminal.Wrap(indent+terminal.Line(text), p.width, indent), "\n") {
		p.b.WriteString(paint(line) + "\n")
	}
}

func plain(s string) string { return s }

// answer prints an answer with its sources. The error of the command has the reason of an only question that failed.
func (p *printer) answer(a Answered, only bool) {
	if a.Answer == nil && only && a.Outcome.Failed() {
		p.say(plain, "", "No answer ("+string(a.Outcome)+").")
		return
	}
	if a.Answer == nil {
		p.say(plain, "", noAnswer(a))
		return
	}
	for _, line := range a.Lines() {
		p.say(plain, "", line)
	}
	p.b.WriteByte('\n')
	if len(a.Sources) == 0 {
		p.say(plain, "", noSources)
		return
	}
	p.say(p.style.Bold, "", "Sources")
	for i, s := range a.Sources {
		p.source(fmt.Sprintf("%d. ", i+1), s)
	}
}

func (p *printer) source(number string, s Cited) {
	indent := strings.Repeat(" ", len(number))
	p.b.WriteString(terminal.Wrap(number+terminal.Line(placeOf(s.Source, mostCaption)), p.width, indent) + "\n")
	if s.Quote != "" {
		p.say(plain, indent, quoted(s.Source))
	}
	if note := caveat(s.Source); note != "" {
		p.say(plain, indent, note)
	}
	if s.Command != "" {
		p.b.WriteString(indent + p.style.Paint("36", s.Command) + "\n")
	}
}

// noSources is printed for an answer without sources.
const noSources = "No source found: no passage that the model read links this answer to the question. Check the answer before you use it."

// Lines are the answer as lines, each safe to show: the elements of a list one by one.
func (a Answered) Lines() []string {
	if a.Answer == nil {
		return nil
	}
	v, _ := python.Read(*a.Answer)
	var lines []string
	if list, ok := python.ToGo(v).([]any); ok && strings.HasPrefix(*a.Answer, "[") {
		for _, e := range list {
			lines = append(lines, "- "+terminal.Line(fmt.Sprint(e)))
		}
		return lines
	}
	for line := range strings.Lines(*a.Answer) {
		lines = append(lines, terminal.Line(line))
	}
	return lines
}

// noAnswer says why there is no answer.
func noAnswer(a Answered) string {
	if a.Outcome == "" {
		return "Not answered yet."
	}
	return "No answer (" + string(a.Outcome) + "): " + cmp.Or(a.Reason, "the model gave none")
}

// placeOf describes where a source is: title, page, section, table or figure. The caption of a table has at most most
// columns; 0 is no limit.
func placeOf(s Source, most int) string {
	var parts []string
	switch {
	case s.Title != "":
		parts = append(parts, s.Title)
	case s.PaperID != "":
		parts = append(parts, "paper "+s.PaperID)
	case s.Kind == QueryRow:
		parts = append(parts, "database")
	}
	switch {
	case s.Label != "":
		parts = append(parts, fmt.Sprintf("p. %s (page %d of the file)", s.Label, s.Page))
	case s.Page > 0:
		parts = append(parts, fmt.Sprintf("page %d", s.Page))
	}
	if s.Section != "" {
		parts = append(parts, "section "+s.Section)
	}
	if s.Kind == QueryRow {
		parts = append(parts, fmt.Sprintf("result of step %d", s.Step))
	}
	if float := floatOf(s, most); float != "" {
		parts = append(parts, float)
	}
	return cmp.Or(strings.Join(parts, ", "), fmt.Sprintf("result of step %d", s.Step))
}

// floatOf names the table or figure of a source; empty for none.
func floatOf(s Source, most int) string {
	switch label, _, found := strings.Cut(s.Caption, ":"); {
	case s.Kind == Table && s.Caption != "" && s.Quote != s.Caption:
		return terminal.Clip(s.Caption, most)
	case found && len(label) < mostLabel:
		return label
	case s.Kind == Table || s.Kind == Figure:
		return string(s.Kind)
	}
	return ""
}

// mostCaption is the number of columns of a caption, mostLabel the length of a label such as "Figure 3".
const (
	mostCaption = 70
	mostLabel   = 20
)

// quoted is the quote of a source in quotation marks, or the row of a table or result as it is.
func quoted(s Source) string {
	text := s.Quote
	if s.Before {
		text = "… " + text
	}
	if s.After {
		text += " …"
	}
	if s.Kind == Passage {
		return "“" + text + "”"
	}
	return text
}

// caveat is what a reader must know about a source that was retracted, or whose words are not those of the answer.
func caveat(s Source) string {
	note := ""
	switch s.Match {
	case Topic:
		note = "(contains words of the question; the answer has no words to search for)"
	case Seen:
		note = "(the model looked at this image; airqa cannot compare it with the answer)"
	}
	if s.Withdrawn != "" {
		note = strings.TrimSpace("(warning: this paper is marked “" + s.Withdrawn + "”) " + note)
	}
	return note
}

// Summary is one line about the run: directory, tokens, cost.
func (r *Result) Summary() string {
	var used qa.Usage
	usd, known := 0.0, true
	for _, a := range r.Answers {
		used = used.Add(a.Usage)
		if a.USD == nil {
			known = false
			continue
		}
		usd += *a.USD
	}
	cost := "cost unknown"
	if known {
		cost = terminal.USD(usd)
	}
	return fmt.Sprintf("%s tokens, %s; steps: %s", terminal.Compact(float64(used.Prompt+used.Completion)), cost, traceCommand(r.Run, r.only()))
}

// only is the uuid of the only question, "" for several.
func (r *Result) only() string {
	if len(r.Answers) == 1 {
		return r.Answers[0].UUID
	}
	return ""
}

func traceCommand(run, uuid string) string {
	command := "airqa trace " + terminal.ShellWord(run)
	if uuid != "" {
		command += " " + terminal.ShellWord(uuid[:min(idLength, len(uuid))])
	}
	return command
}
