package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"airqa/internal/filelock"
)

// Names inside a run directory.
const (
	RunFile       = "run.json"
	LogFile       = "log.jsonl"
	QuestionsFile = "questions.jsonl"
	lockFile      = "lock"
	textsDir      = "texts"
	imagesDir     = "images"
	scoresDir     = "scores"
)

// syncEvery is how old unsynced lines may get before a write syncs them. A killed program loses nothing even
// without; a machine that loses power loses at most this much.
const syncEvery = time.Second

// Writer appends events to the log of one run directory. One Writer holds the directory at a time. Its methods
// may be called by several goroutines at once.
type Writer struct {
	dir    string
	redact func([]byte) []byte
	now    func() time.Time
	lock   *os.File
	blobs  blobs

	mu   sync.Mutex // guards file, size, synced time
	file *os.File
	size int64
	last time.Time

	syncMu sync.Mutex // one fdatasync at a time; those who waited share it
	synced int64

	// Torn is the number of bytes of a half-written last line that opening cut off.
	Torn int64
}

// ErrLocked is returned when another program is writing to the run directory.
var ErrLocked = errors.New("another airqa is writing here; wait for it or stop it")

// WriterConfig says how a [Writer] writes. Redact sees every byte on its way to the disk; nil changes nothing.
type WriterConfig struct {
	Redact func([]byte) []byte
	Now    func() time.Time
}

// OpenWriter opens the log of a run directory for appending, takes the directory's lock, and cuts off a torn last
// line. The directory must have been made by [Create].
func OpenWriter(dir string, c WriterConfig) (*Writer, error) {
	if c.Redact == nil {
		c.Redact = func(b []byte) []byte { return b }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	lock, err := filelock.Take(filepath.Join(dir, lockFile))
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("run directory %s: %w", dir, ErrLocked)
	}
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	file, torn, err := openLog(filepath.Join(dir, LogFile))
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("seek log: %w", err), file.Close(), lock.Close())
	}
	w := &Writer{dir: dir, redact: c.Redact, now: c.Now, lock: lock, file: file, size: size, synced: size, Torn: torn}
	w.blobs = blobs{dir: dir, redact: c.Redact, known: make(map[string]bool)}
	return w, nil
}

// Close syncs the log and gives the directory free.
func (w *Writer) Close() error {
	return errors.Join(w.Sync(), w.file.Close(), w.lock.Close())
}

// Sync returns when every line written before the call is on the disk. Callers that wait at the same time share
// one fdatasync.
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
	if err := syncData(w.file); err != nil {
		return fmt.Errorf("sync log: %w", err)
	}
	w.synced = upTo
	return nil
}

// append writes one event as one line with one write call.
func (w *Writer) append(event any) error {
	line, err := encode(event)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	line = w.redact(line)
	w.mu.Lock()
	n, err := w.file.Write(line)
	if err == nil {
		w.size += int64(n)
	} else if n > 0 {
		// A full disk: take the half line back, or the next event would be glued to it.
		err = errors.Join(err, w.file.Truncate(w.size))
	}
	due := w.now().Sub(w.last) > syncEvery
	w.mu.Unlock()
	if err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	if due {
		return w.Sync()
	}
	return nil
}

// encode returns event as one line of JSON. HTML characters stay as they are: the log is no web page.
func encode(event any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(event); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// openLog opens the log for appending and cuts it after its last whole line.
func openLog(path string) (*os.File, int64, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, 0, fmt.Errorf("open log: %w", err)
	}
	whole, size, err := lastLineEnd(file)
	if err == nil && whole < size {
		err = file.Truncate(whole)
	}
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("read the end of %s: %w", path, err), file.Close())
	}
	return file, size - whole, nil
}

// lastLineEnd returns the offset after the last newline, and the size of the file.
func lastLineEnd(file *os.File) (whole, size int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, 0, err
	}
	size = info.Size()
	buf := make([]byte, 64<<10)
	for end := size; end > 0; {
		begin := max(0, end-int64(len(buf)))
		n, err := file.ReadAt(buf[:end-begin], begin)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return begin + int64(i) + 1, size, nil
		}
		end = begin
	}
	return 0, size, nil
}
