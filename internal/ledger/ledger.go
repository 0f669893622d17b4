// Package ledger keeps append-only files of JSON Lines that are looked up by key. Start from [Open]. The format of the
// lines belongs to the caller; the package finds them, appends them, and recovers from a line that was cut by a crash.
package ledger

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"airqa/internal/concurrent"
	"airqa/internal/files"
)

var (
	// ErrInUse is returned by [Open] when another process has an exclusive ledger open.
	ErrInUse = errors.New("in use by another process")
	// ErrDamaged is returned by an Entry function for a line to skip.
	ErrDamaged = errors.New("damaged line")
)

// CheckFormat refuses a file, or a line of one, of a format that the program does not know. again says how to make a new one;
// the caller names the file.
func CheckFormat(have, known int, again string) error {
	if have == known {
		return nil
	}
	return fmt.Errorf("format %d; this program reads format %d: %s", have, known, again)
}

// Span is the position of a line in the file, newline included.
type Span struct {
	Offset int64
	Length int
}

// Config describes the lines of a ledger.
type Config[K comparable, V any] struct {
	// Entry returns the key of a line and the value to keep in memory. An error other than [ErrDamaged] ends [Open].
	// The line is the caller's to keep.
	Entry func(line []byte, at Span) (K, V, error)
	// Redact filters each string of a line before it is written; nil changes nothing.
	Redact func([]byte) []byte
	// Exclusive gives the file to one process: Open locks it and cuts off an unfinished last line, and each line is
	// synced. Otherwise several processes may append, and an unfinished line stays in the file.
	Exclusive bool
	// KeepFirst makes the first line of a key count; by default it is the last.
	KeepFirst bool
}

// Ledger is an open file. Calls may overlap.
type Ledger[K comparable, V any] struct {
	c    Config[K, V]
	path string
	lock io.Closer // nil when shared

	mu       sync.Mutex
	file     *os.File // nil while a shared file is missing
	writable bool
	index    map[K]V
	read     int64 // the index covers the file up to here
	lines    int
	tail     []byte
	damaged  int
	failed   error // the first failure of Put
}

// Open reads the ledger at path. An exclusive one is created when missing, with its folders; a shared one by its first line or
// [Ledger.Create]. An empty path keeps entries in memory only.
func Open[K comparable, V any](path string, c Config[K, V]) (*Ledger[K, V], error) {
	l := &Ledger[K, V]{c: c, path: path, index: make(map[K]V)}
	if path == "" {
		return l, nil
	}
	err := l.open()
	if errors.Is(err, fs.ErrNotExist) && !c.Exclusive {
		return l, nil
	}
	if err == nil {
		err = l.load()
	}
	if err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

func (l *Ledger[K, V]) open() (err error) {
	if !l.c.Exclusive {
		l.file, err = os.Open(l.path)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return err
	}
	if l.lock, err = files.Lock(l.path); err != nil {
		l.lock = nil
		if errors.Is(err, files.ErrLocked) {
			err = ErrInUse
		}
		return err
	}
	l.writable = true
	l.file, err = os.OpenFile(l.path, os.O_RDWR, 0o644)
	return err
}

// load fills the index and deals with an unfinished last line.
func (l *Ledger[K, V]) load() (err error) {
	if l.damaged, err = l.refresh(); err != nil {
		return err
	}
	if l.tail, err = io.ReadAll(io.NewSectionReader(l.file, l.read, 1<<62)); err != nil || len(l.tail) == 0 {
		return err
	}
	if l.c.Exclusive {
		return l.file.Truncate(l.read)
	}
	// The line may only lack its newline. It is read again once another process has terminated it.
	err = l.take(l.tail)
	if errors.Is(err, ErrDamaged) {
		l.damaged++
		return nil
	}
	return err
}

// refresh adds the lines written since the last call to the index, by any process.
func (l *Ledger[K, V]) refresh() (damaged int, err error) {
	info, err := l.file.Stat()
	if err != nil || info.Size() <= l.read {
		return 0, err
	}
	fresh := info.Size() - l.read
	in := bufio.NewReaderSize(io.NewSectionReader(l.file, l.read, fresh), int(min(fresh, 1<<20)))
	for line, err := range Lines(in) {
		if err == nil {
			err = l.take(line)
		}
		if errors.Is(err, ErrDamaged) {
			damaged, err = damaged+1, nil
		}
		if err != nil {
			return damaged, fmt.Errorf("line %d: %w", l.lines+1, err)
		}
		l.read += int64(len(line))
		l.lines++
	}
	return damaged, nil
}

// take adds the line at the end of what was read to the index.
func (l *Ledger[K, V]) take(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	key, value, err := l.c.Entry(line, Span{l.read, len(line)})
	if err != nil {
		return err
	}
	if _, known := l.index[key]; !known || !l.c.KeepFirst {
		l.index[key] = value
	}
	return nil
}

// Get returns the value of a key. On a miss it looks for lines that other processes have added.
func (l *Ledger[K, V]) Get(key K) (V, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	value, ok := l.index[key]
	if !ok && l.file != nil && !l.c.Exclusive {
		_, _ = l.refresh() // an unreadable file is a miss
		value, ok = l.index[key]
	}
	return value, ok
}

// Set changes the value of a key in memory only.
func (l *Ledger[K, V]) Set(key K, value V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.index[key] = value
}

// Forget removes a key from memory, until another line has it.
func (l *Ledger[K, V]) Forget(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.index, key)
}

// Len returns the number of keys.
func (l *Ledger[K, V]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.index)
}

// Damaged returns the number of lines that Open skipped.
func (l *Ledger[K, V]) Damaged() int { return l.damaged }

// Tail returns the unfinished last line that Open found, empty if there was none.
func (l *Ledger[K, V]) Tail() []byte { return l.tail }

// Line returns the bytes at a position.
func (l *Ledger[K, V]) Line(at Span) ([]byte, error) {
	line := make([]byte, at.Length)
	_, err := l.file.ReadAt(line, at.Offset)
	return line, err
}

// Create makes a shared file, with its folders, unless it exists.
func (l *Ledger[K, V]) Create() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.create()
}

func (l *Ledger[K, V]) create() error {
	if l.writable || l.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	if l.file != nil {
		_ = l.file.Close() // it was open for reading
	}
	l.file, l.writable = file, true
	return nil
}

// Add appends a line, with or without its newline. The line of an exclusive ledger is on the disk when Add returns.
func (l *Ledger[K, V]) Add(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		return nil
	}
	if err := l.create(); err != nil {
		return err
	}
	if l.c.Redact != nil {
		line = RedactStrings(line, l.c.Redact)
	}
	line = append(bytes.TrimSuffix(line, []byte{'\n'}), '\n')
	err := l.append(line)
	if err == nil {
		_, err = l.refresh()
	}
	return err
}

// Put is Add for lines that may be lost, and for what an encoder returns: the first failure, or the first err, is
// returned by Close.
func (l *Ledger[K, V]) Put(line []byte, err error) {
	if err == nil {
		err = l.Add(line)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = err
	}
}

// append writes a line with one call, so that the lines of several processes do not mix.
func (l *Ledger[K, V]) append(line []byte) error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if l.c.Exclusive {
		if size > l.read { // a write failed halfway
			err = l.file.Truncate(l.read)
		}
		if err == nil {
			_, err = l.file.WriteAt(line, l.read)
		}
		if err == nil {
			err = l.file.Sync()
		}
		return err
	}
	last := []byte{'\n'}
	if size > 0 {
		if _, err := l.file.ReadAt(last, size-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' { // a killed process left part of a line
		line = append([]byte{'\n'}, line...)
	}
	_, err = l.file.Write(line)
	return err
}

// Close syncs and closes the file and releases its lock. It also returns the first failure of Put.
func (l *Ledger[K, V]) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.failed
	if l.file != nil && l.writable {
		err = errors.Join(err, l.file.Sync())
	}
	return errors.Join(err, l.release())
}

func (l *Ledger[K, V]) release() (err error) {
	if l.file != nil {
		err = l.file.Close()
	}
	if l.lock != nil {
		err = errors.Join(err, l.lock.Close())
	}
	return err
}

// pollEvery is the interval at which Reserve retries the lock.
const pollEvery = 50 * time.Millisecond

// Reserve keeps other processes from doing the same work: it locks one byte of the file, whose offset represents the
// work, and waits while another process has the lock. The file may be shorter. A file that cannot be locked reserves
// nothing. release is never nil; the error is the context's.
func (l *Ledger[K, V]) Reserve(ctx context.Context, offset int64) (release func(), err error) {
	l.mu.Lock()
	shared := l.path != "" && l.create() == nil // Add reports the error
	file := l.file
	l.mu.Unlock()
	if !shared {
		return func() {}, nil
	}
	for {
		if err := files.LockByte(file, offset); !errors.Is(err, files.ErrLocked) {
			return func() { _ = files.UnlockByte(file, offset) }, nil
		}
		if err := concurrent.Sleep(ctx, pollEvery); err != nil {
			return func() {}, err
		}
	}
}
