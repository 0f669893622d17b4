package runlog

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"slices"
	"sync/atomic"
	"time"

	jsonv1 "github.com/go-json-experiment/json/v1"

	"airqa/internal/files"
	"airqa/qa"
)

// Run reads a run directory. It keeps the position of every line in memory, but reads episodes one at a time. It is a
// snapshot of the log at opening, even if another process appends to it.
type Run struct {
	Dir    string
	Config Config

	// Unknown counts skipped events of unknown types.
	Unknown int
	// Torn is the length of an incomplete last line, which is ignored.
	Torn int64
	// BadLines are the unreadable lines. Their episodes may be incomplete.
	BadLines []LineError

	index   indexed
	lines   [][]line                   // by the number of the episode in the index
	numbers map[string]int             // of the episodes
	prompts *atomic.Pointer[namedText] // the one read last
}

// LineError is an unreadable line of the log.
type LineError struct {
	Line int
	Err  error
}

func (e LineError) Error() string { return fmt.Sprintf("%s:%d: %v", LogFile, e.Line, e.Err) }

// line is the position of one event.
type line struct {
	offset int64
	length int
	number int
}

// Recorded is the logged part of an episode, finished or not.
type Recorded struct {
	qa.Trajectory
	// Events counts the lines of the episode: the next one has the sequence number Events+1.
	Events int `json:"events"`
	// Spent is the usage of damaged attempts at the episode, which were run again.
	Spent qa.Usage `json:"-"`
}

// Finished reports whether the episode has a final outcome. One that was cancelled or ended because the endpoint or a
// tool failed does not: the same command retries it.
func (r Recorded) Finished() bool { return r.Outcome != "" && !r.Outcome.Again() }

// Open reads run.json and the positions of all lines of the log.
func Open(dir string) (*Run, error) {
	config, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir, Config: config, numbers: make(map[string]int), prompts: new(atomic.Pointer[namedText])}
	file, err := OpenFile(dir, LogFile)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	defer func() { _ = file.Close() }()
	r.useIndex(file)
	covered := r.index.Size
	if _, err := file.Seek(covered, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read %s: %w", file.Name(), err)
	}
	if err := r.scan(file); err != nil {
		return nil, fmt.Errorf("read %s: %w", file.Name(), err)
	}
	// The index is written if there are enough new lines. A log with a damaged line, which may be repaired in place, has
	// none, and neither has a read-only directory.
	if r.index.Size-covered >= indexFrom && len(r.BadLines) == 0 {
		var body bytes.Buffer
		if r.index.Print, err = fingerprintOf(file, r.index.Size); err == nil && gob.NewEncoder(&body).Encode(r.index) == nil {
			r.writeChecked(indexFile, indexMark, body.Bytes())
		}
	}
	return r, nil
}

// ID returns the SHA-256 of run.json in lower-case hex, which identifies the run wherever its directory is.
func (r *Run) ID() (string, error) {
	raw, err := readIn(r.Dir, RunFile)
	return files.Hash(raw), err
}

// LogHash returns the SHA-256 of the log as of opening, without an incomplete last line.
func (r *Run) LogHash() (string, error) {
	h := sha256.New()
	if r.index.Size == 0 {
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	file, err := OpenFile(r.Dir, LogFile)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	_, err = io.CopyN(h, file, r.index.Size)
	return hex.EncodeToString(h.Sum(nil)), err
}

// UUIDs returns the episodes in the order of their first event, as "uuid#repeat".
func (r *Run) UUIDs() []string { return r.index.Episodes }

// Episodes yields the named episodes (see [Run.UUIDs]), or all if none are named, in the order of their first event. It
// reads no others. A bad line affects only its own episode, which comes with an error and its readable part.
func (r *Run) Episodes(names ...string) iter.Seq2[Recorded, error] {
	if len(names) == 0 {
		names = r.index.Episodes
	}
	return func(yield func(Recorded, error) bool) {
		file, err := OpenFile(r.Dir, LogFile)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				yield(Recorded{}, err)
			}
			return
		}
		defer func() { _ = file.Close() }()
		for _, id := range names {
			if !yield(r.read(file, id)) {
				return
			}
		}
	}
}

// ErrNoEpisode is returned for a question that is not in the log.
var ErrNoEpisode = errors.New("no such episode in this run")

// Episode reads one episode.
func (r *Run) Episode(uuid string, repeat int) (Recorded, error) {
	id := qa.EpisodeID(uuid, repeat)
	if len(r.linesOf(id)) == 0 {
		return Recorded{}, ErrNoEpisode
	}
	file, err := OpenFile(r.Dir, LogFile)
	if err != nil {
		return Recorded{}, err
	}
	defer func() { _ = file.Close() }()
	return r.read(file, id)
}

// Text returns a text of the texts folder by its hash.
func (r *Run) Text(sum string) (string, error) {
	data, err := readBlob(r.Dir, textsDir, sum, ".txt")
	return string(data), err
}

// prompt is [Run.Text] for the system prompt, which the episodes of a run share.
func (r *Run) prompt(sum string) (string, error) {
	if last := r.prompts.Load(); last != nil && last.sum == sum {
		return last.text, nil
	}
	text, err := r.Text(sum)
	if err == nil {
		r.prompts.Store(&namedText{sum, text})
	}
	return text, err
}

// Image returns an image of the images folder by its hash.
func (r *Run) Image(sum string) ([]byte, error) { return readBlob(r.Dir, imagesDir, sum, ".png") }

// LoadImages reads the images of an episode, to show them to a model again.
func (r *Run) LoadImages(rec *Recorded) error {
	var lists [][]qa.Image
	for _, m := range rec.Messages {
		lists = append(lists, m.Images)
	}
	for _, s := range rec.Steps {
		if s.Observation != nil {
			lists = append(lists, s.Observation.Images)
		}
	}
	for _, list := range lists {
		for i := range list {
			data, err := r.Image(list[i].SHA256)
			if err != nil {
				return fmt.Errorf("%s: %w", rec.Episode, err)
			}
			list[i].Data = data
		}
	}
	return nil
}

// wholeLines yields lines with their newlines, each valid until the next iteration, and sets torn to the length of what
// follows them.
func wholeLines(file io.Reader, torn *int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for in := bufio.NewReaderSize(file, 1<<20); ; {
			raw, err := in.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) { // a long line
				var rest []byte
				raw = bytes.Clone(raw)
				rest, err = in.ReadBytes('\n')
				raw = append(raw, rest...)
			}
			if errors.Is(err, io.EOF) {
				*torn = int64(len(raw))
				return
			}
			if !yield(raw, err) || err != nil {
				return
			}
		}
	}
}

// scan adds the whole lines of the log.
func (r *Run) scan(file io.Reader) error {
	for raw, err := range wholeLines(file, &r.Torn) {
		if err != nil {
			return err
		}
		b, err := readBeginning(raw)
		if _, noTime := errors.AsType[*time.ParseError](err); noTime {
			err = nil // reading the episode reports it
		}
		code := uint32(lineUnknown)
		switch {
		case err != nil || b.Type == "" || b.Episode == "" || len(raw) > math.MaxUint32 || !jsonv1.Valid(raw):
			code = lineBad
		case slices.Contains(eventTypes, b.Type):
			code = lineEvent + lineRoles*r.number(b.Episode) + b.role()
		}
		r.place(code, len(raw))
	}
	return nil
}

// number returns the number of an episode, which may be new.
func (r *Run) number(episode string) uint32 {
	n, known := r.numbers[episode]
	if !known {
		n = len(r.index.Episodes)
		r.numbers[episode] = n
		r.index.Episodes, r.lines = append(r.index.Episodes, episode), append(r.lines, nil)
	}
	return uint32(n) //nolint:gosec // there are fewer episodes than lines
}

// linesOf returns the lines of an episode, or none if it is not in the log.
func (r *Run) linesOf(episode string) []line {
	if n, ok := r.numbers[episode]; ok {
		return r.lines[n]
	}
	return nil
}

// place appends a line with a code.
func (r *Run) place(code uint32, length int) {
	x := &r.index
	at := line{x.Size, length, len(x.Codes) + 1}
	switch code {
	case lineBad:
		r.BadLines = append(r.BadLines, LineError{at.number, errors.New("not an event of a run log")})
	case lineUnknown:
		r.Unknown++
	default:
		n, _ := episodeOf(code)
		r.lines[n] = append(r.lines[n], at)
	}
	x.Size += int64(length)
	x.Codes, x.Sizes = append(x.Codes, code), append(x.Sizes, uint32(length)) //nolint:gosec // scan rejects lines of 4 GiB
}

// DamageError is an episode with missing, duplicated or unreadable events. The part before the damage is valid.
type DamageError struct {
	// Line is the first inconsistent line.
	Line int
	Err  error
	// Calls and After are the number and usage of the model calls from there on.
	Calls int
	After qa.Usage
}

func (e *DamageError) Error() string { return LineError{e.Line, e.Err}.Error() }

// Unwrap returns the cause.
func (e *DamageError) Unwrap() error { return e.Err }

// read rebuilds one episode from its lines. It ignores damaged attempts that were started over.
func (r *Run) read(file io.ReaderAt, id string) (Recorded, error) {
	b := newBuilder(r, id)
	lines := r.linesOf(id)
	number := 0 // of lines read
	for raw, err := range read(file, lines) {
		if err != nil {
			return b.rec, err
		}
		number++
		h, err := readBeginning(raw)
		if err == nil && h.role() == roleStart {
			b = b.again()
		}
		if b.damage == nil {
			if err == nil {
				err = b.add(h.head, raw)
			}
			if err == nil {
				continue
			}
			b.damage = &DamageError{Line: lines[number-1].number, Err: err}
		}
		if m := markOf(raw); m.Type == TypeCall { // after damage, only the usage of calls matters
			b.damage.Calls++
			b.damage.After = b.damage.After.Add(m.Usage)
		}
	}
	switch {
	case b.damage != nil:
		return b.rec, b.damage
	case b.missing != nil:
		return b.rec, fmt.Errorf("%s: %w", id, b.missing)
	}
	return b.rec, nil
}

// read yields some lines of the log, each valid until the next iteration. An error ends it.
func read(file io.ReaderAt, lines []line) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var raw []byte
		for _, at := range lines {
			raw = slices.Grow(raw[:0], at.length)[:at.length]
			_, err := file.ReadAt(raw, at.offset)
			if err != nil {
				err = fmt.Errorf("%s:%d: %w", LogFile, at.number, err)
			}
			if !yield(raw, err) || err != nil {
				return
			}
		}
	}
}
