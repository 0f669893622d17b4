package preflight

import (
	"fmt"
	"html"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/train/format"
)

// Turn is a message of a row with its size.
type Turn struct {
	Role    qa.Role
	Text    string
	Tokens  int
	Trained bool
}

// Turns returns the messages of a row, counted from 0 over all files. Of a pair, the last one is the chosen answer.
func (d *Dataset) Turns(row int) (list []Turn, err error) {
	n := 0
	for _, f := range d.files {
		for line, raw := range f.rows {
			if n++; n <= row {
				continue
			}
			if raw.err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", f.name, line, raw.err)
			}
			c, err := f.read(&Row{}, raw.data, d.Format)
			if err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", f.name, line, err)
			}
			return d.turns(c)
		}
	}
	return nil, fmt.Errorf("%s has %s; rows are counted from 0", d.Path, terminal.Plural(n, "row"))
}

func (d *Dataset) turns(c format.Conversation) (list []Turn, err error) {
	for i, m := range c.Messages {
		t := Turn{Role: m.Role, Text: m.CallsInText().Text(), Trained: trains(m, i == len(c.Messages)-1)}
		if m.Reasoning != "" {
			t.Text = "<think>\n" + m.Reasoning + "\n</think>\n\n" + t.Text
		}
		for _, im := range m.Images() {
			t.Text += "\n[image " + im.Image + "]"
		}
		if t.Tokens, err = d.counter.message(d.counter.templateOf(c), m); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

func (t Turn) title() string {
	text := fmt.Sprintf("%s, %s", t.Role, terminal.Plural(t.Tokens, "token"))
	if t.Trained {
		text += ", trained"
	}
	return text
}

// Text prints a row for a terminal, trained turns in green.
func Text(turns []Turn, s terminal.Style) string {
	var b strings.Builder
	for _, t := range turns {
		fmt.Fprintf(&b, "[%s]\n", t.title())
		for line := range strings.Lines(t.Text) {
			line = terminal.Safe(strings.TrimSuffix(line, "\n"))
			if t.Trained {
				line = s.Paint("32", line)
			}
			b.WriteString(line + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HTML prints a row as a page without outside resources.
func HTML(title string, turns []Turn) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">`+
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%[1]s</title><style>
body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; } h2 { font-size: 1em; } .trained { background: #d2f4d3; }
</style></head><body><h1>%[1]s</h1>
`, html.EscapeString(title))
	for _, t := range turns {
		class := "context"
		if t.Trained {
			class = "trained"
		}
		fmt.Fprintf(&b, "<h2>%s</h2><pre class=\"%s\">%s</pre>\n", t.title(), class, html.EscapeString(t.Text))
	}
	b.WriteString("</body></html>\n")
	return b.String()
}
