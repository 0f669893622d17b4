package candidate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
)

// Names in the directory.
const (
	SettingsFile  = "synth.json"
	LedgerFile    = "ledger.jsonl"
	QuestionsFile = "questions.jsonl"
	RunsDir       = "runs"
)

// Format is the format number of synth.json and of the lines of the ledger.
const Format = 1

// again makes a synthesis of another format again.
const again = "make it again with airqa synth make -o NEW"

// ErrNoSynthesis is returned for a directory without a synthesis.
var ErrNoSynthesis = errors.New("no synthesis here (synth.json is missing); airqa synth make --until explore creates one")

// Quota is the number of rows of a category to accept.
type Quota struct {
	Category Category `json:"category"`
	Count    int      `json:"count"`
	// Most is the maximum number of candidates.
	Most int `json:"most"`
}

// Settings is synth.json: what a synthesis was asked for.
type Settings struct {
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
	// Tracker describes the model of the tracker, at TrackerURL, if it is another one.
	Tracker    map[string]any `json:"tracker,omitempty"`
	TrackerURL string         `json:"tracker_base_url,omitempty"`
	// Stages has the fingerprint of each stage, Prompts the SHA-256 of each prompt.
	Stages  map[string]string `json:"stages"`
	Prompts map[string]string `json:"prompts"`
	// OwnPrompts are the texts that replace built-in ones, by name.
	OwnPrompts map[string]string `json:"own_prompts,omitempty"`
	// AsInPaper is nil unless the settings were to be as in the paper.
	AsInPaper *qa.AsInPaper `json:"as_in_paper,omitempty"`
}

// ReadSettings returns the settings of a synthesis, or [ErrNoSynthesis].
func ReadSettings(dir string) (Settings, error) {
	var c Settings
	raw, err := os.ReadFile(filepath.Join(dir, SettingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return c, qa.Usagef("%s: %w", dir, ErrNoSynthesis)
	}
	if err == nil {
		err = ledger.Strict(raw, &c)
	}
	if err == nil {
		err = ledger.CheckFormat(c.Format, Format, again)
	}
	if err != nil {
		return c, fmt.Errorf("read %s: %w", SettingsFile, err)
	}
	return c, nil
}

// WriteSettings replaces synth.json. redact, which may be nil, filters the text.
func WriteSettings(dir string, c Settings, redact func([]byte) []byte) error {
	c.Format = Format
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if redact != nil {
		raw = redact(raw)
	}
	return files.WriteFile(filepath.Join(dir, SettingsFile), append(raw, '\n'))
}
