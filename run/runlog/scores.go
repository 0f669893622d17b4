package runlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"time"

	"airqa/internal/aside"
	"airqa/qa"
)

// Scoring is the first line of a score file: by what rules the scores came about.
type Scoring struct {
	Format int `json:"format"`
	// Mode is "reference": the authors' semantics, quirks included.
	Mode string `json:"mode"`
	// Judge names the judge of subjective answers, such as "openai:gpt-4o-mini-2024-07-18" or "offline".
	Judge   string    `json:"judge"`
	Program string    `json:"program"`
	Created time.Time `json:"created"`
}

// ErrNoScores is returned for a run that was not scored yet.
var ErrNoScores = errors.New("not scored yet; run: airqa score RUN")

// WriteScores stores one scoring of a run under scores/, whole or not at all. The same mode and judge
// replace what they made before.
func WriteScores(dir string, s Scoring, scores []qa.Score) error {
	s.Format = Format
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
	return aside.WriteFile(filepath.Join(dir, scoresDir, s.fileName()), b.Bytes())
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func (s Scoring) fileName() string {
	return notInNames.ReplaceAllString(s.Mode+"."+s.Judge, "_") + ".jsonl"
}

// ReadScores returns the newest scoring of a run, by the time in its first line.
func ReadScores(dir string) (Scoring, []qa.Score, error) {
	files, err := filepath.Glob(filepath.Join(dir, scoresDir, "*.jsonl"))
	if err != nil {
		return Scoring{}, nil, err
	}
	sort.Strings(files)
	var best Scoring
	var bestScores []qa.Score
	for _, f := range files {
		s, scores, err := readScores(f)
		if err != nil {
			return Scoring{}, nil, err
		}
		if bestScores == nil || s.Created.After(best.Created) {
			best, bestScores = s, scores
		}
	}
	if bestScores == nil {
		return Scoring{}, nil, fmt.Errorf("%s: %w", dir, ErrNoScores)
	}
	return best, bestScores, nil
}

func readScores(path string) (Scoring, []qa.Score, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Scoring{}, nil, err
	}
	in := bufio.NewScanner(bytes.NewReader(raw))
	in.Buffer(nil, len(raw)+1)
	var head Scoring
	scores := []qa.Score{}
	for n := 1; in.Scan(); n++ {
		var score qa.Score
		into := any(&score)
		if n == 1 {
			into = &head
		}
		dec := json.NewDecoder(strings.NewReader(in.Text()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(into); err != nil {
			return head, nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if n == 1 && head.Format != Format {
			return head, nil, fmt.Errorf("%s has format %d; this program reads format %d", path, head.Format, Format)
		}
		if n > 1 {
			scores = append(scores, score)
		}
	}
	return head, scores, in.Err()
}
