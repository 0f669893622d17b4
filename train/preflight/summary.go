package preflight

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"airqa/internal/terminal"
)

// Summary groups rows by what becomes of them and why. The zero value is ready.
type Summary struct {
	groups []*group
	ranges []*rowRange
}

// group is a kind of problem with the rows that have it.
type group struct {
	title, reason, fix string
	count              int
	rows               []int // the first
}

// shownRows is the number of rows listed for a problem.
const shownRows = 5

// Add adds a row.
func (s *Summary) Add(r Row) {
	s.addRange(r)
	switch {
	case r.Outcome != Kept:
		title := map[Outcome]string{Dropped: "dropped", Crash: "stops the load", NotChecked: "not checked"}[r.Outcome]
		reason := r.Reasons[0]
		s.add(r.Row, group{title: title, reason: reason, fix: advise(reason)})
		return
	case r.Cut > 0 && r.Images:
		s.add(r.Row, group{title: "image row cut", reason: "the training step stops: image tokens and image features do not match", fix: fixCut})
	case !r.TargetWhole:
		s.add(r.Row, group{title: "target cut", reason: "the answer loses its end and its end token", fix: fixCut})
	case !r.HeadWhole:
		s.add(r.Row, group{title: "question cut", reason: "the system prompt or the question loses its end, or is lost", fix: fixCut})
	case r.Cut > 0:
		s.add(r.Row, group{title: "turns cut", reason: "turns between the question and the answer are cut", fix: fixCut})
	}
	if len(r.Reasons) > 0 {
		s.add(r.Row, group{title: "warning", reason: r.Reasons[0], fix: advise(r.Reasons[0])})
	}
}

const fixCut = "raise the limit, or shorten observations (airqa export --cutoff-len N)"

func (s *Summary) add(row int, g group) {
	i := slices.IndexFunc(s.groups, func(o *group) bool {
		return o.title == g.title && (o.reason == g.reason || o.fix != "" && o.fix == g.fix && o.title != "image row cut")
	})
	if i < 0 {
		i = len(s.groups)
		s.groups = append(s.groups, &g)
	}
	s.groups[i].count++
	if len(s.groups[i].rows) < shownRows {
		s.groups[i].rows = append(s.groups[i].rows, row)
	}
}

// Write prints the settings, the total and the problems, most frequent first.
func (s *Summary) Write(w io.Writer, settings string, t Total) error {
	var b strings.Builder
	fmt.Fprintln(&b, settings)
	writeLoad(&b, t)
	if t.Kept > 0 {
		writeTokens(&b, t)
	}
	if t.EndUntrained != "" {
		fmt.Fprintf(&b, "\nwarning: the token that ends a turn is not trained\n  %s: the model does not learn to stop\n",
			terminal.Message(t.EndUntrained))
		writeFix(&b, "choose the template that the model is served with")
	}
	slices.SortStableFunc(s.groups, func(x, y *group) int { return y.count - x.count })
	for _, g := range s.groups {
		fmt.Fprintf(&b, "\n%s: %s (%s)\n  %s\n", g.title, terminal.Plural(g.count, "row"), g.list(), terminal.Message(g.reason))
		writeFix(&b, g.fix)
	}
	s.writeTrainer(&b, t)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeLoad prints what becomes of the file.
func writeLoad(b *strings.Builder, t Total) {
	all := terminal.Plural(t.Rows, "row")
	switch t.Load {
	case LoadOK:
		fmt.Fprintf(b, "The file loads: %d of %s kept, %d dropped.\n", t.Kept, all, t.Dropped)
		return
	case LoadNotChecked:
		fmt.Fprintf(b, "Not checked whether the file loads: %s\n", terminal.Message(*t.Error))
	default:
		fmt.Fprintf(b, "The file does not load: %s\n", terminal.Message(*t.Error))
	}
	writeFix(b, advise(*t.Error))
	if t.Rows == 0 {
		return
	}
	fmt.Fprintf(b, "Of %s, %d would be kept, %d dropped, and %d stop the load", all, t.Kept, t.Dropped, t.Crash)
	if t.NotChecked > 0 {
		fmt.Fprintf(b, "; %d are not checked", t.NotChecked)
	}
	b.WriteString(".\n")
}

func writeTokens(b *strings.Builder, t Total) {
	mark := ""
	if t.Estimated {
		mark = "about " // without the model's tokenizer
	}
	fmt.Fprintf(b, "Tokens: %s%d, of which %d are trained; %d cut in %s.\n",
		mark, t.Tokens, t.Trained, t.CutTokens, terminal.Plural(t.CutRows, "row"))
	if t.TrainerRows != nil && *t.TrainerRows != t.Kept {
		fmt.Fprintf(b, "Packed into %s.\n", terminal.Plural(*t.TrainerRows, "row"))
	}
	if t.Estimated {
		b.WriteString("Tokens are estimated; --tokenizer tokenizer.json counts them exactly.\n")
	}
}

func writeFix(b *strings.Builder, text string) {
	if text != "" {
		fmt.Fprintf(b, "  fix: %s\n", text)
	}
}

// list prints the first rows, such as rows 3, 4 and 5 more.
func (g *group) list() string {
	parts := make([]string, len(g.rows))
	for i, n := range g.rows {
		parts[i] = fmt.Sprint(n)
	}
	text := "row " + strings.Join(parts, ", ")
	if more := g.count - len(g.rows); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// colours of the states on a terminal: green, plain, red and struck through.
var colours = map[State]string{Trained: "32", Cut: "9;31"}

// Text prints a row for a terminal. Without colours, trained text is between [trained: and ], cut text between [cut: and ].
func Text(spans []Span, s terminal.Style) string {
	var b strings.Builder
	for _, span := range spans {
		text := printable(span.Text)
		switch {
		case span.State == Context:
			b.WriteString(text)
		case s.On():
			for line := range strings.Lines(text) {
				body := strings.TrimSuffix(line, "\n")
				b.WriteString(s.Paint(colours[span.State], body) + line[len(body):])
			}
		default:
			fmt.Fprintf(&b, "[%s: %s]", span.State, text)
		}
	}
	return b.String()
}

// printable keeps line breaks and replaces what would control a terminal.
func printable(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = terminal.Safe(line)
	}
	return strings.Join(lines, "\n")
}

// HTML prints a row as a page without outside resources.
func HTML(title string, spans []Span) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">`+
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%s</title><style>
body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.trained { background: #d2f4d3; } .context { color: #444; } .cut { background: #fbdada; text-decoration: line-through; }
</style></head><body><h1>%s</h1>
<p><span class="trained">trained</span> <span class="context">context</span> <span class="cut">cut</span></p>
<pre>`, html.EscapeString(title), html.EscapeString(title))
	for _, span := range spans {
		fmt.Fprintf(&b, `<span class="%s">%s</span>`, span.State, html.EscapeString(span.Text))
	}
	b.WriteString("</pre></body></html>\n")
	return b.String()
}
