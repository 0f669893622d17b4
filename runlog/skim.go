package runlog

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"airqa/internal/files"
	"airqa/qa"
)

// Writing reports whether a process is writing to a run directory. It changes nothing.
func Writing(dir string) (bool, error) { return files.Locked(filepath.Join(dir, lockFile)) }

// Mark is one line of the log, decoded as far as the status of a run needs it.
type Mark struct {
	// Type is "" for a line that is not an event.
	Type, Episode string
	Time          time.Time
	// Usage is of the reply of a call, none for a cache hit, or of an episode that ends. Attempts are the requests.
	Usage    qa.Usage
	Attempts []qa.Attempt
	// Finish is the reason of [qa.Reply]; one that is no string does not hide the costs.
	Finish  any
	Outcome qa.Outcome
	Reason  string
	// Err is set if a call, an end or lost requests could not be decoded; the fields above are then empty.
	Err error
	// End is the offset in the log after the line, to continue from.
	End int64
}

// Skim yields the lines of a log in order from an offset, which is 0 or the End of an earlier [Mark], up to the last
// complete line. It decodes only the beginnings of most. An error ends it. A missing log is empty.
func Skim(dir string, from int64) iter.Seq2[Mark, error] {
	return func(yield func(Mark, error) bool) {
		file, err := OpenFile(dir, LogFile)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Mark{}, err)
			return
		}
		defer func() { _ = file.Close() }()
		if _, err := file.Seek(from, io.SeekStart); err != nil {
			yield(Mark{}, err)
			return
		}
		for raw, err := range wholeLines(file, new(int64)) {
			if err != nil {
				yield(Mark{}, err)
				return
			}
			m := markOf(raw)
			from += int64(len(raw))
			m.End = from
			if !yield(m, nil) {
				return
			}
		}
	}
}

func markOf(raw []byte) Mark {
	b, err := readBeginning(raw)
	if err != nil || b.Type == "" || b.Episode == "" {
		return Mark{}
	}
	m := Mark{Type: b.Type, Episode: b.Episode, Time: b.Time}
	if b.Type != TypeCall && b.Type != TypeLost && b.Type != TypeEnd {
		return m
	}
	ev, err := decode[struct {
		Reply struct {
			Usage    qa.Usage     `json:"usage"`
			Attempts []qa.Attempt `json:"attempts"`
			Finish   any          `json:"finish"`
			Cached   bool         `json:"from_cache"`
		} `json:"reply"`
		Usage    qa.Usage     `json:"usage"`
		Attempts []qa.Attempt `json:"attempts"`
		Failed   []qa.Attempt `json:"failed_attempts"`
		Outcome  qa.Outcome   `json:"outcome"`
		Reason   string       `json:"reason"`
	}](raw)
	if m.Err = err; err != nil {
		return m
	}
	m.Outcome, m.Reason, m.Usage = ev.Outcome, ev.Reason, ev.Usage
	m.Attempts, m.Finish = slices.Concat(ev.Reply.Attempts, ev.Attempts, ev.Failed), ev.Reply.Finish
	if b.Type == TypeCall && !ev.Reply.Cached {
		m.Usage = ev.Reply.Usage
	}
	return m
}
