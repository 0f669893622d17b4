// Package syndir is the directory of a synthesis on disk, SYN: the settings in synth.json, the ledger with one line per
// candidate and stage, and the accepted questions. Start from [Create], [OpenLedger] and [WriteQuestions]. The replies of
// models are in the folder [Replies], which package llm/cache manages. docs/formats/synth.md describes the files.
package syndir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"airqa/extractor/candidate"
	"airqa/internal/atomicfile"
	"airqa/internal/exit"
	"airqa/internal/ledger"
)

// Names in the directory.
const (
	ConfigFile    = "synth.json"
	LedgerFile    = "ledger.jsonl"
	QuestionsFile = "questions.jsonl"
	BatchesFile   = "batches.jsonl"
	Replies       = "replies"
	Runs          = "runs"
)

// Format is the format number of synth.json and of the lines of the ledger.
const Format = 1

// ErrNoSynthesis is returned for a directory without a synthesis.
var ErrNoSynthesis = errors.New("no synthesis here (synth.json is missing); airqa synth explore makes one")

// Quota is the number of rows of a category to accept.
type Quota struct {
	Category candidate.Category `json:"category"`
	Count    int                `json:"count"`
	// Most is the maximum number of candidates.
	Most int `json:"most"`
}

// Config is synth.json: what a synthesis was asked for.
type Config struct {
	Format  int       `json:"format"`
	Program string    `json:"program"`
	Created time.Time `json:"created"`
	Seed    uint64    `json:"seed"`
	// Data is the fingerprint of the data directory, DataDir its path.
	Data    string  `json:"data"`
	DataDir string  `json:"data_dir"`
	Quotas  []Quota `json:"quotas"`
	// Preview means that only a preview was made so far.
	Preview bool `json:"preview,omitempty"`
	// Gates are the gates that apply, in order.
	Gates []string `json:"gates"`
	// Model describes the model with all settings sent; its address is in BaseURL.
	Model   map[string]any `json:"model"`
	BaseURL string         `json:"base_url,omitempty"`
	// Stages has the fingerprint of each stage, Prompts the SHA-256 of each prompt.
	Stages  map[string]string `json:"stages"`
	Prompts map[string]string `json:"prompts"`
}

// Read returns the settings of a synthesis, or [ErrNoSynthesis].
func Read(dir string) (Config, error) {
	var c Config
	raw, err := os.ReadFile(filepath.Join(dir, ConfigFile))
	if errors.Is(err, fs.ErrNotExist) {
		return c, exit.With(exit.Usage, fmt.Errorf("%s: %w", dir, ErrNoSynthesis))
	}
	if err == nil {
		err = ledger.Strict(raw, &c)
	}
	if err != nil {
		return c, fmt.Errorf("read %s: %w", ConfigFile, err)
	}
	if c.Format != Format {
		return c, fmt.Errorf("%s has format %d; this program reads format %d", ConfigFile, c.Format, Format)
	}
	return c, nil
}

// Write replaces synth.json. redact, which may be nil, filters the text.
func Write(dir string, c Config, redact func([]byte) []byte) error {
	c.Format = Format
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if redact != nil {
		raw = redact(raw)
	}
	return atomicfile.WriteFile(filepath.Join(dir, ConfigFile), append(raw, '\n'))
}
