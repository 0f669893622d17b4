package scoring

import (
	"bufio"
	"encoding/json"
	"io"
	"sync/atomic"

	"airqa/qa"
)

// line is a score as JSON: an unscored one is null, never 0.
type line struct {
	UUID    string     `json:"uuid"`
	Repeat  int        `json:"repeat,omitempty"`
	Score   *float64   `json:"score"`
	Verdict qa.Verdict `json:"verdict"`
	Format  bool       `json:"format_only,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Votes   []qa.Vote  `json:"votes,omitempty"`
}

// Lines writes scores as JSON Lines, followed by their totals.
type Lines struct {
	w     *bufio.Writer
	enc   *json.Encoder
	count atomic.Int64 // read concurrently
	quiet bool         // counts only
}

// NewLines returns a writer to out, or one that only counts if out is nil. End flushes it.
func NewLines(out io.Writer) *Lines {
	if out == nil {
		return &Lines{quiet: true}
	}
	w := bufio.NewWriterSize(out, 64<<10)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &Lines{w: w, enc: enc}
}

// Write writes one score.
func (w *Lines) Write(s qa.Score) error {
	w.count.Add(1)
	if w.quiet {
		return nil
	}
	l := line{UUID: s.UUID, Repeat: s.Repeat, Verdict: s.Verdict, Format: s.FormatOnly, Reason: s.Reason, Votes: s.Votes}
	if s.Verdict != qa.Unscored {
		l.Score = &s.Value
	}
	return w.enc.Encode(l)
}

// End writes the totals.
func (w *Lines) End(t Totals) error {
	if w.quiet {
		return nil
	}
	if err := w.enc.Encode(map[string]Totals{"total": t}); err != nil {
		return err
	}
	return w.w.Flush()
}
