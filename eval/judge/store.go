package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"unicode/utf8"

	"airqa/internal/jsonl"
	"airqa/qa"
)

// StoreFormat is the number of the form of a store's lines.
const StoreFormat = 1

// maxReply is the most bytes of a reply that are kept with its verdict.
const maxReply = 4000

// record is a line of a store.
type record struct {
	Format int    `json:"format"`
	Key    string `json:"key"`
	Judge  string `json:"judge"`
	Kind   string `json:"kind"`
	Right  bool   `json:"right"`
	// Reply is what the model said, cut at 4,000 bytes: for people, who wonder why.
	Reply string   `json:"reply,omitempty"`
	Asks  int      `json:"asks"`
	Usage qa.Usage `json:"usage"`
}

// Store keeps verdicts by content, for [Cached]: JSON Lines in a file that is only appended to. A line that was not
// finished when a program died costs that verdict and no other. Calls may overlap, also from several processes: they wait
// for each other's questions and read each other's verdicts.
type Store struct {
	// Redact sees every line on its way to the disk, since a judge may repeat keys; nil changes nothing. It is set before use.
	Redact func([]byte) []byte

	mu      sync.Mutex
	path    string   // empty keeps verdicts in memory
	file    *os.File // nil before the first question
	read    int64    // how far the file was read
	torn    bool     // the file ends within a line
	damaged int
	failed  error // the first verdict that could not be written
	known   map[string]bool
	under   map[string]*flight // requests that are being asked
}

// flight is one request that is being asked, and later its end.
type flight struct {
	done    chan struct{}
	verdict Verdict
	err     error
}

// OpenStore reads the store at path, which may be missing; it is made, with its folder, when a judge is asked. An empty path
// keeps verdicts in memory only. A file of another format is refused.
func OpenStore(path string) (*Store, error) {
	s := &Store{path: path, known: make(map[string]bool), under: make(map[string]*flight)}
	if path == "" {
		return s, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open verdicts: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := s.load(file); err != nil {
		return nil, fmt.Errorf("open verdicts %s: %w", filepath.Base(path), err)
	}
	return s, nil
}

func (s *Store) load(file io.Reader) error {
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		s.read += int64(len(line))
		if len(bytes.TrimSpace(line)) > 0 {
			if err := s.take(line); err != nil {
				return err
			}
		}
		if err != nil {
			s.torn = len(line) > 0
			return nil
		}
	}
}

// take takes a line in. Of two verdicts on the same request the first holds.
func (s *Store) take(line []byte) error {
	var r record
	err := jsonl.Strict(line, &r)
	if r.Format > StoreFormat {
		return fmt.Errorf("format %d; this program reads format %d", r.Format, StoreFormat)
	}
	if err != nil || r.Format != StoreFormat || len(r.Key) != keyLen {
		s.damaged++
		return nil
	}
	if _, twice := s.known[r.Key]; !twice {
		s.known[r.Key] = r.Right
	}
	return nil
}

// Len counts the verdicts.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.known)
}

// Damaged counts the lines of the file that could not be read.
func (s *Store) Damaged() int { return s.damaged }

// Close releases the file. Its error is that of the first verdict that could not be written, if there was one.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return s.failed
	}
	return errors.Join(s.failed, s.file.Close())
}

// claim returns what is known of a request, or else the flight that finds out; mine tells the caller who has to fly it.
func (s *Store) claim(key string) (right, known bool, f *flight, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if right, known = s.known[key]; known {
		return right, true, nil, false
	}
	if f = s.under[key]; f != nil {
		return false, false, f, false
	}
	f = &flight{done: make(chan struct{}), err: errors.New("the judge broke down")}
	s.under[key] = f
	return false, false, f, true
}

// land ends a flight, and keeps its verdict when it has one that is new.
func (s *Store) land(f *flight, r record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(f.done)
	delete(s.under, r.Key)
	if _, known := s.known[r.Key]; f.err != nil || known {
		return
	}
	s.known[r.Key] = r.Right
	if s.path == "" {
		return
	}
	if err := s.append(r); err != nil && s.failed == nil {
		s.failed = fmt.Errorf("keep a verdict: %w", err)
	}
}

// append writes a line at once, so that several processes may.
func (s *Store) append(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if s.Redact != nil {
		line = s.Redact(line)
	}
	if err := s.open(); err != nil {
		return err
	}
	if s.torn {
		line = append([]byte("\n"), line...)
	}
	_, err = s.file.Write(append(line, '\n'))
	s.torn = err != nil
	return err
}

// open makes the file ready for writing.
func (s *Store) open() (err error) {
	if s.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	s.file, err = os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	return err
}

// cut shortens a reply to what is kept of it.
func cut(reply string) string {
	if len(reply) <= maxReply {
		return reply
	}
	end := maxReply
	for end > 0 && !utf8.RuneStart(reply[end]) {
		end--
	}
	return reply[:end]
}
