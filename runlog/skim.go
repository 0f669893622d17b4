package runlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"strconv"
	"time"

	"airqa/internal/files"
	"airqa/qa"
)

// Writing reports whether a process is writing to a run directory. It changes nothing.
func Writing(dir string) (bool, error) { return files.Locked(filepath.Join(dir, lockFile)) }

// Mark is one event of the log with only its head decoded.
type Mark struct {
	Type, Episode string
	Time          time.Time
	// Line is the whole event. It is valid until the next iteration.
	Line []byte
	// End is the offset in the log after the event, to continue from.
	End int64
}

// Skim yields the events of a log in order from an offset, which is 0 or the End of an earlier [Mark], up to the last
// complete line. It decodes only the heads and runs at disk speed. A line that is not an event yields a [*SkipError],
// and iteration continues; any other error ends it. A missing log is empty.
func Skim(dir string, from int64) iter.Seq2[Mark, error] {
	return func(yield func(Mark, error) bool) {
		file, err := openIn(dir, LogFile)
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
		skim(bufio.NewReaderSize(file, 1<<20), from, yield)
	}
}

func skim(in *bufio.Reader, at int64, yield func(Mark, error) bool) {
	for {
		raw, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			yield(Mark{}, err)
			return
		}
		if len(raw) == 0 || raw[len(raw)-1] != '\n' {
			return
		}
		at += int64(len(raw))
		m, ok := markOf(raw)
		m.End = at
		err = nil
		if !ok {
			err = &SkipError{at - int64(len(raw))}
		}
		if !yield(m, err) {
			return
		}
	}
}

// SkipError is a line of the log that is not an event.
type SkipError struct{ Offset int64 }

func (e *SkipError) Error() string { return "not an event of a run log" }

// markOf reads the head of a line, with a fast path for lines as usually written.
func markOf(raw []byte) (Mark, bool) {
	if m, ok := quickMark(raw); ok {
		return m, true
	}
	var h head
	if json.Unmarshal(raw, &h) != nil || h.Type == "" || h.Episode == "" {
		return Mark{}, false
	}
	return Mark{Type: h.Type, Episode: h.Episode, Time: h.Time, Line: raw}, true
}

// quickMark also checks the end of the line, to detect one that another line has overwritten.
func quickMark(raw []byte) (Mark, bool) {
	kind, rest, ok1 := after(raw, `{"type":"`)
	episode, rest, ok2 := after(rest, `,"episode":"`)
	_, rest, ok3 := bytes.Cut(rest, []byte(`,"time":"`))
	written, _, ok4 := bytes.Cut(rest, []byte(`"`))
	if !ok1 || !ok2 || !ok3 || !ok4 || !bytes.HasSuffix(raw, []byte("}\n")) || bytes.IndexByte(episode, '\\') >= 0 {
		return Mark{}, false
	}
	var m Mark
	if m.Time.UnmarshalText(written) != nil {
		return Mark{}, false
	}
	m.Type, m.Episode, m.Line = nameOf(kind), string(episode), raw
	return m, true
}

// nameOf returns the type of an event without a copy of its name.
func nameOf(kind []byte) string {
	switch string(kind) {
	case TypeCall:
		return TypeCall
	case TypeObservation:
		return TypeObservation
	case TypeMessage:
		return TypeMessage
	}
	return string(kind)
}

// quickHead reads the head of a line as usually written, without a look at the rest.
func quickHead(raw []byte) (head, bool) {
	m, ok := quickMark(raw)
	_, rest, found := bytes.Cut(raw[:min(len(raw), maxHead)], []byte(`,"seq":`))
	digits, _, closed := bytes.Cut(rest, []byte(","))
	seq, err := strconv.Atoi(string(digits))
	return head{Type: m.Type, Episode: m.Episode, Seq: seq, Time: m.Time}, ok && found && closed && err == nil
}

// maxHead is the maximum size of a head as usually written, in bytes.
const maxHead = 1 << 10

// after returns the string after a prefix, up to its closing quote.
func after(raw []byte, prefix string) (value, rest []byte, ok bool) {
	raw, ok = bytes.CutPrefix(raw, []byte(prefix))
	if !ok {
		return nil, nil, false
	}
	return bytes.Cut(raw, []byte(`"`))
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
func (m Mark) Ending() (e Ending, err error) {
	err = json.Unmarshal(m.Line, &e)
	return e, err
}

// Bill is the cost of a call: the usage of its reply (none for a cache hit) and all of its requests.
type Bill struct {
	Usage    qa.Usage
	Attempts []qa.Attempt
}

// Bill reads an event of [TypeCall] or [TypeLost].
func (m Mark) Bill() (Bill, error) {
	var ev struct {
		Reply struct {
			Usage    qa.Usage     `json:"usage"`
			Attempts []qa.Attempt `json:"attempts"`
			Cached   bool         `json:"from_cache"`
		} `json:"reply"`
		Attempts []qa.Attempt `json:"attempts"`
	}
	err := json.Unmarshal(m.Line, &ev)
	if ev.Reply.Cached {
		ev.Reply.Usage = qa.Usage{}
	}
	return Bill{ev.Reply.Usage, append(ev.Reply.Attempts, ev.Attempts...)}, err
}
