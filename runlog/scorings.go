package runlog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/qa"
)

// ErrOtherScores is returned for a run that was scored, but not by the requested rules.
var ErrOtherScores = errors.New("no such scores")

// Scorings lists the scorings of a run from the first lines of their files, the newest first; none for an unscored run.
func Scorings(dir string) ([]Scoring, error) {
	files, err := scoreFiles(dir)
	list := make([]Scoring, len(files))
	for i, f := range files {
		list[i] = f.Scoring
	}
	return list, err
}

// FindScores returns the newest scoring of a run with a mode and a judge, where empty means any. If it has unscored
// answers, for example after an outage of the judge, FindScores returns an older one of the same mode with more
// verdicts, and the newest as its Newer. The offline judge does not replace another judge. The error is [ErrNoScores]
// for a run without scores, and [ErrOtherScores] with the existing ones if none matches.
func FindScores(dir, mode, judge string) (Scoring, []qa.Score, error) {
	files, err := scoreFiles(dir)
	if err != nil {
		return Scoring{}, nil, err
	}
	if len(files) == 0 {
		return Scoring{}, nil, fmt.Errorf("%s: %w", dir, ErrNoScores)
	}
	var fit []scoreFile
	judge = qa.JudgeName(judge)
	var there []string
	for _, f := range files {
		if (mode == "" || f.Mode == mode) && (judge == "" || f.Judge == judge) {
			fit = append(fit, f)
		}
		there = append(there, fmt.Sprintf("--scoring %s --judge %s", f.Mode, f.Judge))
	}
	if len(fit) == 0 {
		return Scoring{}, nil, fmt.Errorf("%s: %w; there are: %s", dir, ErrOtherScores, strings.Join(there, ", "))
	}
	return mostVerdicts(fit)
}

// mostVerdicts reads the first of some files, or the one that replaces it; see [FindScores].
func mostVerdicts(files []scoreFile) (Scoring, []qa.Score, error) {
	newest, scores, err := ReadScoreFile(files[0].path)
	if err != nil || Verdicts(scores) == len(scores) {
		return newest, scores, err
	}
	best := newest
	for _, f := range files[1:] {
		if f.Mode != newest.Mode || f.Judge == offlineJudge && newest.Judge != noJudge {
			continue
		}
		older, more, err := ReadScoreFile(f.path)
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

// scoreFile is the path of a scoring and its first line.
type scoreFile struct {
	Scoring
	path string
}

// scoreFiles are sorted by time, the newest first, then by name.
func scoreFiles(dir string) ([]scoreFile, error) {
	entries, err := os.ReadDir(filepath.Join(dir, scoresDir)) // no pattern: a folder may be called "runs[1]"
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []scoreFile
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".jsonl" {
			continue
		}
		f := scoreFile{path: filepath.Join(dir, scoresDir, e.Name())}
		if f.Scoring, err = scoringOf(f.path); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	slices.SortStableFunc(files, func(a, b scoreFile) int { return b.Created.Compare(a.Created) })
	return files, nil
}

func scoringOf(path string) (Scoring, error) {
	var s Scoring
	file, err := openIn(filepath.Dir(path), filepath.Base(path))
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
	s.Judge = qa.JudgeName(s.Judge)
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
		}
	}
	if len(dirs) == 0 {
		return nil, NoRun(folder)
	}
	return dirs, nil
}
