package runlog

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"time"

	"airqa/internal/files"
	"airqa/qa"
)

// Writing reports whether a process is writing to a run directory. It changes nothing.
func Writing(dir string) (bool, error) { return files.Locked(filepath.Join(dir, lockFile)) }

// Mark is one line of the log with only its head decoded. Type is "" for a line that is not an event.
type Mark struct {
	Type, Episode string
	Time          time.Time
	// Line is the whole event. It is valid until the next iteration.
	Line []byte
	// End is the offset in the log after the line, to continue from.
	End int64
}

// Skim yields the lines of a log in order from an offset, which is 0 or the End of an earlier [Mark], up to the last
// complete line. It decodes only the heads and runs at disk speed. An error ends it. A missing log is empty.
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
	h, err := readHead(raw)
	if err != nil || h.Type == "" || h.Episode == "" {
		return Mark{}
	}
	return Mark{Type: h.Type, Episode: h.Episode, Time: h.Time, Line: raw}
}

// Ending is the content of an episode's end.
type Ending struct {
	Outcome qa.Outcome   `json:"outcome"`
	Reason  string       `json:"reason"`
	Turns   int          `json:"turns"`
	Usage   qa.Usage     `json:"usage"`
	Failed  []qa.Attempt `json:"failed_attempts"`
}

// Ending reads an event of [TypeEnd].
func (m Mark) Ending() (Ending, error) { return decode[Ending](m.Line) }

// Bill is the cost of a call: the usage of its reply (none for a cache hit) and all of its requests.
type Bill struct {
	Usage    qa.Usage     `json:"usage"`
	Attempts []qa.Attempt `json:"attempts"`
	// Finish is the reason of [qa.Reply]; one that is no string does not hide the costs.
	Finish any `json:"finish"`
}

// Bill reads an event of [TypeCall] or [TypeLost].
func (m Mark) Bill() (Bill, error) {
	ev, err := decode[struct {
		Reply struct {
			Bill
			Cached bool `json:"from_cache"`
		} `json:"reply"`
		Attempts []qa.Attempt `json:"attempts"`
	}](m.Line)
	if err != nil {
		return Bill{}, err
	}
	bill := ev.Reply.Bill
	bill.Attempts = append(bill.Attempts, ev.Attempts...)
	if ev.Reply.Cached {
		bill.Usage = qa.Usage{}
	}
	return bill, nil
}
