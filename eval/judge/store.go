package judge

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"airqa/internal/ledger"
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
// for each other's requests and read each other's verdicts.
type Store struct {
	verdicts *ledger.Ledger[string, bool]
	flights  ledger.Flights[Verdict]
}

// OpenStore reads the store at path, which may be missing; it is made, with its folder, when a judge is asked. An empty path
// keeps verdicts in memory only. A file of a later format is refused. redact sees every line on its way to the disk, since
// a judge may repeat keys; nil changes nothing.
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
		return "", false, fmt.Errorf("format %d; this program reads format %d", r.Format, StoreFormat)
	}
	if err != nil || r.Format != StoreFormat || len(r.Key) != keyLen {
		return "", false, ledger.ErrDamaged
	}
	return r.Key, r.Right, nil
}

// Len counts the verdicts.
func (s *Store) Len() int { return s.verdicts.Len() }

// Damaged counts the lines of the file that could not be read.
func (s *Store) Damaged() int { return s.verdicts.Damaged() }

// Close releases the file. Its error is that of the first verdict that could not be written, if there was one.
func (s *Store) Close() error {
	if err := s.verdicts.Close(); err != nil {
		return fmt.Errorf("keep a verdict: %w", err)
	}
	return nil
}

// keep remembers a verdict, also when it cannot be written.
func (s *Store) keep(r record) {
	s.verdicts.Set(r.Key, r.Right)
	s.verdicts.Put(json.Marshal(r))
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
