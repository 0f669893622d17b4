package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"airqa/eval"
	"airqa/internal/terminal"
	"airqa/qa"
)

const (
	// longestValue is how much of an answer or an argument a person is shown; --json has all of it.
	longestValue = 1000
	// manyChecks is how many checks on one level are shown with those that pass.
	manyChecks = 12
)

// Explanation prints how an answer to a question is scored, in both modes: as text, or as one line of JSON.
func Explanation(w io.Writer, ex qa.Example, x eval.Explanation, o Options) error {
	data := struct {
		UUID     string `json:"uuid"`
		Question string `json:"question"`
		eval.Explanation
	}{ex.UUID, ex.Question, x}
	p := explanation{width: o.Width}
	p.head(ex, x)
	p.reading(x.Reference, x.Prediction)
	p.reading(x.Fixed, x.Prediction)
	p.differences(x)
	return Document{Data: []any{data}, Parts: []Part{{Preformatted: p.text.String()}}}.Write(w, o)
}

// explanation is the text of an explanation. Every text of others goes through item.
type explanation struct {
	width int
	text  strings.Builder
}

// item writes a text of several words behind a mark, wrapped under its own beginning.
func (p *explanation) item(indent int, mark, text string) {
	indent += utf8.RuneCountInString(mark)
	room := max(terminal.ProseWidth(p.width)-indent, 20)
	p.text.WriteString(strings.Repeat(" ", indent-utf8.RuneCountInString(mark)) + mark)
	p.text.WriteString(strings.Join(terminal.Hard(terminal.Clip(text, longestValue), room), "\n"+strings.Repeat(" ", indent)) + "\n")
}

func (p *explanation) head(ex qa.Example, x eval.Explanation) {
	p.item(0, "", ex.UUID)
	if ex.Question != "" {
		p.item(0, "question  ", ex.Question)
	}
	p.item(0, "function  ", x.Function)
	p.arguments(2, x.Arguments)
	p.item(0, "answer    ", x.Prediction)
}

func (p *explanation) arguments(indent int, list []eval.Argument) {
	for _, arg := range list {
		text := arg.Name
		if arg.Value != "" {
			text += " = " + terminal.Clip(arg.Value, longestValue/2)
		}
		switch {
		case arg.Status == eval.ArgumentDefault:
			text += " (default)"
		case arg.Status == eval.ArgumentRefused:
			text += " (the function fails on it in reference mode)"
		case arg.Means != "":
			text += fmt.Sprintf(" (ignored in reference mode; did you mean %s?)", arg.Means)
		case arg.Status != eval.ArgumentGiven:
			text += " (" + string(arg.Status) + ")"
		}
		if arg.Fixed != "" {
			text += "; fixed mode reads " + arg.Fixed
		}
		p.item(indent, "", text)
	}
}

// reading writes the verdict of one mode, how it reads the answer, and its checks.
func (p *explanation) reading(r eval.Reading, answer string) {
	p.text.WriteString("\n")
	verdict := string(r.Verdict)
	if r.Score != nil {
		verdict += fmt.Sprintf(", score %.4g", *r.Score)
	}
	p.item(0, string(r.Mode)+": ", verdict)
	if r.Reason != "" && r.Reason != r.Check.Rule {
		p.item(2, "", r.Reason)
	}
	if r.FormatOnly != "" {
		p.item(2, "", "only the format is wrong; right would be "+r.FormatOnly)
	}
	if r.Check.Said != answer {
		p.item(2, "read as ", r.Check.Said)
	}
	p.check(2, r.Check)
}

func (p *explanation) check(indent int, c eval.Comparison) {
	text := c.Rule
	if c.Function != "" && c.Path != "" {
		text = c.Function + ": " + text
	}
	if c.Path != "" {
		text = c.Path + " " + text
	}
	p.item(indent, passMark(c), text)
	p.arguments(indent+4, c.Arguments)
	if len(c.Checks) == 0 && !c.Pass && c.Gold != "" {
		p.item(indent+2, "gold ", c.Gold)
		p.item(indent+2, "said ", c.Said)
	}
	hidden := 0
	for _, part := range c.Checks {
		if part.Pass && len(c.Checks) > manyChecks {
			hidden++
			continue
		}
		p.check(indent+2, part)
	}
	if hidden > 0 {
		p.item(indent+2, "✓ ", fmt.Sprintf("%d more", hidden))
	}
}

// passMark is ✓ for a check that passes, ? for one without a verdict.
func passMark(c eval.Comparison) string {
	switch {
	case c.Pass:
		return "✓ "
	case c.Verdict == qa.Unscored:
		return "? "
	}
	return "✗ "
}

func (p *explanation) differences(x eval.Explanation) {
	p.text.WriteString("\n")
	switch {
	case len(x.Differences) > 0:
	case x.Reference.Verdict == qa.Unscored && x.Fixed.Verdict == qa.Unscored:
		p.item(0, "", "Neither mode has a verdict.")
		return
	default:
		p.item(0, "", "The two modes agree.")
		return
	}
	p.item(0, "", "Where the two modes differ:")
	for _, d := range x.Differences {
		p.item(2, "", cmp.Or(strings.TrimSpace(d.Path+" "+d.Function), "the whole answer"))
		p.item(4, "reference  ", d.Reference)
		p.item(4, "fixed      ", d.Fixed)
	}
}
