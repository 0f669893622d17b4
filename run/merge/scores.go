package merge

import (
	"errors"
	"path/filepath"

	"airqa/eval"
	"airqa/run/scoring"
	"airqa/runlog"
)

// scorings lists the rules by which the shards or the earlier merge were scored, the newest of each first.
func (p *plan) scorings() ([]runlog.Scoring, error) {
	var kinds []runlog.Scoring
	seen := make(map[string]bool)
	for _, dir := range p.dirs() {
		list, err := runlog.Scorings(dir)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			if name := filepath.Base(s.File); !seen[name] {
				seen[name] = true
				kinds = append(kinds, s)
			}
		}
	}
	return kinds, nil
}

// score scores the merged run like a scoring of its shards, with the verdicts that are kept. Without one, an answer stays
// unscored.
func (p *plan) score(kind runlog.Scoring) (err error) {
	j, err := scoring.Judges{}.Recorded(kind).Open(p.Session, filepath.Join(p.Out, runlog.VerdictsFile))
	if err != nil { // such as a panel without a key
		p.Notify.Warnf("%s: not scored by %s: %v", p.Out, kind.Judge, err)
		return nil
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	j.Refused = errors.New("a merge asks no judge")
	by := scoring.Scoring{Session: p.Session, Mode: eval.Mode(kind.Mode), Judge: j}
	scores, err := by.Run(p.Out)
	if errors.Is(err, scoring.ErrNothingEnded) {
		return nil
	}
	if err != nil {
		return err
	}
	p.Scores = append(p.Scores, kind.Mode+"."+kind.Judge)
	t := scoring.Count(scores, by.Mode, j.Name)
	if n := t.Unscored - t.Faulty - t.NoEvaluator - t.Undefined; n > 0 && j.Name != scoring.NoJudge {
		p.Notify.Warnf("%s: %d answers have no verdict of %s; airqa score with that judge asks for them", p.Out, n, j.Name)
	}
	return nil
}
