// Package text lays out trajectories for people, for a terminal of any width and as documents in every format of package
// render: one episode ([Episode], [Markdown], and [Page] for its lines), a list of episodes ([EpisodeList]), two
// trajectories or two runs side by side ([Diff], [DiffRuns]), and the causes of wrong answers ([Causes], [Cause]).
//
// It reads only what the packages beside it computed, and makes every text of a model, a paper or a question safe to print.
package text

import (
	"fmt"
	"io"
	"strings"

	"airqa/internal/terminal"
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

// Line is one line of a page.
type Line struct {
	// Text is the line with colours, Plain without.
	Text, Plain string
	// Step is the step that the line belongs to; 0 before the first and after the last one.
	Step int
	// Joined means that the line before was broken inside a word.
	Joined bool
}

// Page is an episode as lines.
type Page struct {
	Lines []Line
	// Steps are the indexes of the first lines of the steps: Steps[0] is that of step 1.
	Steps []int

	style terminal.Style
	width int
	step  int
}

// NewPage lays out an episode.
func NewPage(e trace.Episode, o PageOptions) *Page {
	p := &Page{style: o.Style, width: o.Width}
	p.header(e, o.Notes)
	p.messages(e.Traced)
	for _, s := range e.Traced.Steps {
		p.Steps = append(p.Steps, len(p.Lines)+1)
		p.printStep(stepOf(e, s, o.Notes))
	}
	p.step = 0
	p.ending(e)
	return p
}

// Episode prints an episode for people.
func Episode(w io.Writer, e trace.Episode, o PageOptions) error {
	for _, l := range NewPage(e, o).Lines {
		if _, err := fmt.Fprintln(w, l.Text); err != nil {
			return err
		}
	}
	return nil
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

func (p *Page) blank() { p.add("", "") }

// add adds a line that fits, in one colour; "" is none.
func (p *Page) add(colour, text string) {
	line := Line{Plain: text, Text: text, Step: p.step}
	if colour != "" && text != "" {
		line.Text = p.style.Paint(colour, text)
	}
	p.Lines = append(p.Lines, line)
}

// field is a label with a text behind it, whose further lines are indented below their beginning.
func (p *Page) field(label, colour, text string) {
	const column = 10
	p.hanging(terminal.Pad(label, column, false), colour, text)
}

// hanging prints a text behind a head that is printed dim.
func (p *Page) hanging(head, colour, text string) {
	indent := terminal.Width(head)
	for i, l := range p.broken(text, indent) {
		before := strings.Repeat(" ", indent)
		if i == 0 {
			before = head
		}
		painted := l.Plain
		if colour != "" && l.Plain != "" {
			painted = p.style.Paint(colour, l.Plain)
		}
		line := Line{Plain: strings.TrimRight(before+l.Plain, " "), Step: p.step, Joined: l.Joined}
		line.Text = line.Plain
		if l.Plain != "" {
			line.Text = p.style.Paint(dim, before) + painted
		}
		p.Lines = append(p.Lines, line)
	}
}

// prose prints a text, indented.
func (p *Page) prose(indent int, colour, text string) {
	before := strings.Repeat(" ", indent)
	for _, l := range p.broken(text, indent) {
		l.Plain = strings.TrimRight(before+l.Plain, " ")
		l.Text, l.Step = l.Plain, p.step
		if colour != "" && l.Plain != "" {
			l.Text = p.style.Paint(colour, l.Plain)
		}
		p.Lines = append(p.Lines, l)
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
func (p *Page) broken(text string, indent int) []Line {
	var list []Line
	text = strings.ReplaceAll(terminal.Safe(capped(text)), "\t", "    ")
	for whole := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		whole = strings.TrimRight(whole, " ")
		room := max(p.width-indent, leastRoom)
		if p.width <= 0 || terminal.Width(whole) <= room {
			list = append(list, Line{Plain: whole})
			continue
		}
		lead := whole[:len(whole)-len(strings.TrimLeft(whole, " "))]
		lead = lead[:min(len(lead), room-leastRoom/2)]
		rest := terminal.Line(whole)
		for i, part := range terminal.Hard(whole, room-len(lead)) {
			trimmed := strings.TrimLeft(rest, " ")
			list = append(list, Line{Plain: lead + part, Joined: i > 0 && trimmed == rest})
			rest = strings.TrimPrefix(trimmed, part)
		}
	}
	return list
}
