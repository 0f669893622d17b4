package preflight

import (
	"fmt"
	"html"
	"strings"

	"airqa/internal/terminal"
)

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
