package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// The minimum time between two plain lines of one stage: linesEvery at first, later a twentieth of its age, at most
// linesAtMost for work of days.
const (
	linesEvery  = 5 * time.Second
	linesAtMost = time.Minute
)

// Progress shows the progress of long work: a bar per stage on a terminal, and plain lines elsewhere, so that log files stay
// readable. Open stages are bars below each other. It is safe for concurrent use; a nil Progress shows nothing.
type Progress struct {
	// Out gets bars and lines; nil shows nothing.
	Out io.Writer
	// Bars is true on a terminal. Bars have no colours.
	Bars bool
	// Now is [time.Now] if nil.
	Now func() time.Time

	mu   sync.Mutex
	bars *mpb.Progress // nil while no stage is open
	open int
}

// Print writes a line above the open bars.
func (p *Progress) Print(line string) {
	if p == nil || p.Out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.Out
	if p.open > 0 {
		out = p.bars
	}
	_, _ = fmt.Fprintln(out, Line(line))
}

// Stage is a piece of long work with a known number of steps. It is safe for concurrent use.
type Stage struct {
	name  string
	total int

	mu      sync.Mutex
	done    int
	skipped int // part of done that took no work
	note    string
	started time.Time
	last    time.Time

	from *Progress
	bar  *mpb.Bar // nil for plain lines
}

// Stage opens a stage of total steps.
func (p *Progress) Stage(name string, total int) *Stage {
	if p == nil {
		p = &Progress{}
	}
	s := &Stage{from: p, name: name, total: total, started: p.now(), last: p.now()}
	if !p.Bars || p.Out == nil {
		return s
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == 0 {
		p.bars = mpb.New(mpb.WithOutput(p.Out), mpb.WithWidth(36), mpb.WithRefreshRate(100*time.Millisecond), mpb.WithAutoRefresh())
	}
	p.open++
	// The spaces around the bar belong to the words: on a narrow terminal the bar disappears, but the spaces are still
	// needed.
	s.bar = p.bars.New(int64(total), mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding(" ").Rbound("]"),
		mpb.PrependDecorators(
			decor.Name(fmt.Sprintf("%-24s", Clip(name, 24))),
			decor.CountersNoUnit("%d/%d ", decor.WCSyncWidth),
		),
		mpb.BarFillerTrim(),
		mpb.AppendDecorators(
			decor.Any(func(decor.Statistics) string { return spaced(s.left()) }),
			decor.Any(func(decor.Statistics) string { return spaced(s.Note()) }),
		),
	)
	return s
}

func (p *Progress) now() time.Time {
	if p.Now == nil {
		return time.Now()
	}
	return p.Now()
}

// spaced puts a space before a non-empty word.
func spaced(word string) string {
	if word == "" {
		return ""
	}
	return " " + word
}

// Note returns the latest note.
func (s *Stage) Note() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.note
}

// Skip sets the number of finished steps that took no work, and so do not count in the estimate of the time left.
func (s *Stage) Skip(done int) {
	s.mu.Lock()
	s.done, s.skipped = done, done
	s.mu.Unlock()
	if s.bar != nil {
		s.bar.SetCurrent(int64(done))
	}
}

// left estimates the time left from the steps so far; "" if it is unknown or nothing is left.
func (s *Stage) left() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	worked, todo := s.done-s.skipped, s.total-s.done
	if worked <= 0 || todo <= 0 {
		return ""
	}
	guess := s.from.now().Sub(s.started) * time.Duration(todo) / time.Duration(worked)
	return guess.Round(time.Second).String()
}

// Set sets the number of finished steps and the note next to the bar.
func (s *Stage) Set(done int, note string) {
	s.mu.Lock()
	s.done, s.note = done, Clip(note, 60)
	now := s.from.now()
	due := now.Sub(s.last) >= min(max(linesEvery, now.Sub(s.started)/20), linesAtMost)
	if due {
		s.last = now
	}
	s.mu.Unlock()
	switch {
	case s.bar != nil:
		s.bar.SetCurrent(int64(done))
	case due:
		line := strings.TrimSpace(fmt.Sprintf("%d/%d %s", done, s.total, s.Note()))
		if left := s.left(); left != "" {
			line += ", " + left + " left"
		}
		s.print(line)
	}
}

// Close ends the stage with a final note.
func (s *Stage) Close(last string) {
	took := s.from.now().Sub(s.started).Round(100 * time.Millisecond)
	last = Line(last)
	if s.bar == nil {
		s.print(fmt.Sprintf("%s (%s)", last, took))
		return
	}
	s.mu.Lock()
	s.note = fmt.Sprintf("%s (%s)", last, took)
	s.mu.Unlock()
	s.bar.SetCurrent(int64(s.done))
	if s.done < s.total || s.total == 0 {
		s.bar.Abort(false)
	}
	s.from.mu.Lock()
	defer s.from.mu.Unlock()
	s.from.open--
	if s.from.open == 0 { // wait until the final bars are drawn
		s.from.bars.Wait()
		s.from.bars = nil
	}
}

func (s *Stage) print(text string) {
	if s.from.Out != nil {
		_, _ = fmt.Fprintf(s.from.Out, "%s: %s\n", Line(s.name), text)
	}
}
