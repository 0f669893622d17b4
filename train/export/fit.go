package export

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"airqa/internal/bpe"
	"airqa/internal/progress"
	"airqa/qa"
	"airqa/train/format"
	"airqa/train/preflight"
	"airqa/train/windows"
)

// Limit is the trainer's limit of tokens, if rows are measured against it.
type Limit struct {
	// CutoffLen is the maximum number of tokens; 0 measures nothing.
	CutoffLen int
	// Template is LLaMA-Factory's name of the chat template; empty for qwen, and qwen2_vl for rows with images.
	Template string
	// Tokenizer is the tokenizer.json of the model; without one, tokens are estimated.
	Tokenizer string
	// Fit shortens observations until a row is whole.
	Fit bool
}

// trainerLimit is how a trainer calls its limit of tokens, and what it does with longer rows.
type trainerLimit struct {
	// cutoff is the limit of an export; own is the trainer's default, 0 if it has none to set.
	cutoff, own int
	// setting is its name in file, the configuration that an export has.
	trainer, setting, file, effect string
}

// limits are those of the formats for trainers. 4,096 is the paper's; an example for OpenAI's models has up to 65,536.
var limits = map[Format]trainerLimit{
	ShareGPT: {paperCutoff, 2048, "LLaMA-Factory", "cutoff_len", trainFile, "cuts longer rows, the question first"},
	DPO:      {paperCutoff, 2048, "LLaMA-Factory", "cutoff_len", trainFile, "cuts longer rows, the question first"},
	KTO:      {paperCutoff, 2048, "LLaMA-Factory", "cutoff_len", trainFile, "cuts longer rows, the question first"},
	TRL:      {paperCutoff, 1024, "TRL", "max_length", trlFile, "cuts or drops longer rows"},
	OpenAI:   {1 << 16, 0, "OpenAI", "the limit of an example", "", "truncates longer examples"},
}

// DefaultCutoff is the number of tokens to which the rows of a format are fitted, so that its trainer takes them whole; 0
// for a format of whole trajectories.
func DefaultCutoff(f Format) int { return limits[f].cutoff }

// paperCutoff is the paper's cutoff_len.
const paperCutoff = 4096

// estimateMargin is the share of the limit, in percent, that stays free of estimated tokens.
const estimateMargin = 8

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
	// text and vision measure rows without and with images.
	text, vision *preflight.Checker
	measured     measured
}

// newFitter opens the tokenizer; it returns nil without a limit. Of whole episodes, all turns are trained.
func newFitter(l Limit, whole bool) (f *fitter, err error) {
	if l.CutoffLen == 0 {
		return nil, nil
	}
	c := preflight.Config{Template: l.template(false), CutoffLen: l.CutoffLen, MaskHistory: !whole}
	if l.Tokenizer != "" {
		if c.Tokenizer, err = bpe.Open(l.Tokenizer); err != nil {
			return nil, fmt.Errorf("tokenizer: %w", err)
		}
	} else if l.Fit {
		c.CutoffLen, c.EveryDigit = l.CutoffLen*100/(100+estimateMargin), true
	}
	f = &fitter{Limit: l}
	if f.text, err = preflight.New(c); err != nil {
		return nil, err
	}
	c.Template = l.template(true)
	f.vision, err = preflight.New(c)
	return f, err
}

// template is the trainer's template for rows with or without images.
func (l Limit) template(images bool) string {
	switch {
	case l.Template != "":
		return l.Template
	case images:
		return "qwen2_vl"
	}
	return "qwen"
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
			return fitted{reason: TooLong, detail: fmt.Sprintf("%d tokens, and %d with short observations; the limit is %s", total, short,
				f.described())}
		}
	}
	if !x.verdict.Whole() && len(imagesOf(row.Context)) > 0 {
		return fitted{reason: CutImage, detail: fmt.Sprintf("%d tokens; the limit is %s", total, f.described())}
	}
	return x
}

// described is the limit for a detail.
func (f *fitter) described() string {
	if n := f.text.Config().CutoffLen; n < f.CutoffLen {
		return fmt.Sprintf("%d, with a margin for the estimate", f.CutoffLen)
	}
	return fmt.Sprint(f.CutoffLen)
}

// warn warns of rows that the trainer would not take whole.
func (f *fitter) warn(of Format, notify progress.Notify) {
	long := f.measured.rows - f.measured.whole
	if long == 0 {
		return
	}
	t, unit := limits[of], "tokens"
	if f.Tokenizer == "" {
		unit = "tokens (estimated)"
	}
	notify.Warnf("%d of %d rows have more than %d %s: %s %s. Set another limit, or shorten the observations",
		long, f.measured.rows, f.CutoffLen, unit, cmp.Or(t.trainer, "a trainer"), cmp.Or(t.effect, "cuts longer rows"))
}

// note describes the limit and what it does to the rows.
func (f *fitter) note(of Format) string {
	m, t, count := f.measured, limits[of], "tokens"
	if f.Tokenizer == "" {
		count = "estimated tokens"
	}
	where := ""
	if t.file != "" {
		where = " (" + t.file + ")"
	}
	text := fmt.Sprintf("At %s %d%s, template %s: %d of %d rows are whole, %d lose a part of the system prompt or the question, %d a part of the turn to train; "+
		"%d rows with shortened observations; %d %s, %d of them trained; the longest row has %d",
		cmp.Or(t.setting, "cutoff_len"), f.CutoffLen, where, f.template(false), m.whole, m.rows, m.head, m.target, m.shortened, m.tokens, count, m.trained, m.longest)
	if t.own > 0 {
		text += fmt.Sprintf("; by its own default of %d, %s %s", t.own, t.trainer, t.effect)
	}
	return text
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
	checker := m.text
	if len(imagesOf(row.Context)) > 0 {
		checker = m.vision
	}
	return checker.Measure(m.texts.conversation(format.ShareGPT, &pair{row: *row}).Turns())
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
