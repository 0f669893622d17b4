package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"airqa/internal/files"
	"airqa/internal/ledger"
)

// Names inside a run directory.
const (
	RunFile       = "run.json"
	LogFile       = "log.jsonl"
	VerdictsFile  = "verdicts.jsonl" // of a judge, on answers
	QuestionsFile = "questions.jsonl"
	lockFile      = "lock"
	textsDir      = "texts"
	imagesDir     = "images"
	scoresDir     = "scores"
)

// syncEvery is the maximum age of unsynced lines before a write syncs them. A killed process loses nothing; a power
// failure loses at most this much.
const syncEvery = time.Second

// Writer appends events to the log of one run directory, which it locks. It is safe for concurrent use.
type Writer struct {
	dir    string
	redact func([]byte) []byte
	now    func() time.Time
	lock   io.Closer
	blobs  blobs

	fault func(name string, n int) (int, error)

	mu   sync.Mutex // guards file, size, half, last
	file *os.File
	size int64 // of the complete lines
	half bool  // an incomplete line may follow them
	last time.Time

	syncMu sync.Mutex // one fdatasync at a time; waiting callers share it
	synced int64

	// Torn is the number of bytes of an incomplete last line removed on opening.
	Torn int64
}

// ErrLocked is returned if another process is writing to the run directory.
var ErrLocked = errors.New("another airqa is writing here; wait for it or stop it")

// WriterConfig configures a [Writer]. Redact, which may be nil, filters everything written.
type WriterConfig struct {
	Redact func([]byte) []byte
	Now    func() time.Time
	// Fault makes writes fail, for tests. It is called before n bytes are written to a file, and before the log is
	// synced or truncated ("sync", "truncate"). With an error, only as many bytes are written as it returns. It may be
	// nil.
	Fault func(name string, n int) (int, error)
}

// OpenWriter opens the log of a run directory for appending, locks the directory, and removes an incomplete last line.
// The directory must have been made by [Create].
func OpenWriter(dir string, c WriterConfig) (*Writer, error) {
	if c.Redact == nil {
		c.Redact = func(b []byte) []byte { return b }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Fault == nil {
		c.Fault = func(_ string, n int) (int, error) { return n, nil }
	}
	lock, err := files.Lock(filepath.Join(dir, lockFile))
	if errors.Is(err, files.ErrLocked) {
		return nil, fmt.Errorf("run directory %s: %w", dir, ErrLocked)
	}
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	w := &Writer{dir: dir, redact: c.Redact, now: c.Now, fault: c.Fault, lock: lock}
	if err := w.openLog(filepath.Join(dir, LogFile)); err != nil {
		_ = lock.Close()
		return nil, err
	}
	w.blobs = blobs{dir: dir, redact: c.Redact, fault: c.Fault, known: make(map[string]bool)}
	return w, nil
}

// Close syncs the log and releases the lock.
func (w *Writer) Close() error {
	return errors.Join(w.Sync(), w.file.Close(), w.lock.Close())
}

// Sync returns when every line written before the call is on disk. Concurrent callers share one fdatasync.
func (w *Writer) Sync() error {
	w.mu.Lock()
	want := w.size
	w.mu.Unlock()
	w.syncMu.Lock()
	defer w.syncMu.Unlock()
	if w.synced >= want {
		return nil
	}
	w.mu.Lock()
	upTo := w.size
	w.last = w.now()
	w.mu.Unlock()
	_, err := w.fault("sync", 0)
	if err == nil {
		err = syncData(w.file)
	}
	if err != nil {
		return fmt.Errorf("sync log: %w", err)
	}
	w.synced = upTo
	return nil
}

// append writes one event as one line in one write call. It reports whether the line is in the log: a later sync may
// still fail.
func (w *Writer) append(event any) (written bool, err error) {
	line, err := w.encode(event)
	if err != nil {
		return false, fmt.Errorf("encode event: %w", err)
	}
	w.mu.Lock()
	err = w.writeLine(line)
	due := w.now().Sub(w.last) > syncEvery
	w.mu.Unlock()
	if err != nil {
		return false, fmt.Errorf("write log: %w", err)
	}
	if due {
		return true, w.Sync()
	}
	return true, nil
}

// writeLine writes a complete line, or removes a partial one, so that the next line starts cleanly.
func (w *Writer) writeLine(line []byte) error {
	if w.half {
		if err := w.cut(); err != nil {
			return err
		}
	}
	n, failed := w.fault(LogFile, len(line))
	_, err := w.file.Write(line[:n])
	if err = errors.Join(failed, err); err != nil {
		return errors.Join(err, w.cut())
	}
	w.size += int64(n)
	return nil
}

// cut removes anything after the last complete line.
func (w *Writer) cut() error {
	_, err := w.fault("truncate", 0)
	if err == nil {
		err = w.file.Truncate(w.size)
	}
	w.half = err != nil
	return err
}

// encode returns event as one redacted line of JSON.
func (w *Writer) encode(event any) ([]byte, error) {
	raw, err := ledger.Encode(event)
	return ledger.RedactStrings(raw, w.redact), err
}

// Redact filters a text like everything written to the log. Texts are to be redacted before places in them are taken.
func (w *Writer) Redact(text []byte) []byte { return w.redact(text) }

// openLog opens the log for appending and truncates it after its last complete line.
func (w *Writer) openLog(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	size, err := file.Seek(0, io.SeekEnd)
	whole := size
	if err == nil {
		whole, err = lastLineEnd(file, size)
	}
	if err == nil && whole < size {
		err = file.Truncate(whole)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("read the end of %s: %w", path, err), file.Close())
	}
	w.file, w.size, w.synced, w.Torn = file, whole, whole, size-whole
	return nil
}

// lastLineEnd returns the offset after the last newline of a file of the given size.
func lastLineEnd(file io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for end := size; end > 0; {
		begin := max(0, end-int64(len(buf)))
		n, err := file.ReadAt(buf[:end-begin], begin)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return begin + int64(i) + 1, nil
		}
		end = begin
	}
	return 0, nil
}
