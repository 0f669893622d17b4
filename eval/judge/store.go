package judge

import (
	"fmt"
	"path/filepath"

	"airqa/internal/concurrent"
	"airqa/internal/ledger"
)

// StoreFormat is the format number of a store's lines.
const StoreFormat = 1

// maxReply is the maximum number of bytes kept of a reply.
const maxReply = 4000

// record is a line of a store.
type record struct {
	Format int    `json:"format"`
	Key    string `json:"key"`
	Judge  string `json:"judge"`
	Kind   string `json:"kind"`
	// Verdict has the model's reply, cut at 4,000 bytes, for manual inspection.
	Verdict
}

// Store keeps the verdicts of [Cached] by content in an append-only JSON Lines file. A line torn by a crash loses only
// that verdict. Calls may overlap, also across processes: they wait for each other's requests and read each other's
// verdicts.
type Store struct {
	verdicts *ledger.Ledger[string, bool]
	flights  concurrent.Flights[Verdict]
}

// OpenStore reads the store at path. A missing file and its folder are created when a judge is first asked. An empty
// path keeps verdicts in memory only. A file of a later format is an error. redact, which may be nil, filters every
// line written, because a judge may repeat keys.
func OpenStore(path string, redact func([]byte) []byte) (*Store, error) {
	verdicts, err := ledger.Open(path, ledger.Config[string, bool]{Entry: readRecord, Redact: redact, KeepFirst: true})
	if err != nil {
		return nil, fmt.Errorf("open verdicts %s: %w", filepath.Base(path), err)
	}
	return &Store{verdicts: verdicts}, nil
}

func readRecord(line []byte, _ ledger.Span) (key string, right bool, err error) {
	var r record
	err = ledger.Strict(line, &r)
	if r.Format > StoreFormat {
		return "", false, ledger.CheckFormat(r.Format, StoreFormat, "move it away, and airqa score makes it again")
	}
	if err != nil || r.Format != StoreFormat || len(r.Key) != keyLen {
		return "", false, ledger.ErrDamaged
	}
	return r.Key, r.Right, nil
}

// Damaged returns the number of unreadable lines.
func (s *Store) Damaged() int { return s.verdicts.Damaged() }

// Close releases the file and returns the first write error.
func (s *Store) Close() error {
	if err := s.verdicts.Close(); err != nil {
		return fmt.Errorf("keep a verdict: %w", err)
	}
	return nil
}
