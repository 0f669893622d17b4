// Package status reports the status of a run from its directory alone, even while another process writes to it:
// episodes done, in flight, failed and left, usage, rate and estimated time left. Start from [Open] and
// [Follower.Look]; [Text], [Brief] and the JSON form of [Status] present the result.
//
// It reads the heads, costs and ends of episodes, not their contents: package report does that.
package status

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"airqa/qa"
	"airqa/runlog"
)

// window is the time span of the rates.
const window = 3 * time.Minute

// recentCalls is the maximum number of calls in the token rate.
const recentCalls = 2000

// Follower reads the log of one run directory, and on each further look only what is new. It is not safe for concurrent
// use.
type Follower struct {
	dir       string
	config    runlog.Config
	questions int

	at       int64 // offset of the first unread line
	bad      int
	repeats  int
	last     time.Time
	episodes map[string]*episode
	events   []event
	calls    []runlog.Mark // recent ones
	charged  qa.Usage
}

// episode is the state of one episode.
type episode struct {
	outcome qa.Outcome // "" while it is not finished
	reason  string
	// usage is that of the present attempt, dropped that of damaged ones.
	usage, dropped qa.Usage
	last           time.Time
	// replies since the episode started, those cut off by the token limit, and those refused
	replies, cut, refused int
}

// event is a recent event.
type event struct {
	at   time.Time
	done bool // an episode ended without a failure
}

// Open opens a run directory. It does not read the log yet.
func Open(dir string) (*Follower, error) {
	config, err := runlog.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	f := &Follower{dir: dir, config: config}
	f.forget()
	if config.Shape.Shard != "" {
		f.questions = len(config.Note.ShardQuestions)
		return f, nil
	}
	questions, err := os.ReadFile(filepath.Join(dir, runlog.QuestionsFile))
	if err != nil {
		return nil, fmt.Errorf("count questions: %w", err)
	}
	for line := range bytes.Lines(questions) {
		if len(bytes.TrimSpace(line)) > 0 {
			f.questions++
		}
	}
	return f, nil
}

func (f *Follower) forget() {
	f.at, f.bad, f.repeats, f.last, f.charged = 0, 0, max(f.config.Note.Repeats, 1), time.Time{}, qa.Usage{}
	f.episodes, f.events, f.calls = make(map[string]*episode), nil, nil
}

// read reads the new part of the log.
func (f *Follower) read() error {
	if info, err := os.Stat(filepath.Join(f.dir, runlog.LogFile)); err == nil && info.Size() < f.at {
		f.forget() // the log was replaced
	}
	for m, err := range runlog.Skim(f.dir, f.at) {
		if err != nil {
			return fmt.Errorf("read the log of %s: %w", f.dir, err)
		}
		if m.Type == "" || m.Err != nil {
			f.bad++
		}
		if m.Type != "" {
			f.take(m)
		}
		f.at = m.End
	}
	return nil
}

func (f *Follower) take(m runlog.Mark) {
	e := f.episodes[m.Episode]
	if e == nil {
		e = &episode{}
		f.episodes[m.Episode] = e
		if _, repeat := qa.SplitEpisodeID(m.Episode); repeat < 1e6 { // more is damage
			f.repeats = max(f.repeats, repeat+1)
		}
	}
	e.last = m.Time
	if m.Time.After(f.last) {
		f.last = m.Time
	}
	if m.Type == runlog.TypeEnd && m.Err != nil {
		return
	}
	e.outcome, e.reason = m.Outcome, m.Reason // of an end; a failed episode is resumed
	switch m.Type {
	case runlog.TypeCall:
		f.called(e, m)
	case runlog.TypeEnd:
		e.usage = m.Usage
		f.remember(event{m.Time, !m.Outcome.Failed()})
	case runlog.TypeStart:
		e.dropped = e.dropped.Add(e.usage)
		e.usage, e.replies, e.cut, e.refused = qa.Usage{}, 0, 0, 0
		f.remember(event{at: m.Time})
	}
	for _, a := range m.Attempts {
		if a.Charged != nil {
			f.charged = f.charged.Add(*a.Charged)
		}
	}
}

// called takes a reply; an unreadable one has no costs.
func (f *Follower) called(e *episode, m runlog.Mark) {
	e.usage = e.usage.Add(m.Usage)
	e.replies++
	switch m.Finish {
	case qa.FinishLength:
		e.cut++
	case qa.FinishFilter, qa.FinishRefusal:
		e.refused++
	}
	f.calls = append(f.calls, m)
	if len(f.calls) >= 2*recentCalls {
		f.calls = slices.Clone(f.calls[len(f.calls)-recentCalls:])
	}
	f.remember(event{at: m.Time})
}

// remember keeps the events of the window. It trims the list when half of it is old.
func (f *Follower) remember(e event) {
	f.events = append(f.events, e)
	if half := len(f.events) / 2; len(f.events) >= 1024 && f.events[half].at.Before(e.at.Add(-window)) {
		f.events = slices.Clone(f.events[half:])
	}
}
