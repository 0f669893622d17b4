package replies

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"airqa/internal/filelock"
	"airqa/internal/jsonl"
	"airqa/qa"
)

// Names inside the folder of a store.
const (
	File     = "replies.jsonl"
	lockFile = "lock"
)

// ErrInUse is returned for a store that another program uses, when it is to be changed, or is changing.
var ErrInUse = errors.New("another airqa is using this cache; wait for it or stop it")

// Config says how a [Store] writes. Redact sees every byte on its way to the disk; nil changes nothing.
type Config struct {
	Redact func([]byte) []byte
	Now    func() time.Time
}

// Store is an open folder of replies. Its methods may be called by several goroutines, and several programs may have the
// folder open: each sees at its next miss what the others have added.
type Store struct {
	c    Config
	lock *os.File
	file *os.File

	mu     sync.Mutex
	index  map[Key]place
	read   int64 // the index holds what is before
	failed error // the first reply that could not be kept
	hits   int
	asks   int

	flights map[Key]chan struct{} // closed when the request has ended
}

// place is where a line is.
type place struct {
	offset int64
	length int
}

// Open opens the store of a folder, which is made when it is missing. The half-written last line of a program that was
// killed is left out.
func Open(dir string, c Config) (*Store, error) {
	if c.Redact == nil {
		c.Redact = func(b []byte) []byte { return b }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	lock, err := share(dir)
	if err != nil {
		return nil, fmt.Errorf("cache %s: %w", dir, err)
	}
	file, err := os.OpenFile(filepath.Join(dir, File), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open cache: %w", err), lock.Close())
	}
	s := &Store{c: c, lock: lock, file: file, index: make(map[Key]place), flights: make(map[Key]chan struct{})}
	if err := s.refresh(); err != nil {
		return nil, errors.Join(fmt.Errorf("read cache: %w", err), file.Close(), lock.Close())
	}
	return s, nil
}

// share takes the folder's lock beside others.
func share(dir string) (*os.File, error) {
	lock, err := filelock.Share(filepath.Join(dir, lockFile))
	if errors.Is(err, filelock.ErrHeld) {
		return nil, ErrInUse
	}
	return lock, err
}

// Close gives the folder free. Its error tells of the first reply that could not be kept, too.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.failed, s.file.Sync(), s.file.Close(), s.lock.Close())
}

// Counts tells how many requests the store answered, and how many went to a model.
func (s *Store) Counts() (hits, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits, s.asks
}

// find returns the reply to a request.
func (s *Store) find(k Key) (qa.Reply, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.index[k]
	if !ok && s.refresh() == nil {
		at, ok = s.index[k]
	}
	if !ok {
		return qa.Reply{}, false
	}
	line := make([]byte, at.length)
	_, err := s.file.ReadAt(line, at.offset)
	e, bad := decode(line)
	if err != nil || bad != nil || e.Key != k.String() {
		delete(s.index, k)
		return qa.Reply{}, false
	}
	s.hits++
	return e.Reply.hit(), true
}

// keep adds a reply. What cannot be kept is told at the end: the reply itself is good.
func (s *Store) keep(k Key, e entry) {
	e.Key, e.Format, e.Time = k.String(), Format, s.c.Now().UTC()
	line, err := encode(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = s.append(s.c.Redact(line))
	}
	if err != nil && s.failed == nil {
		s.failed = fmt.Errorf("a reply could not be kept in the cache: %w", err)
	}
}

// append writes a line with one call. Behind the half line of a program that was killed it begins a new one.
func (s *Store) append(line []byte) error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if size := info.Size(); size > 0 {
		if _, err := s.file.ReadAt(last, size-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := s.file.Write(line); err != nil {
		return err
	}
	return s.refresh()
}

// refresh adds to the index what was written since it was last called, by whomever. The last entry of a key counts: an
// earlier one may be half of a line.
func (s *Store) refresh() error {
	info, err := s.file.Stat()
	if err != nil || info.Size() <= s.read {
		return err
	}
	fresh := info.Size() - s.read
	return scan(bufio.NewReaderSize(io.NewSectionReader(s.file, s.read, fresh), int(min(fresh, readSize))), func(line []byte) {
		if k, ok := keyIn(line); ok {
			s.index[k] = place{s.read, len(line)}
		}
		s.read += int64(len(line))
	})
}

// readSize is how much of a file is read at a time.
const readSize = 1 << 20

// scan tells each of the whole lines of a file, with its newline.
func scan(r *bufio.Reader, each func(line []byte)) error {
	for line, err := range jsonl.Lines(r) {
		if err != nil {
			return err
		}
		each(line)
	}
	return nil
}
