package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/internal/ledger"
	"airqa/qa"
)

// Scoring is the first line of a score file: the rules behind the scores.
type Scoring struct {
	Format int `json:"format"`
	// Mode is "reference" (the authors' rules, quirks included) or "fixed".
	Mode string `json:"mode"`
	// Judge names the judge of subjective answers, such as "openai:gpt-4o-mini-2024-07-18" or "offline".
	Judge string `json:"judge"`
	// JudgeBaseURL is the judge's address, unless it is the provider's default.
	JudgeBaseURL string    `json:"judge_base_url,omitempty"`
	Program      string    `json:"program"`
	Created      time.Time `json:"created"`
	// Newer is the newest scoring if [FindScores] returns an older one.
	Newer *Scoring `json:"-"`
}

// ErrNoScores is returned for a run without scores.
var ErrNoScores = errors.New("not scored yet; run: airqa score RUN")

// WriteScores stores one scoring of a run under scores/ atomically, replacing an earlier one with the same mode and
// judge. redact, which may be nil, filters everything written, because a judge's error may repeat keys.
func WriteScores(dir string, s Scoring, scores []qa.Score, redact func([]byte) []byte) error {
	if err := checkEntries(dir); err != nil {
		return err
	}
	s.Format, s.Judge = Format, qa.JudgeName(s.Judge)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	if err := enc.Encode(s); err != nil {
		return err
	}
	for _, score := range scores {
		if err := enc.Encode(score); err != nil {
			return err
		}
	}
	lines := b.Bytes()
	if redact != nil {
		lines = ledger.RedactStrings(lines, redact)
	}
	return files.WriteFile(filepath.Join(dir, scoresDir, s.fileName()), lines)
}

var notInNames = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// longestName leaves room for a temporary suffix; file systems allow 255 bytes.
const longestName = 200

// fileName consists of mode and judge. A long panel name is truncated and gets a hash.
func (s Scoring) fileName() string {
	name := notInNames.ReplaceAllString(s.Mode+"."+s.Judge, "_")
	if len(name) > longestName {
		name = name[:longestName] + "." + Hash(s.Mode + "." + s.Judge)[:12]
	}
	return name + ".jsonl"
}

// ReadScores returns the scoring of a run that [FindScores] chooses.
func ReadScores(dir string) (Scoring, []qa.Score, error) { return FindScores(dir, "", "") }

// ReadScoreFile reads one score file (docs/formats/run.md) at any path. An unreadable line is an error with its number:
// a gap would change the scores.
func ReadScoreFile(path string) (Scoring, []qa.Score, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Scoring{}, nil, err
	}
	first, rest, _ := strings.Cut(string(raw), "\n")
	var head Scoring
	if err := ledger.Strict([]byte(first), &head); err != nil {
		return Scoring{}, nil, fmt.Errorf("%s:1: the first line is not that of a score file: %w", path, err)
	}
	head.Judge = qa.JudgeName(head.Judge)
	if head.Format != Format {
		return head, nil, fmt.Errorf("%s has format %d; this program reads format %d", path, head.Format, Format)
	}
	scores := []qa.Score{}
	number := 1
	for line := range strings.Lines(rest) {
		number++
		var s qa.Score
		if err := ledger.Strict([]byte(line), &s); err != nil {
			return head, nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		scores = append(scores, s)
	}
	return head, scores, nil
}
