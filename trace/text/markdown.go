package text

import (
	"fmt"
	"io"
	"strings"

	"airqa/internal/evidence"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report/render"
	"airqa/trace"
)

// Markdown prints an episode as Markdown, to paste for a person or a model. Texts of models and papers are in fenced
// blocks, so that no markup of theirs takes effect.
func Markdown(w io.Writer, e trace.Episode, list []trace.Note) error {
	d := &markdownWriter{}
	d.line("# %s", render.MarkdownText(e.Traced.Question))
	d.line("")
	for _, f := range facts(e, list) {
		if f.text != "" {
			d.line("- **%s:** %s", f.name, render.MarkdownText(f.text))
		}
	}
	for _, m := range e.Traced.Messages {
		if m.Role == qa.Assistant {
			break
		}
		if m.Role == qa.System {
			d.line("\nThe system prompt has %d characters.", len([]rune(m.Text)))
			continue
		}
		d.line("\n## Message (%s)", m.Role)
		d.block("", "text", m.Text)
		d.images(m.Images)
	}
	for _, s := range e.Traced.Steps {
		d.step(stepOf(e, s, list))
	}
	d.line("\n## End")
	d.line("")
	d.line("%s", render.MarkdownText(strings.TrimSuffix(outcomeText(e.Traced)+": "+e.Traced.Reason, ": ")))
	d.block("Answer", "text", answerText(e.Traced.Answer))
	d.block("Gold", "text", goldText(e))
	_, err := io.WriteString(w, d.text.String())
	return err
}

type markdownWriter struct{ text strings.Builder }

func (d *markdownWriter) line(format string, args ...any) { fmt.Fprintf(&d.text, format+"\n", args...) }

// block prints a text in a fence that is longer than any in it.
func (d *markdownWriter) block(name, language, text string) {
	text = terminal.Safe(capped(text))
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if name != "" {
		d.line("\n**%s**", name)
	}
	d.line("\n%s%s\n%s\n%s", fence, language, strings.TrimRight(text, "\n"), fence)
}

func (d *markdownWriter) step(s step) {
	d.line("\n## Step %d: %s", s.N, render.MarkdownText(s.title))
	d.line("\n%s", render.MarkdownText(s.cost))
	marks := s.marks
	if s.Reply != nil {
		marks = append(retries(s.Reply.Attempts), marks...)
	}
	if s.comment != "" {
		marks = append(marks, "Comment: "+s.comment)
	}
	for i, m := range marks {
		if i == 0 {
			d.line("")
		}
		d.line("- %s", render.MarkdownText(m))
	}
	for _, p := range replyParts(s.Step) {
		name := strings.ToUpper(p.label[:1]) + p.label[1:]
		if p.head != "" {
			name += ": " + render.MarkdownText(p.head)
		}
		d.block(name, p.language, p.text)
	}
	if text := otherCalls(s.Step); text != "" && s.Action != nil && s.ParseError == nil {
		d.block("Several calls", "text", text)
	}
	if s.Observation != nil {
		d.result(*s.Observation)
	}
}

func (d *markdownWriter) result(o qa.Observation) {
	v := trace.ReadResult(o)
	name := "Observation (" + render.MarkdownText(string(o.Status)) + ")"
	switch {
	case len(v.Passages) > 0:
		d.line("\n**%s**", name)
		for _, h := range v.Passages {
			d.passage(h)
		}
	case len(v.Rows) > 0:
		d.line("\n**%s**", name)
		d.table(v.Columns, v.Rows)
	default:
		d.block(name, "text", v.Text)
		d.images(o.Images)
		return
	}
	d.line("\n%s", render.MarkdownText(v.Text))
	if len(v.Hidden) > 0 && len(v.Passages) == 0 {
		d.line("\nNot shown to the model:")
		d.table(v.Columns, v.Hidden)
	}
	d.images(o.Images)
}

func (d *markdownWriter) passage(h trace.Passage) {
	d.line("\n%s", render.MarkdownText(strings.TrimSpace(passageHead(h)+" "+h.Title)))
	switch {
	case h.Text == "":
	case h.Shortened && h.Seen < len(h.Text):
		d.block("", "text", h.Text[:h.Seen])
		d.block("Not shown to the model", "text", h.Text[h.Seen:])
	default:
		d.block("", "text", h.Text)
	}
}

func (d *markdownWriter) table(columns []string, rows []evidence.Row) {
	cells := func(texts []string) string {
		for i, t := range texts {
			texts[i] = strings.ReplaceAll(render.MarkdownText(t), "|", `\|`)
		}
		return "| " + strings.Join(texts, " | ") + " |"
	}
	d.line("\n%s", cells(append([]string(nil), columns...)))
	d.line("|%s", strings.Repeat(" --- |", len(columns)))
	for _, row := range rows {
		texts := make([]string, len(row.Cells))
		for i, c := range row.Cells {
			texts[i] = c.Text
		}
		d.line("%s", cells(texts))
	}
}

func (d *markdownWriter) images(list []qa.Image) {
	for _, im := range list {
		d.line("\n%s", render.MarkdownText(imageText(im)))
	}
}
