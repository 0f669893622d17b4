// Package progress shows the progress of long work: a bar per stage on a terminal, and plain lines elsewhere, so that
// log files stay readable. Start from [New] and [Reporter.Stage].
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"airqa/internal/terminal"
)

// The minimum time between two plain lines of one stage: linesEvery at first, later a twentieth of its age, at most
// linesAtMost for work of days.
const (
	linesEvery  = 5 * time.Second
	linesAtMost = time.Minute
)

// Config configures a [Reporter].
type Config struct {
	Out io.Writer
	// Bars is true on a terminal. Bars have no colours.
	Bars bool
	Now  func() time.Time
}

// Reporter makes stages. Open stages are bars below each other. It is safe for concurrent use.
type Reporter struct {
	c Config

	mu   sync.Mutex
	bars *mpb.Progress // nil while no stage is open
	open int
}

// New returns a reporter. A nil Out shows nothing.
func New(c Config) *Reporter {
	if c.Out == nil {
		c.Out, c.Bars = io.Discard, false
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Reporter{c: c}
}

// Print writes a line above the open bars.
func (r *Reporter) Print(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.c.Out
	if r.open > 0 && r.bars != nil {
		out = r.bars
	}
	_, _ = fmt.Fprintln(out, terminal.Line(line))
}

// Stage is a piece of long work with a known number of steps. It is safe for concurrent use.
type Stage struct {
	c     Config
	name  string
	total int

	mu      sync.Mutex
	done    int
	skipped int // part of done that took no work
	note    string
	started time.Time
	last    time.Time

	from *Reporter
	bar  *mpb.Bar
}

// Stage opens a stage of total steps.
func (r *Reporter) Stage(name string, total int) *Stage {
	s := &Stage{c: r.c, from: r, name: name, total: total, started: r.c.Now(), last: r.c.Now()}
	if !r.c.Bars {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == 0 {
		r.bars = mpb.New(mpb.WithOutput(r.c.Out), mpb.WithWidth(36), mpb.WithRefreshRate(100*time.Millisecond), mpb.WithAutoRefresh())
	}
	r.open++
	// The spaces around the bar belong to the words: on a narrow terminal the bar disappears, but the spaces are still
	// needed.
	s.bar = r.bars.New(int64(total), mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding(" ").Rbound("]"),
		mpb.PrependDecorators(
			decor.Name(fmt.Sprintf("%-24s", terminal.Clip(name, 24))),
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
	guess := s.c.Now().Sub(s.started) * time.Duration(todo) / time.Duration(worked)
	return guess.Round(time.Second).String()
}

// Set sets the number of finished steps and the note next to the bar.
func (s *Stage) Set(done int, note string) {
	s.mu.Lock()
	s.done, s.note = done, terminal.Clip(note, 60)
	now := s.c.Now()
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
	took := s.c.Now().Sub(s.started).Round(100 * time.Millisecond)
	last = terminal.Line(last)
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
	_, _ = fmt.Fprintf(s.c.Out, "%s: %s\n", terminal.Line(s.name), text)
}

// Level is the severity of a [Notice].
type Level int

// The levels.
const (
	Info Level = iota
	Note
	Warning
)

// Notice is a message for the user in addition to the result.
type Notice struct {
	Level Level
	Text  string
}

// String prefixes the text with the level.
func (n Notice) String() string {
	return [...]string{"", "note: ", "warning: "}[n.Level] + n.Text
}

// Notify receives notices during the work. It may be nil. Calls may overlap.
type Notify func(Notice)

// Infof sends a notice.
func (f Notify) Infof(format string, args ...any) { f.send(Info, format, args) }

// Notef sends a notice marked as a note.
func (f Notify) Notef(format string, args ...any) { f.send(Note, format, args) }

// Warnf sends a notice marked as a warning.
func (f Notify) Warnf(format string, args ...any) { f.send(Warning, format, args) }

func (f Notify) send(l Level, format string, args []any) {
	if f != nil {
		f(Notice{l, fmt.Sprintf(format, args...)})
	}
}
