// Package text lays out trajectories for people, for a terminal of any width and as documents in every format of package
// render: one episode ([Episode], [Markdown]), a list of episodes ([EpisodeList]), two trajectories or two runs side by side
// ([Diff], [DiffRuns]), and the causes of wrong answers ([Causes], [Cause]).
//
// It reads only what the packages beside it computed, and makes every text of a model, a paper or a question safe to print.
package text

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/trace"
)

// PageOptions set how an episode is printed.
type PageOptions struct {
	// Width is the number of columns; with 0 lines are not broken.
	Width int
	Style terminal.Style
	// Notes are the comments and decisions on the episode, the oldest first.
	Notes []trace.Note
}

// page is an episode as text for people.
type page struct {
	text  strings.Builder
	style terminal.Style
	width int
}

// Episode prints an episode for people.
func Episode(w io.Writer, e trace.Episode, o PageOptions) error {
	p := &page{style: o.Style, width: o.Width}
	t := e.Traced
	p.prose(0, bold, cmp.Or(t.Question, "(the question is not in questions.jsonl)"))
	p.blank()
	for _, f := range facts(e, o.Notes) {
		if f.text != "" {
			p.field(f.name, f.colour, f.text)
		}
	}
	for _, m := range t.Messages { // what the model was given before the first step
		if m.Role == qa.Assistant {
			break
		}
		p.blank()
		if m.Role == qa.System {
			p.prose(0, dim, fmt.Sprintf("system prompt (%d characters; --format json prints it)", len([]rune(m.Text))))
			continue
		}
		p.add(blue, string(m.Role))
		p.prose(indented, "", m.Text)
		p.images(m.Images)
	}
	for _, s := range t.Steps {
		p.printStep(stepOf(e, s, o.Notes))
	}
	p.blank()
	p.rule("end", outcomeText(t))
	p.attempts(t.FailedAttempts)
	p.field("Outcome", "", strings.TrimSuffix(outcomeText(t)+": "+terminal.Line(t.Reason), ": "))
	p.field("Answer", "", answerText(t.Answer))
	p.field("Gold", "", goldText(e))
	score := "not scored yet (airqa score)"
	if s := t.Score; s != nil {
		score = fmt.Sprintf("%.4g (%s) by %s", s.Value, s.Verdict, s.Func)
		if s.Reason != "" {
			score += ": " + terminal.Line(s.Reason)
		}
	}
	p.field("Score", statusColour(e.Status), score)
	if s := t.Score; s != nil && len(s.Measures) > 0 {
		p.field("Measures", "", s.MeasureText())
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

// Colours of parts of lines.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "36"
)

func (p *page) blank() { p.add("", "") }

// add adds a line that fits, in one colour; "" is none.
func (p *page) add(colour, text string) { p.text.WriteString(p.painted(colour, text) + "\n") }

func (p *page) painted(colour, text string) string {
	if colour == "" || text == "" {
		return text
	}
	return p.style.Paint(colour, text)
}

// field is a label with a text behind it, whose further lines are indented below their beginning.
func (p *page) field(label, colour, text string) {
	const column = 10
	p.hanging(terminal.Pad(label, column, false), colour, text)
}

// hanging prints a text behind a head that is printed dim.
func (p *page) hanging(head, colour, text string) {
	indent := terminal.Width(head)
	for i, l := range p.broken(text, indent) {
		margin := strings.Repeat(" ", indent)
		if i == 0 {
			margin = head
		}
		if l == "" {
			p.add("", strings.TrimRight(margin, " "))
			continue
		}
		p.add("", p.style.Paint(dim, margin)+p.painted(colour, l))
	}
}

// prose prints a text, indented.
func (p *page) prose(indent int, colour, text string) {
	margin := strings.Repeat(" ", indent)
	for _, l := range p.broken(text, indent) {
		p.add(colour, strings.TrimRight(margin+l, " "))
	}
}

const (
	// head and tail are the maximum number of bytes shown of one text: a reply may have megabytes.
	headShown = 48 << 10
	tailShown = 16 << 10
)

// capped leaves out the middle of a very long text.
func capped(text string) string {
	if len(text) <= headShown+tailShown {
		return text
	}
	left := len(text) - headShown - tailShown
	return fmt.Sprintf("%s\n… (%s bytes left out here; --format json prints them)\n%s", strings.ToValidUTF8(text[:headShown], ""),
		terminal.Compact(float64(left)), strings.ToValidUTF8(text[len(text)-tailShown:], ""))
}

// leastRoom is the minimum number of columns for a text: indentation gives way on a narrow terminal.
const leastRoom = 12

// broken makes a text safe and breaks it into lines. Leading whitespace is kept.
func (p *page) broken(text string, indent int) []string {
	var list []string
	text = strings.ReplaceAll(terminal.Safe(capped(text)), "\t", "    ")
	for whole := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		whole = strings.TrimRight(whole, " ")
		room := max(p.width-indent, leastRoom)
		if p.width <= 0 || terminal.Width(whole) <= room {
			list = append(list, whole)
			continue
		}
		lead := whole[:len(whole)-len(strings.TrimLeft(whole, " "))]
		lead = lead[:min(len(lead), room-leastRoom/2)]
		for _, part := range terminal.Hard(whole, room-len(lead)) {
			list = append(list, lead+part)
		}
	}
	return list
}
