package export

import (
	"math"
	"strconv"

	"airqa/extractor/preflight"
	"airqa/extractor/windows"
)

// sample measures a part of the rows against the limit in llamafactory.yaml, if the rules set no limit: the trainer would
// cut longer rows without a word. Which rows are measured depends on their ids alone.
type sample struct {
	text, vision *fitter
	// below is the number below which the first digits of an id are those of a measured row.
	below         uint64
	measured, cut int
}

// sampleEpisodes is the number of episodes up to which all rows are measured. Of larger exports, about as many rows are.
const sampleEpisodes = 256

// idSpan is the number of values of the first eight digits of an id.
const idSpan = 1 << 32

// newSample returns nil for an export without llamafactory.yaml, with a limit, or for a template of which the program
// knows nothing.
func newSample(c Config, episodes int) *sample {
	if c.CutoffLen > 0 || c.Format != ShareGPT && c.Format != DPO {
		return nil
	}
	limit := Limit{CutoffLen: paperCutoff, Template: c.trainTemplate(false), Tokenizer: c.Tokenizer}
	text, err := newFitter(limit)
	if err != nil {
		return nil
	}
	s := &sample{text: text, vision: text, below: idSpan}
	if limit.Template != c.trainTemplate(true) {
		vision := text.checker.Config() // with the opened tokenizer
		vision.Template = c.trainTemplate(true)
		checker, err := preflight.New(vision)
		if err != nil {
			return nil
		}
		s.vision = &fitter{Limit: limit, checker: checker}
	}
	if episodes > sampleEpisodes {
		s.below = idSpan / uint64(episodes) * sampleEpisodes
	}
	return s
}

// has reports whether a row is measured.
func (s *sample) has(id string) bool {
	n, err := strconv.ParseUint(id[:8], 16, 64)
	return err == nil && n < s.below
}

// cuts reports whether the trainer would cut a row. Calls may overlap.
func (s *sample) cuts(t *texts, row, against *windows.Row) bool {
	f := s.text
	if len(imagesOf(row.Context)) > 0 {
		f = s.vision
	}
	x := f.fit(t, row, against)
	return x.reason == CutImage || x.reason == "" && !x.verdict.Whole()
}

// add counts a measured row of the export.
func (s *sample) add(long bool) {
	s.measured++
	if long {
		s.cut++
	}
}

// total projects the number of rows that the trainer would cut.
func (s *sample) total(rows int) int {
	if s.measured == 0 {
		return 0
	}
	return int(math.Round(float64(s.cut) / float64(s.measured) * float64(rows)))
}

// warnLong warns of rows that the trainer would cut.
func (p *planner) warnLong() {
	s := p.sample
	if s == nil || s.cut == 0 {
		return
	}
	about, unit := "", "tokens"
	if s.measured < p.out.tally.rows {
		about = "about "
	}
	if p.Tokenizer == "" {
		unit = "tokens (estimated)"
	}
	p.Notify.Warnf("%s%d of %d rows have more than %d %s, and the trainer would cut them: llamafactory.yaml has cutoff_len: %d. "+
		"Set another limit with --cutoff-len, or shorten observations with --fit", about, s.total(p.out.tally.rows), p.out.tally.rows, paperCutoff, unit, paperCutoff)
}
