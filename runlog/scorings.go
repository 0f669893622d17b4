package runlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/internal/ledger"
	"airqa/qa"
)

// ErrOtherScores is returned for a run that was scored, but not by the requested rules.
var ErrOtherScores = errors.New("no such scores")

// Choice selects a scoring of a run. An empty field means any.
type Choice struct {
	Scoring string `placeholder:"MODE" help:"Use the scores of this mode, such as reference. Default: the newest, or an older one of the same mode with more verdicts."`
	Judge   string `placeholder:"NAME" help:"Use the scores of this judge."`
}

// FindScores returns the newest scoring of a run that is chosen. If it has unscored
// answers, for example after an outage of the judge, FindScores returns an older one of the same mode with more
// verdicts, and the newest as its Newer. The offline judge does not replace another judge. A newest one without any verdict
// gives way to any that has one, such as the scores of an imported run. The error is [ErrNoScores]
// for a run without scores, and [ErrOtherScores] with the existing ones if none matches.
func FindScores(dir string, c Choice) (Scoring, []qa.Score, error) {
	list, err := Scorings(dir)
	if err != nil {
		return Scoring{}, nil, err
	}
	if len(list) == 0 {
		return Scoring{}, nil, fmt.Errorf("%s: %w", dir, ErrNoScores)
	}
	var fit []Scoring
	judge := qa.JudgeName(c.Judge)
	var there []string
	for _, f := range list {
		if (c.Scoring == "" || f.Mode == c.Scoring) && (judge == "" || f.Judge == judge) {
			fit = append(fit, f)
		}
		there = append(there, fmt.Sprintf("--scoring %s --judge %s", f.Mode, f.Judge))
	}
	if len(fit) == 0 {
		return Scoring{}, nil, fmt.Errorf("%s: %w; available: %s", dir, ErrOtherScores, strings.Join(there, ", "))
	}
	return mostVerdicts(fit)
}

// mostVerdicts reads the first of some files, or the one that replaces it; see [FindScores].
func mostVerdicts(list []Scoring) (Scoring, []qa.Score, error) {
	newest, scores, err := ReadScoreFile(list[0].File)
	if err != nil || Verdicts(scores) == len(scores) {
		return newest, scores, err
	}
	best, blank := newest, Verdicts(scores) == 0 // as of an import, whose questions have no evaluator
	for _, f := range list[1:] {
		if !blank && f.Mode != newest.Mode || f.Judge == offlineJudge && newest.Judge != noJudge {
			continue
		}
		older, more, err := ReadScoreFile(f.File)
		if err == nil && Verdicts(more) > Verdicts(scores) {
			best, scores = older, more
			best.Newer = &newest
		}
	}
	return best, scores, nil
}

// Judges that are not language models, as score files name them.
const (
	noJudge      = "none"
	offlineJudge = "offline"
)

// Verdicts counts the scores with a verdict, right or wrong.
func Verdicts(scores []qa.Score) int {
	n := 0
	for _, s := range scores {
		if s.Verdict != qa.Unscored {
			n++
		}
	}
	return n
}

// Scorings lists the scorings of a run from the first lines of their files, the newest first, then by name; none for an
// unscored run.
func Scorings(dir string) ([]Scoring, error) {
	entries, err := os.ReadDir(filepath.Join(dir, scoresDir)) // no pattern: a folder may be called "runs[1]"
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []Scoring
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".jsonl" {
			continue
		}
		s, err := scoringOf(filepath.Join(dir, scoresDir, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b Scoring) int { return b.Created.Compare(a.Created) })
	return list, nil
}

func scoringOf(path string) (Scoring, error) {
	s := Scoring{File: path}
	file, err := OpenFile(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return s, err
	}
	defer func() { _ = file.Close() }()
	line, err := bufio.NewReader(file).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return s, fmt.Errorf("read %s: %w", path, err)
	}
	if err := json.Unmarshal(line, &s); err != nil {
		return s, fmt.Errorf("%s:1: %w", path, err)
	}
	return s, nil
}

// Find returns the run directories among paths, and those inside any other folder.
func Find(paths []string) ([]string, error) {
	var dirs []string
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(path, RunFile)); err == nil {
			dirs = append(dirs, path)
			continue
		}
		inside, err := runsIn(path)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, inside...)
	}
	return dirs, nil
}

// runsIn lists the run directories in a folder by name, without a pattern: a folder may be called "runs[1]".
func runsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a run directory: %w", folder, err)
	}
	var dirs []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue // such as one that is being merged
		}
		dir := filepath.Join(folder, e.Name())
		if _, err := os.Stat(filepath.Join(dir, RunFile)); err == nil {
			dirs = append(dirs, dir)
		} else if strings.Contains(e.Name(), "-of-") { // a shard of several runs
			inside, _ := runsIn(dir)
			dirs = append(dirs, inside...)
		}
	}
	if len(dirs) == 0 {
		return nil, NoRun(folder)
	}
	return dirs, nil
}

// Scoring is the first line of a score file: the rules behind the scores.
type Scoring struct {
	Format int `json:"format"`
	// Mode is "reference" (the authors' rules, quirks included) or "fixed".
	Mode string `json:"mode"`
	// Judge names the judge of subjective answers, such as "openai:gpt-4o-mini-2024-07-18" or "offline".
	Judge string `json:"judge"`
	// JudgeBaseURL is the judge's address, unless it is the provider's default.
	JudgeBaseURL string `json:"judge_base_url,omitempty"`
	// JudgeExtraBody are the members added to the judge's requests.
	JudgeExtraBody map[string]any `json:"judge_extra_body,omitempty"`
	// JudgePrompts are the texts of the judge that replace built-in ones, by name.
	JudgePrompts map[string]string `json:"judge_prompts,omitempty"`
	AsInPaper    *qa.AsInPaper     `json:"as_in_paper,omitempty"`
	Program      string            `json:"program"`
	Created      time.Time         `json:"created"`
	// File is the path of a scoring from [Scorings].
	File string `json:"-"`
	// Newer is the newest scoring if [FindScores] returns an older one.
	Newer *Scoring `json:"-"`
}

// ErrNoScores is returned for a run without scores.
var ErrNoScores = errors.New("not scored yet; run: airqa score RUN")

// WriteScores stores one scoring of a run under scores/ atomically, replacing an earlier one with the same mode,
// judge and prompts. redact, which may be nil, filters everything written, because a judge's error may repeat keys.
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
	key := s.Mode + "." + s.Judge
	name := notInNames.ReplaceAllString(key, "_")
	if len(s.JudgePrompts) > 0 {
		key += fmt.Sprint(s.JudgePrompts) // in the order of the names
	}
	if len(name) > longestName || len(s.JudgePrompts) > 0 {
		name = name[:min(len(name), longestName)] + "." + Hash(key)[:12]
	}
	return files.WriteFile(filepath.Join(dir, scoresDir, name+".jsonl"), lines)
}

var notInNames = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// longestName leaves room for a temporary suffix; file systems allow 255 bytes.
const longestName = 200

// ReadScores returns the scoring of a run that [FindScores] chooses.
func ReadScores(dir string) (Scoring, []qa.Score, error) { return FindScores(dir, Choice{}) }

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
		return Scoring{}, nil, fmt.Errorf("%s:1: the first line is not the header of a score file: %w", path, err)
	}
	if err := ledger.CheckFormat(head.Format, Format, "make it again with airqa score RUN"); err != nil {
		return head, nil, fmt.Errorf("%s: %w", path, err)
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
