package enrich

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"airqa/internal/ledger"
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

// Journal keeps the replies of models on disk; only their positions are in memory. Its methods may be called from several
// goroutines; one process at a time has a journal open.
type Journal struct {
	replies *ledger.Ledger[string, ledger.Span]
}

// OpenJournal opens the journal at path, which is made when it is missing. redact sees every line on its way to the disk, and
// leaves JSON JSON; nil changes nothing.
func OpenJournal(path string, redact func([]byte) []byte) (*Journal, error) {
	replies, err := ledger.Open(path, ledger.Config[string, ledger.Span]{Entry: readEntry, Redact: redact, Exclusive: true})
	if errors.Is(err, ledger.ErrInUse) {
		return nil, fmt.Errorf("open %s: another airqa enrich is at work there; wait until it is done", filepath.Base(path))
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", filepath.Base(path), err)
	}
	return &Journal{replies}, nil
}

// Close closes the journal.
func (j *Journal) Close() error { return j.replies.Close() }

// Torn returns the length in bytes of an unfinished last line that was cut off.
func (j *Journal) Torn() int64 { return int64(len(j.replies.Tail())) }

func readEntry(line []byte, at ledger.Span) (string, ledger.Span, error) {
	e, err := parseEntry(line)
	if err != nil {
		err = fmt.Errorf("%w; remove the line, and its cell is asked for again", err)
	}
	return e.Key, at, err
}

func parseEntry(line []byte) (Entry, error) {
	var e Entry
	if err := ledger.Strict(line, &e); err != nil {
		return e, err
	}
	if e.Format != journalFormat {
		return e, fmt.Errorf("format %d; this program reads %d", e.Format, journalFormat)
	}
	return e, nil
}

// Has reports whether the journal has a reply.
func (j *Journal) Has(key string) bool {
	_, ok := j.replies.Get(key)
	return ok
}

// Reply returns the reply of a key, the last one if there are several; false when there is none.
func (j *Journal) Reply(key string) (string, bool, error) {
	at, ok := j.replies.Get(key)
	if !ok {
		return "", false, nil
	}
	line, err := j.replies.Line(at)
	if err != nil {
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
	if err == nil {
		err = j.replies.Add(line)
	}
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}
