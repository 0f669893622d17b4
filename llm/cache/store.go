package cache

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
)

// File names in the folder of a store.
const (
	File     = "replies.jsonl"
	lockFile = "lock"
)

// ErrInUse is returned if another process uses the store exclusively, or if exclusive use is requested of a store in
// use.
var ErrInUse = errors.New("another airqa is using this cache; wait for it or stop it")

// Config configures a [Store]. Redact, which may be nil, filters every line written.
type Config struct {
	Redact func([]byte) []byte
	Now    func() time.Time
}

// Store is an open folder of replies. Its methods may be called concurrently, and several processes may have the folder
// open: on a miss, each also looks for entries added by the others.
type Store struct {
	now     func() time.Time
	lock    io.Closer
	replies *ledger.Ledger[Key, ledger.Span]
	flights ledger.Flights[qa.Reply]
	hits    atomic.Int64
	asked   atomic.Int64
}

// Open opens the store in a folder and creates it if necessary. It skips an unfinished last line.
func Open(dir string, c Config) (*Store, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	lock, err := files.LockShared(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, fmt.Errorf("cache %s: %w", dir, inUse(err))
	}
	s := &Store{now: c.Now, lock: lock}
	s.replies, err = ledger.Open(filepath.Join(dir, File), ledger.Config[Key, ledger.Span]{Entry: place, Redact: c.Redact})
	if err == nil {
		err = s.replies.Create()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open cache: %w", err), lock.Close())
	}
	return s, nil
}

func inUse(err error) error {
	if errors.Is(err, files.ErrLocked) {
		return ErrInUse
	}
	return err
}

// Close releases the lock and reports the first failed write.
func (s *Store) Close() error {
	err := s.replies.Close()
	if err != nil {
		err = fmt.Errorf("a reply could not be kept in the cache: %w", err)
	}
	return errors.Join(err, s.lock.Close())
}

// Counts returns the numbers of cache hits and of requests to a model.
func (s *Store) Counts() (hits, asked int) { return int(s.hits.Load()), int(s.asked.Load()) }

// Has reports whether the store has a reply to a request. It is not a hit, and the reply may prove unreadable.
func (s *Store) Has(k Key) bool {
	_, ok := s.replies.Get(k)
	return ok
}

// Reply returns a stored reply by its key.
func (s *Store) Reply(k Key) (qa.Reply, bool) { return s.find(k) }

// find returns the reply to a request. An unreadable line is a miss.
func (s *Store) find(k Key) (qa.Reply, bool) {
	at, ok := s.replies.Get(k)
	if !ok {
		return qa.Reply{}, false
	}
	line, err := s.replies.Line(at)
	e, bad := decode(line)
	if err != nil || bad != nil || e.Key != k.String() {
		s.replies.Forget(k)
		return qa.Reply{}, false
	}
	s.hits.Add(1)
	return e.Reply.hit(), true
}

// keep adds a reply. Close reports write errors, because the reply itself is good.
func (s *Store) keep(k Key, e entry) {
	e.Key, e.Format, e.Time = k.String(), Format, s.now().UTC()
	s.replies.Put(ledger.Encode(e))
}
