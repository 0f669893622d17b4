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

// JournalName is the name of the journal in a data directory.
const JournalName = "enrich.jsonl"

const journalFormat = 1

// Entry is a line of a journal: a reply that was paid for.
type Entry struct {
	Format int `json:"format"`
	// Key is the SHA-256 of model and prompt in lower-case hex.
	Key     string `json:"key"`
	PaperID string `json:"paper_id"`
	Column  string `json:"column"`
	// Row is the primary key of the row with the cell.
	Row   string    `json:"row"`
	Model string    `json:"model"`
	Text  string    `json:"text"`
	Usage qa.Usage  `json:"usage"`
	At    time.Time `json:"at"`
}

// Journal stores the replies of models on disk; only their offsets are in memory. It is safe for concurrent use; only
// one process at a time can open a journal.
type Journal struct {
	replies *ledger.Ledger[string, ledger.Span]
}

// OpenJournal opens the journal at path and creates it if it is missing. redact is applied to every line before it is
// written and must keep JSON valid; nil means no change.
func OpenJournal(path string, redact func([]byte) []byte) (*Journal, error) {
	entry := func(line []byte, at ledger.Span) (string, ledger.Span, error) {
		e, err := parseEntry(line)
		return e.Key, at, err
	}
	replies, err := ledger.Open(path, ledger.Config[string, ledger.Span]{Entry: entry, Redact: redact, Exclusive: true})
	if errors.Is(err, ledger.ErrInUse) {
		return nil, fmt.Errorf("open %s: another airqa enrich is using it; wait until it is done", filepath.Base(path))
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", filepath.Base(path), err)
	}
	return &Journal{replies}, nil
}

// Close closes the journal.
func (j *Journal) Close() error { return j.replies.Close() }

func parseEntry(line []byte) (Entry, error) {
	var e Entry
	if err := ledger.Strict(line, &e); err != nil {
		return e, fmt.Errorf("%w; remove the line to request its cell again", err)
	}
	return e, ledger.CheckFormat(e.Format, journalFormat, "move it away, and airqa enrich makes it again")
}

// Has reports whether the journal has a reply for key.
func (j *Journal) Has(key string) bool {
	_, ok := j.replies.Get(key)
	return ok
}

// Reply returns the last reply for a key; false if there is none.
func (j *Journal) Reply(key string) (string, bool, error) {
	at, ok := j.replies.Get(key)
	if !ok {
		return "", false, nil
	}
	var e Entry
	line, err := j.replies.Line(at)
	if err == nil {
		e, err = parseEntry(line)
	}
	if err != nil {
		return "", false, fmt.Errorf("read journal: %w", err)
	}
	return e.Text, true, nil
}

// Add writes a reply to disk before it returns. It sets the entry's format.
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
