package enrich

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"airqa/internal/filelock"
	"airqa/internal/jsonl"
	"airqa/qa"
)

// JournalName is the journal's name in a data directory.
const JournalName = "enrich.jsonl"

const journalFormat = 1

// Entry is a line of a journal: a reply that was paid for.
type Entry struct {
	Format int `json:"format"`
	// Key is the SHA-256 of model and prompt in lower-case hex.
	Key     string `json:"key"`
	PaperID string `json:"paper_id"`
	Column  string `json:"column"`
	// Row is the primary key of the row whose cell was asked for.
	Row   string    `json:"row"`
	Model string    `json:"model"`
	Text  string    `json:"text"`
	Usage qa.Usage  `json:"usage"`
	At    time.Time `json:"at"`
}

// Journal keeps the replies of models on disk. Texts stay there: in memory is where each stands. Its methods may be called
// from several goroutines; one process at a time has a journal open.
type Journal struct {
	redact func([]byte) []byte
	// Torn counts the bytes of a half-written last line that was cut off.
	Torn int64

	mu    sync.Mutex
	file  *os.File
	end   int64
	lines map[string]span
}

// span is where a line stands in the file.
type span struct{ offset, length int64 }

// OpenJournal opens the journal at path, which is made when it is missing. redact sees every line on its way to the disk, and
// leaves JSON JSON; nil changes nothing.
func OpenJournal(path string, redact func([]byte) []byte) (*Journal, error) {
	f, err := filelock.Take(path)
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("open %s: another airqa enrich is at work there; wait until it is done", filepath.Base(path))
	}
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	if redact == nil {
		redact = func(b []byte) []byte { return b }
	}
	j := &Journal{file: f, redact: redact, lines: map[string]span{}}
	if err := j.scan(); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", filepath.Base(path), err), f.Close())
	}
	return j, nil
}

// Close closes the journal.
func (j *Journal) Close() error { return j.file.Close() }

func (j *Journal) scan() error {
	n := 0
	for line, err := range jsonl.Lines(bufio.NewReaderSize(j.file, 1<<20)) {
		if err != nil {
			return err
		}
		n++
		e, err := parseEntry(line)
		if err != nil {
			return fmt.Errorf("line %d: %w; remove the line, and its cell is asked for again", n, err)
		}
		j.lines[e.Key] = span{j.end, int64(len(line))}
		j.end += int64(len(line))
	}
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	if j.Torn = info.Size() - j.end; j.Torn == 0 {
		return nil
	}
	return j.file.Truncate(j.end)
}

func parseEntry(line []byte) (Entry, error) {
	var e Entry
	if err := jsonl.Strict(line, &e); err != nil {
		return e, err
	}
	if e.Format != journalFormat {
		return e, fmt.Errorf("format %d; this program reads %d", e.Format, journalFormat)
	}
	return e, nil
}

// Has tells whether a reply is there.
func (j *Journal) Has(key string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.lines[key]
	return ok
}

// Reply returns the reply of a key, the last one if there are several; false when there is none.
func (j *Journal) Reply(key string) (string, bool, error) {
	j.mu.Lock()
	at, ok := j.lines[key]
	j.mu.Unlock()
	if !ok {
		return "", false, nil
	}
	line := make([]byte, at.length)
	if _, err := j.file.ReadAt(line, at.offset); err != nil {
		return "", false, fmt.Errorf("read journal: %w", err)
	}
	e, err := parseEntry(line)
	if err != nil {
		return "", false, fmt.Errorf("read journal: %w", err)
	}
	return e.Text, true, nil
}

// Add writes a reply and returns when it is on the disk. It sets the entry's format.
func (j *Journal) Add(e Entry) error {
	e.Format = journalFormat
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	line = append(j.redact(line), '\n')
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.WriteAt(line, j.end); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	j.lines[e.Key] = span{j.end, int64(len(line))}
	j.end += int64(len(line))
	return nil
}
