// Package progress shows how far long work has come: one bar a stage on a terminal, plain lines anywhere else, so
// that a log file stays readable. Start from [New] and [Reporter.Stage].
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

// The least time between two plain lines of one stage: linesEvery at first, a twentieth of its age later, and linesAtMost
// for work of days, whose log is to stay readable.
const (
	linesEvery  = 5 * time.Second
	linesAtMost = time.Minute
)

// Config says where progress goes.
type Config struct {
	Out io.Writer
	// Bars is true on a terminal. They are drawn without colours.
	Bars bool
	Now  func() time.Time
}

// Reporter makes stages. Those that are open at the same time are bars one under the other. Its methods may be called by
// several goroutines.
type Reporter struct {
	c Config

	mu   sync.Mutex
	bars *mpb.Progress // nil while no stage is open
	open int
}

// take returns what draws the bars, made for the first of them.
func (r *Reporter) take() *mpb.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == 0 {
		r.bars = mpb.New(mpb.WithOutput(r.c.Out), mpb.WithWidth(36), mpb.WithRefreshRate(100*time.Millisecond), mpb.WithAutoRefresh())
	}
	r.open++
	return r.bars
}

// give waits, after the last of them, until the bars are drawn as they ended.
func (r *Reporter) give() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	if r.open == 0 {
		r.bars.Wait()
		r.bars = nil
	}
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

// Print writes a line now, above the bars that are open.
func (r *Reporter) Print(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.c.Out
	if r.open > 0 && r.bars != nil {
		out = r.bars
	}
	_, _ = fmt.Fprintln(out, terminal.Line(line))
}

// Stage is one piece of long work with a known number of steps. Its methods may be called by several goroutines.
type Stage struct {
	c     Config
	name  string
	total int

	mu      sync.Mutex
	done    int
	skipped int // of done, those that took no work
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
	// The blanks beside the bar are those of the words: a narrow terminal has no room for the bar, and needs them still.
	s.bar = r.take().New(int64(total), mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding(" ").Rbound("]"),
		mpb.PrependDecorators(decor.Name(fmt.Sprintf("%-24s", terminal.Clip(name, 24))), decor.CountersNoUnit("%d/%d ", decor.WCSyncWidth)), mpb.BarFillerTrim(),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return behind(s.left()) }), decor.Any(func(decor.Statistics) string {
			return behind(s.Note())
		})),
	)
	return s
}

// behind puts a blank in front of a word that is there.
func behind(word string) string {
	if word == "" {
		return ""
	}
	return " " + word
}

// Note returns what was said last.
func (s *Stage) Note() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.note
}

// Skip says that done steps are finished and took no work, so that the time left is not guessed from them.
func (s *Stage) Skip(done int) {
	s.mu.Lock()
	s.done, s.skipped = done, done
	s.mu.Unlock()
	if s.bar != nil {
		s.bar.SetCurrent(int64(done))
	}
}

// left guesses the time that is left from the steps so far, "" when it is not known or nothing is left.
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

// Set says that done steps are finished, and a few words beside the bar.
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

// Close ends the stage with a last word.
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
	s.from.give()
}

func (s *Stage) print(text string) {
	_, _ = fmt.Fprintf(s.c.Out, "%s: %s\n", terminal.Line(s.name), text)
}
