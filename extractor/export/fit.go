package export

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"airqa/extractor/preflight"
	"airqa/extractor/windows"
	"airqa/internal/bpe"
	"airqa/qa"
)

// Limit is the trainer's limit of tokens, if rows are measured against it.
type Limit struct {
	// CutoffLen is the maximum number of tokens; 0 measures nothing.
	CutoffLen int
	// Template is LLaMA-Factory's name of the chat template.
	Template string
	// Tokenizer is the tokenizer.json of the model; without one, tokens are estimated.
	Tokenizer string
	// Fit shortens observations until a row is whole.
	Fit bool
}

// The reasons of rows that are too long.
const (
	TooLong  windows.Reason = "too_long"  // longer than the limit even with short observations
	CutImage windows.Reason = "cut_image" // the limit would cut a row with images, which stops the trainer
	Refused  windows.Reason = "refused"   // the trainer would not take the row
)

// cut is a shortened observation: the first bytes of a message of the context that stay.
type cut struct{ message, keep int }

// measured counts rows by what the trainer would do with them.
type measured struct {
	rows, whole, head, target, shortened int
	tokens, trained, longest             int
}

// fitter measures rows, and shortens those that are too long.
type fitter struct {
	Limit
	checker  *preflight.Checker
	measured measured
}

// newFitter opens the tokenizer; it returns nil without a limit.
func newFitter(l Limit) (*fitter, error) {
	if l.CutoffLen == 0 {
		return nil, nil
	}
	c := preflight.Config{Template: l.Template, CutoffLen: l.CutoffLen, MaskHistory: true}
	if l.Tokenizer != "" {
		t, err := bpe.Open(l.Tokenizer)
		if err != nil {
			return nil, fmt.Errorf("--tokenizer: %w", err)
		}
		c.Tokenizer = t
	}
	checker, err := preflight.New(c)
	return &fitter{Limit: l, checker: checker}, err
}

// fitted is what becomes of a row under a limit: the shortened observations, or the reason against it.
type fitted struct {
	verdict preflight.Verdict
	cuts    []cut
	reason  windows.Reason
	detail  string
}

// fit decides whether a row may be exported, and which observations are shortened for that. Calls may overlap.
func (f *fitter) fit(t *texts, row, against *windows.Row) fitted {
	m := measure{f, t, row, against}
	x := fitted{verdict: m.verdict(nil)}
	if x.verdict.Outcome != preflight.Kept {
		return fitted{reason: Refused, detail: strings.Join(x.verdict.Reasons, "; ")}
	}
	total := x.verdict.Tokens + x.verdict.Cut
	if !x.verdict.Whole() && f.Fit {
		if x.cuts, x.verdict = m.shorten(x.verdict); !x.verdict.Whole() {
			short := x.verdict.Tokens + x.verdict.Cut
			return fitted{reason: TooLong, detail: fmt.Sprintf("%d tokens, and %d with short observations; the limit is %d", total, short, f.CutoffLen)}
		}
	}
	if !x.verdict.Whole() && len(imagesOf(row.Context)) > 0 {
		return fitted{reason: CutImage, detail: fmt.Sprintf("%d tokens; the limit is %d", total, f.CutoffLen)}
	}
	return x
}

func (m *measured) add(v preflight.Verdict, shortened bool) {
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	m.rows++
	count(&m.whole, v.Whole())
	count(&m.head, !v.HeadWhole)
	count(&m.target, !v.TargetWhole)
	count(&m.shortened, shortened)
	m.tokens += v.Tokens
	m.trained += v.Trained
	m.longest = max(m.longest, v.Tokens+v.Cut)
}

// measure measures one row, or a pair.
type measure struct {
	*fitter
	texts        *texts
	row, against *windows.Row
}

// verdict measures the row with shortened observations: of a pair, the longer side.
func (m measure) verdict(cuts []cut) preflight.Verdict {
	one := *m.row
	one.Context = shortened(m.row.Context, cuts)
	v := m.judge(&one)
	if m.against != nil && v.Outcome == preflight.Kept {
		one.Target = m.against.Target
		if w := m.judge(&one); w.Outcome != preflight.Kept || w.Tokens+w.Cut > v.Tokens+v.Cut {
			return w
		}
	}
	return v
}

func (m measure) judge(row *windows.Row) preflight.Verdict {
	return m.checker.Measure(m.texts.conversation(row, m.texts.functions(row.Tools)))
}

// levels are the sizes in bytes to which observations are shortened, one after another: the longest first.
var levels = []int{8 << 10, 4 << 10, 2 << 10, 1 << 10, 512, 256, 128}

// shorten shortens observations, the longest first and of these the oldest first, until the row is whole. The last one
// loses no more than necessary.
func (m measure) shorten(v preflight.Verdict) ([]cut, preflight.Verdict) {
	var cuts []cut
	for _, level := range levels {
		for i := 2; i < len(m.row.Context); i++ { // after system and task
			if !isObservation(m.row.Context[i]) || kept(m.row.Context, cuts, i) <= level {
				continue
			}
			try := withCut(cuts, cut{i, level})
			if v = m.verdict(try); v.Whole() {
				return m.relax(cuts, cut{i, level}, v)
			}
			cuts = try
		}
	}
	return cuts, v
}

// relax lengthens the last cut as far as the row remains whole.
func (m measure) relax(cuts []cut, last cut, v preflight.Verdict) ([]cut, preflight.Verdict) {
	low, high := last.keep, kept(m.row.Context, cuts, last.message)
	const precision = 64
	for high-low > precision {
		middle := (low + high) / 2
		if w := m.verdict(withCut(cuts, cut{last.message, middle})); w.Whole() {
			low, v = middle, w
		} else {
			high = middle
		}
	}
	return withCut(cuts, cut{last.message, low}), v
}

func isObservation(m qa.Message) bool { return m.Role == qa.User || m.Role == qa.ToolResult }

// kept returns how many bytes of a message stay.
func kept(messages []qa.Message, cuts []cut, i int) int {
	for _, c := range cuts {
		if c.message == i {
			return c.keep
		}
	}
	return len(messages[i].Text)
}

// withCut returns the cuts with one more, in place of an earlier one of the same message.
func withCut(cuts []cut, c cut) []cut {
	list := make([]cut, 0, len(cuts)+1)
	for _, old := range cuts {
		if old.message != c.message {
			list = append(list, old)
		}
	}
	return append(list, c)
}

// shortened returns the messages with shortened observations.
func shortened(messages []qa.Message, cuts []cut) []qa.Message {
	if len(cuts) == 0 {
		return messages
	}
	list := append([]qa.Message(nil), messages...)
	for _, c := range cuts {
		text := list[c.message].Text
		keep := c.keep
		for keep > 0 && !utf8.RuneStart(text[keep]) {
			keep--
		}
		list[c.message].Text = fmt.Sprintf("%s\n[... shortened: %d of %d bytes left out]", text[:keep], len(text)-keep, len(text))
	}
	return list
}
