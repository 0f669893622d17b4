package export

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/train"
	"airqa/train/format"
	"airqa/train/preflight"
)

// Limit is the trainer's limit of tokens, as flags of a command line. A CutoffLen of 0 measures nothing.
type Limit struct {
	preflight.Length
	Fit bool `default:"true" negatable:"" help:"Shorten observations until rows fit --cutoff-len, and drop rows that cannot fit."`
}

// limits are how the trainers of the formats call their limits of tokens, and what they do with longer rows. 4,096 is the
// paper's; an example for OpenAI's models has up to 65,536.
var limits = map[Format]struct {
	// cutoff is the limit of an export; own is the trainer's default, 0 if it has none to set.
	cutoff, own int
	// setting is its name in file, the configuration that an export has.
	trainer, setting, file, effect string
}{
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

// The reasons of rows that are too long.
const (
	TooLong  train.Reason = "too_long"  // longer than the limit even with short observations
	CutImage train.Reason = "cut_image" // the limit would cut a row with images, which stops the trainer
	Refused  train.Reason = "refused"   // the trainer would not take the row
)

// measured counts rows by what the trainer would do with them.
type measured struct {
	rows, whole, shortened   int
	tokens, trained, longest int
}

// fitter measures rows, and shortens those that are too long.
type fitter struct {
	Limit
	counter *preflight.Counter
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

// fitted is what becomes of a row under a limit: the shortened observations, as the bytes that stay of messages of the
// context, or the reason against it.
type fitted struct {
	size   preflight.Size
	cuts   map[int]int
	reason train.Reason
	detail string
}

// fit decides whether a row, or a pair with its rejected side, may be exported, and which observations are shortened for
// that. Calls may overlap.
func (f *fitter) fit(t *texts, row, against *train.Row) fitted {
	size := func(cuts map[int]int) (preflight.Size, error) { // of a pair, of the longer side
		one := *row
		one.Context = shortened(row.Context, cuts)
		c := t.conversation(format.ShareGPT, &one, against)
		if err := c.CheckTurns(); err != nil {
			return preflight.Size{}, err
		}
		return f.counter.Measure(c)
	}
	whole, err := size(nil)
	if err != nil {
		return fitted{reason: Refused, detail: err.Error()}
	}
	x := fitted{size: whole}
	if !f.whole(whole) && f.Fit {
		x.cuts, x.size = f.shorten(row.Context, whole, func(cuts map[int]int) preflight.Size {
			size, _ := size(cuts) // its turns and images are the same
			return size
		})
		if !f.whole(x.size) {
			return fitted{reason: TooLong, detail: fmt.Sprintf("%d tokens, and %d with short observations; the limit is %d", whole.Tokens,
				x.size.Tokens, f.CutoffLen)}
		}
	}
	if !f.whole(x.size) && len(imagesOf(row.Context)) > 0 {
		return fitted{reason: CutImage, detail: fmt.Sprintf("%d tokens; the limit is %d", whole.Tokens, f.CutoffLen)}
	}
	return x
}

// whole reports whether the trainer sees all of a row.
func (f *fitter) whole(s preflight.Size) bool { return s.Tokens <= f.CutoffLen }

// warn warns of rows that the trainer would not take whole.
func (f *fitter) warn(of Format, m measured, notify terminal.Notify) {
	long := m.rows - m.whole
	if long == 0 {
		return
	}
	t, unit := limits[of], "tokens"
	if n := f.counter.Vocabulary(); n > 0 {
		unit = fmt.Sprintf("tokens (estimated for a vocabulary of %d words)", n)
	}
	notify.Warnf("%d of %d rows have more than %d %s: %s %s. Set another limit, or shorten the observations",
		long, m.rows, f.CutoffLen, unit, cmp.Or(t.trainer, "a trainer"), cmp.Or(t.effect, "cuts longer rows"))
}

// note describes the limit and what it does to the rows.
func (f *fitter) note(of Format, m measured) string {
	t, count := limits[of], ""
	if n := f.counter.Vocabulary(); n > 0 {
		count = fmt.Sprintf(" estimated for a vocabulary of %d words,", n)
	}
	where := ""
	if t.file != "" {
		where = " (" + t.file + ")"
	}
	text := fmt.Sprintf("At %s %d%s, template %s: %d of %d rows are whole, %d with shortened observations; "+
		"at most %d tokens,%s %d of them trained; the longest row has %d", cmp.Or(t.setting, "cutoff_len"), f.CutoffLen, where,
		f.template(false), m.whole, m.rows, m.shortened, m.tokens, count, m.trained, m.longest)
	if t.own > 0 {
		text += fmt.Sprintf("; by its own default of %d, %s %s", t.own, t.trainer, t.effect)
	}
	return text
}

func (m *measured) add(x fitted, whole bool) {
	m.rows++
	if whole {
		m.whole++
	}
	if len(x.cuts) > 0 {
		m.shortened++
	}
	m.tokens += x.size.Tokens
	m.trained += x.size.Trained
	m.longest = max(m.longest, x.size.Tokens)
}

// shorten shortens observations, the longest first and of these the oldest first, until the row is whole. The last one
// loses no more than necessary. measure returns the size of the row with cuts.
func (f *fitter) shorten(context []qa.Message, size preflight.Size, measure func(cuts map[int]int) preflight.Size) (map[int]int, preflight.Size) {
	cuts := make(map[int]int)
	for _, level := range []int{8 << 10, 4 << 10, 2 << 10, 1 << 10, 512, 256, 128} { // bytes
		for i := 2; i < len(context); i++ { // after system and task
			length, again := cuts[i]
			if !again {
				length = len(context[i].Text)
			}
			if role := context[i].Role; role != qa.User && role != qa.ToolResult || length <= level {
				continue
			}
			cuts[i] = level
			if size = measure(cuts); !f.whole(size) {
				continue
			}
			const precision = 64
			low, high := level, length
			for high-low > precision {
				cuts[i] = (low + high) / 2
				if longer := measure(cuts); f.whole(longer) {
					low, size = cuts[i], longer
				} else {
					high = cuts[i]
				}
			}
			cuts[i] = low
			return cuts, size
		}
	}
	return cuts, size
}

// shortened returns the messages with shortened observations.
func shortened(messages []qa.Message, cuts map[int]int) []qa.Message {
	if len(cuts) == 0 {
		return messages
	}
	list := append([]qa.Message(nil), messages...)
	for message, keep := range cuts {
		text := list[message].Text
		for keep > 0 && !utf8.RuneStart(text[keep]) {
			keep--
		}
		list[message].Text = fmt.Sprintf("%s\n[... shortened: %d of %d bytes left out]", text[:keep], len(text)-keep, len(text))
	}
	return list
}
