package otlp

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"airqa/internal/ledger"
)

// Dir is the folder of a run directory with the ledgers: what each endpoint has acknowledged.
const Dir = "otlp"

// acks are the spans that an endpoint has acknowledged, by [Key].
type acks struct {
	*ledger.Ledger[int64, struct{}]
	keys map[string]bool
}

// receipt is a line of a ledger: the spans of one request.
type receipt struct {
	Spans []string `json:"spans"`
}

// openAcks opens the ledger of an endpoint. Another process that sends the same run to the same endpoint is an error.
func openAcks(run, target string) (*acks, error) {
	dir := filepath.Join(run, Dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("keep the list of sent spans: %w", err)
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder; links are not followed inside a run directory", dir)
	}
	a := &acks{keys: make(map[string]bool)}
	name := filepath.Join(dir, hex.EncodeToString(digest("endpoint", target)[:8])+".jsonl")
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; links are not followed inside a run directory", name)
	}
	var err error
	a.Ledger, err = ledger.Open(name, ledger.Config[int64, struct{}]{Exclusive: true, Entry: a.entry})
	if errors.Is(err, ledger.ErrInUse) {
		return nil, fmt.Errorf("%s: another airqa is sending this run to the same endpoint", run)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return a, nil
}

func (a *acks) entry(line []byte, at ledger.Span) (int64, struct{}, error) {
	var r receipt
	if json.Unmarshal(line, &r) != nil {
		return 0, struct{}{}, ledger.ErrDamaged
	}
	for _, k := range r.Spans {
		a.keys[k] = true
	}
	return at.Offset, struct{}{}, nil
}

func (a *acks) has(key string) bool { return a.keys[key] }

// add appends a receipt and returns when it is on disk.
func (a *acks) add(keys []string) error {
	line, err := ledger.Encode(receipt{keys})
	if err != nil {
		return err
	}
	if err := a.Add(line); err != nil {
		return fmt.Errorf("keep the list of sent spans: %w", err)
	}
	for _, k := range keys {
		a.keys[k] = true
	}
	return nil
}
