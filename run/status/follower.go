// Package status reports the status of a run from its directory alone, even while another process writes to it:
// episodes done, in flight, failed and left, usage, rate and estimated time left. Start from [Open] and
// [Follower.Look]; [Text], [Brief] and the JSON form of [Status] present the result.
//
// It reads the heads, costs and ends of episodes, not their contents: package report does that.
package status

import (
	"bytes"
	"errors"
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
	calls    []runlog.Mark
	charged  qa.Usage
}

// episode is the state of one episode.
type episode struct {
	outcome qa.Outcome // "" while it is not finished
	reason  string
	// dropped is the usage of damaged attempts, ended the usage at its last end; open are the calls since.
	dropped qa.Usage
	ended   qa.Usage
	open    []runlog.Mark // whose costs have not been read yet
	last    time.Time
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
		var skipped *runlog.SkipError
		switch {
		case errors.As(err, &skipped):
			f.bad++
		case err != nil:
			return fmt.Errorf("read the log of %s: %w", f.dir, err)
		case f.take(m) != nil:
			f.bad++
		}
		f.at = m.End
	}
	return nil
}

func (f *Follower) take(m runlog.Mark) error {
	e := f.episodes[m.Episode]
	if e == nil {
		e = &episode{}
		f.episodes[m.Episode] = e
		if _, repeat := qa.SplitEpisodeID(m.Episode); repeat < 1e6 { // more is damage
			f.repeats = max(f.repeats, repeat+1)
		}
	}
	if m.Type != runlog.TypeEnd {
		e.outcome, e.reason = "", "" // a failed episode is resumed
	}
	e.last = m.Time
	if m.Time.After(f.last) {
		f.last = m.Time
	}
	switch m.Type {
	case runlog.TypeCall:
		return f.called(e, m)
	case runlog.TypeLost:
		bill, err := m.Bill()
		f.charge(bill.Attempts)
		return err
	case runlog.TypeEnd:
		return f.ended(e, m)
	case runlog.TypeStart:
		e.dropped = e.dropped.Add(e.ended).Add(f.usage(e))
		e.ended, e.open, e.replies, e.cut, e.refused = qa.Usage{}, nil, 0, 0, 0
		f.remember(event{at: m.Time})
	}
	return nil
}

// cutMarker is in every call with a truncated reply. Inside a text, its quotes would be escaped.
var cutMarker = finishMarker(qa.FinishLength)

// refusedMarkers are in every call with a refused reply.
var refusedMarkers = [][]byte{finishMarker(qa.FinishFilter), finishMarker(qa.FinishRefusal)}

func finishMarker(reason string) []byte { return []byte(`"finish":"` + reason + `"`) }

// marker is in every call charged for a request without a reply. Inside a text, its quotes would be escaped.
var marker = []byte(`"charged":{`)

func (f *Follower) called(e *episode, m runlog.Mark) error {
	m.Line = bytes.Clone(m.Line)
	e.open = append(e.open, m)
	e.replies++
	if bytes.Contains(m.Line, cutMarker) {
		e.cut++
	}
	if slices.ContainsFunc(refusedMarkers, func(marker []byte) bool { return bytes.Contains(m.Line, marker) }) {
		e.refused++
	}
	f.calls = append(f.calls, m)
	if len(f.calls) >= 2*recentCalls {
		f.calls = slices.Clone(f.calls[len(f.calls)-recentCalls:])
	}
	f.remember(event{at: m.Time})
	if !bytes.Contains(m.Line, marker) {
		return nil
	}
	bill, err := m.Bill()
	f.charge(bill.Attempts)
	return err
}

func (f *Follower) ended(e *episode, m runlog.Mark) error {
	end, err := m.Ending()
	if err != nil {
		return err
	}
	e.outcome, e.reason, e.ended, e.open = end.Outcome, end.Reason, end.Usage, nil
	f.charge(end.Failed)
	f.remember(event{m.Time, !end.Outcome.Failed()})
	return nil
}

func (f *Follower) charge(attempts []qa.Attempt) {
	for _, a := range attempts {
		if a.Charged != nil {
			f.charged = f.charged.Add(*a.Charged)
		}
	}
}

// remember keeps the events of the window. It trims the list when half of it is old.
func (f *Follower) remember(e event) {
	f.events = append(f.events, e)
	if half := len(f.events) / 2; len(f.events) >= 1024 && f.events[half].at.Before(e.at.Add(-window)) {
		f.events = slices.Clone(f.events[half:])
	}
}
