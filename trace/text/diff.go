package text

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report"
	"airqa/report/render"
	"airqa/trace/diff"
)

// pairMark begins the line above a pair of steps, or in place of a run of equal ones.
const pairMark = "── "

// Diff prints the comparison of two trajectories. As text, runs of equal steps are folded into a line, and the others are
// side by side on a wide terminal, otherwise below each other. Other formats have a table of steps.
func Diff(w io.Writer, q diff.Question, o render.Options) error {
	d := render.Document{Title: "Two trajectories", Data: []any{q}}
	head := []string{"Question: " + q.Question}
	if q.Gold != "" {
		head = append(head, "Gold: "+q.Gold)
	}
	d.Add(render.Part{Items: render.Items(append(head, sideLine("A", q.A), sideLine("B", q.B))...)})
	if list := beforeFirst(q); len(list) > 0 {
		d.Add(render.Part{Title: "Different before step 1", Items: render.Items(list...)})
	}
	d.Add(render.Part{Text: divergence(q.Diff)})
	t := report.NewTable("steps", "Steps", "A", "B", "steps", "action of A", "action of B", "result")
	for i := range t.Heads {
		t.Heads[i].Left = true
	}
	for _, p := range q.Pairs {
		numbers, texts, result := [2]string{"-", "-"}, [2]string{}, ""
		for i, s := range []*diff.Step{p.A, p.B} {
			if s != nil {
				numbers[i], texts[i] = fmt.Sprint(s.N), s.Text
			}
		}
		if p.Result != nil {
			result = p.Result.String()
		}
		t.Add("", numbers[0], numbers[1], kindText(p), texts[0], texts[1], result)
	}
	const sideBySide = 100 // the minimum width for two columns of steps
	if len(q.Pairs) > 0 || !o.IsText() {
		p := stepPrinter{style: o.Style, width: terminal.ProseWidth(o.Width), columns: o.Width >= sideBySide}
		d.Add(render.Part{Title: "Steps", Table: t, Preformatted: p.pairs(q.Pairs)})
	}
	return d.Write(w, o)
}

// sideLine describes one trajectory: "A: rag, offline (runs/rag), u#0: answered after 3 steps, wrong: 40".
func sideLine(name string, s diff.Side) string {
	outcome, verdict, answer := cmp.Or(string(s.Outcome), "unfinished"), "not scored", "no answer"
	if s.Score != nil {
		verdict = string(s.Score.Verdict)
	}
	if s.Answer.Given {
		answer = s.Answer.Text
	}
	return fmt.Sprintf("%s: %s, %s (%s), %s: %s after %s, %s: %s", name, s.Baseline, s.Model, s.Run, s.Episode,
		strings.ReplaceAll(outcome, "_", " "), terminal.Plural(s.Steps, "step"), verdict, answer)
}

// beforeFirst lists the settings and the messages before the first reply that differ.
func beforeFirst(q diff.Question) []string {
	var lines []string
	for _, c := range q.Settings {
		lines = append(lines, c.Key+": "+c.Describe("in A", "in B"))
	}
	for _, c := range q.Prompt {
		what := fmt.Sprintf("%s: A %q, B %q", c.Change, c.A, c.B)
		switch {
		case c.What == diff.Missing && c.A == "":
			what = fmt.Sprintf("only in B: %q", c.B)
		case c.What == diff.Missing:
			what = fmt.Sprintf("only in A: %q", c.A)
		}
		lines = append(lines, fmt.Sprintf("message %d (%s) %s", c.Message, c.Role, what))
	}
	return lines
}

// divergence describes the two points at which trajectories part.
func divergence(d diff.Diff) []string {
	lines := make([]string, 2)
	lines[0] = "First different action: none."
	if p := d.FirstAction; p != nil {
		a, b := d.StepsAt(*p)
		actions := ""
		switch {
		case a == nil:
			actions = "B " + b.Function + ", A had ended"
		case b == nil:
			actions = "A " + a.Function + ", B had ended"
		case a.Function != b.Function:
			actions = "A " + a.Function + ", B " + b.Function
		default:
			actions = a.Function + ": " + kindText(d.Pairs[p.Pair])
		}
		lines[0] = fmt.Sprintf("First different action: %s (%s).", stepNames(*p), actions)
	}
	lines[1] = "First different observation: none."
	switch p := d.FirstResult; {
	case p == nil:
	case p.Kind == diff.OtherResult:
		lines[1] = fmt.Sprintf("First different observation: %s. The same action had a different result: "+
			"the data or the tools have changed.", stepNames(*p))
	case d.FirstAction != nil && d.FirstAction.Pair == p.Pair:
		lines[1] = fmt.Sprintf("First different observation: %s, as the actions differ.", stepNames(*p))
	default:
		lines[1] = fmt.Sprintf("First different observation: %s (%s).", stepNames(*p), kindText(d.Pairs[p.Pair]))
	}
	return lines
}

// stepNames names the steps of a point: "step 3", or "step 3 of A, step 4 of B".
func stepNames(p diff.Point) string {
	switch {
	case p.A == p.B:
		return fmt.Sprintf("step %d", p.A)
	case p.A == 0:
		return fmt.Sprintf("step %d of B", p.B)
	case p.B == 0:
		return fmt.Sprintf("step %d of A", p.A)
	}
	return fmt.Sprintf("step %d of A, step %d of B", p.A, p.B)
}

func kindText(p diff.Pair) string {
	switch p.Kind {
	case diff.Equal:
		return "equal"
	case diff.OtherResult:
		return "same action, different result"
	case diff.OnlyA:
		return "only in A"
	case diff.OnlyB:
		return "only in B"
	}
	text := "different arguments"
	if len(p.Arguments) > 0 {
		text = "different " + strings.Join(p.Arguments, ", ")
	}
	if p.Result == nil && p.A.Status != "" {
		text += ", same result"
	}
	return text
}

// stepPrinter prints pairs of steps for a terminal.
type stepPrinter struct {
	style   terminal.Style
	width   int
	columns bool
}

func (p stepPrinter) pairs(list []diff.Pair) string {
	var blocks []string
	for i := 0; i < len(list); {
		end := i
		for end < len(list) && list[end].Kind == diff.Equal {
			end++
		}
		if end == i {
			blocks = append(blocks, p.pair(list[i]))
			i++
			continue
		}
		text, first, last := terminal.Plural(end-i, "equal step"), list[i], list[end-1]
		if end == i+1 {
			text += fmt.Sprintf(": A %d, B %d", first.A.N, first.B.N)
		} else {
			text += fmt.Sprintf(": A %d-%d, B %d-%d", first.A.N, last.A.N, first.B.N, last.B.N)
		}
		blocks = append(blocks, p.style.Paint(dim, pairMark+text))
		i = end
	}
	return strings.Join(blocks, "\n")
}

func (p stepPrinter) pair(pair diff.Pair) string {
	head := kindText(pair)
	if pair.Result != nil && pair.Kind == diff.OtherResult {
		head += ": " + pair.Result.String()
	}
	lines := []string{p.style.Bold(pairMark + terminal.Line(head))}
	room := p.width
	if p.columns {
		room = (p.width - 3) / 2
	}
	a, b := stepLines("A", pair.A, pair.Result, room), stepLines("B", pair.B, pair.Result, room)
	if !p.columns {
		return strings.Join(append(append(lines, p.painted(red, a)...), p.painted(green, b)...), "\n")
	}
	for i := range max(len(a), len(b)) {
		left, right := "", ""
		if i < len(a) {
			left = a[i]
		}
		if i < len(b) {
			right = b[i]
		}
		line := p.style.Paint(red, terminal.Pad(left, room, false)) + " │ " + p.style.Paint(green, right)
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

func (p stepPrinter) painted(code string, lines []string) []string {
	for i, s := range lines {
		lines[i] = p.style.Paint(code, s)
	}
	return lines
}

// Lines of an action and of a result that are shown; airqa trace and --json have all of them.
const (
	actionLines = 12
	resultLines = 4
)

// stepLines prints a step within room columns: its number, its action, and its result at the difference.
func stepLines(side string, s *diff.Step, c *diff.Change, room int) []string {
	if s == nil {
		return nil
	}
	head := fmt.Sprintf("%s step %d", side, s.N)
	if s.By == qa.ByProgram {
		head += ", by the program"
	}
	lines := append([]string{head}, hardIndented(s.Text, room, actionLines)...)
	if s.Status == "" {
		return lines
	}
	result := string(s.Status) + ": " + s.Result
	if c != nil && c.What != diff.ChangedStatus && c.What != diff.Missing {
		result = string(s.Status) + fmt.Sprintf(", line %d: ", c.Line) + c.A
		if side == "B" {
			result = string(s.Status) + fmt.Sprintf(", line %d: ", c.Line) + c.B
		}
	}
	return append(lines, hardIndented("→ "+result, room, resultLines)...)
}

// hardIndented breaks a text into at most most lines.
func hardIndented(text string, room, most int) []string {
	list := terminal.Hard(terminal.Clip(text, (most+1)*room), room-2)
	if len(list) > most {
		list = append(list[:most], "…")
	}
	for i := range list {
		list[i] = "  " + list[i]
	}
	return list
}
