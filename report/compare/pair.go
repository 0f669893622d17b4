package compare

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
)

// paired is a question with a score in both runs.
type paired struct {
	example qa.Example
	a, b    answer
}

// answer is a run's score on a question.
type answer struct {
	// mean is over the scored repeats; best and worst are the first repeats with the highest and lowest score.
	mean        float64
	best, worst qa.Score
	// repeats counts repeats with a verdict, unscored those without.
	repeats, unscored int
}

// partial reports whether some repeats have a verdict and others do not.
func (a answer) partial() bool { return a.repeats > 0 && a.unscored > 0 }

// difference is B - A. It is 0 for means of the same scores in another order.
func (p paired) difference() float64 {
	if d := p.b.mean - p.a.mean; d > 1e-9 || d < -1e-9 {
		return d
	}
	return 0
}

func repeated(pairs []paired) bool {
	return slices.ContainsFunc(pairs, func(p paired) bool { return p.a.repeats > 1 || p.b.repeats > 1 })
}

// pair finds the questions with scores in both runs, in the order of A's questions, then of B's.
func pair(a, b Side, includePartial bool) ([]paired, LeftOut) {
	inA, inB := answers(a.Scores), answers(b.Scores)
	var pairs []paired
	var out LeftOut
	all := slices.Concat(a.Examples, b.Examples)
	for _, s := range slices.Concat(a.Scores, b.Scores) {
		all = append(all, qa.Example{UUID: s.UUID})
	}
	seen := make(map[string]bool)
	all = slices.DeleteFunc(all, func(ex qa.Example) bool {
		again := seen[ex.UUID]
		seen[ex.UUID] = true
		return again
	})
	for _, ex := range all {
		x, y := inA[ex.UUID], inB[ex.UUID]
		switch {
		case !includePartial && (x.partial() || y.partial()):
			out.Partly++
		case x.repeats > 0 && y.repeats > 0:
			pairs = append(pairs, paired{ex, x, y})
		case x.repeats > 0:
			out.OnlyA++
		case y.repeats > 0:
			out.OnlyB++
		default:
			out.Neither++
		}
	}
	return pairs, out
}

// answers collects the scores by question. An unscored repeat is not a zero.
func answers(scores []qa.Score) map[string]answer {
	found := make(map[string]answer)
	for _, s := range scores {
		x := found[s.UUID]
		if s.Verdict == qa.Unscored {
			x.unscored++
			found[s.UUID] = x
			continue
		}
		if x.repeats == 0 || s.Value > x.best.Value {
			x.best = s
		}
		if x.repeats == 0 || s.Value < x.worst.Value {
			x.worst = s
		}
		x.mean += s.Value // the sum, divided at the end
		x.repeats++
		found[s.UUID] = x
	}
	for uuid, x := range found {
		x.mean /= float64(max(x.repeats, 1))
		found[uuid] = x
	}
	return found
}

func warnings(a, b Side) []string {
	list := []string{}
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if a.Scoring != b.Scoring {
		add("the scoring differs: A %s, B %s", a.Scoring, b.Scoring)
	}
	if a.Judge != b.Judge {
		add("the judge differs: A %s, B %s", a.Judge, b.Judge)
	}
	if text := questionsDiffer(a.Examples, b.Examples); text != "" {
		add("the questions differ: %s", text)
	}
	if a.Model == "offline" || b.Model == "offline" {
		add("\"offline\" is a rule-based policy, not a language model: its scores say nothing about any model")
	}
	return list
}

// missing warns about scores that a run lacks.
func missing(name string, s Side) []string {
	var list []string
	if s.Newer != "" {
		list = append(list, fmt.Sprintf("%s is not the newest scoring: %s has fewer verdicts", name, s.Newer))
	}
	questions := make(map[string]qa.Example)
	for _, ex := range s.Examples {
		questions[ex.UUID] = ex
	}
	var unscored, unjudged int
	for _, score := range s.Scores {
		if score.Verdict != qa.Unscored {
			continue
		}
		unscored++
		if ex, known := questions[score.UUID]; known && eval.Subjective(ex.Evaluator) {
			unjudged++
		}
	}
	if unscored > 0 {
		list = append(list, fmt.Sprintf("%d of %d answers of %s have no verdict; their questions are left out of both runs",
			unscored, len(s.Scores), name))
	}
	if unjudged > 0 {
		list = append(list, fmt.Sprintf("%d of them are of questions that need a judge: if the judge failed, the comparison is biased, "+
			"since answers of %s that fail without a judge are counted", unjudged, name))
	}
	return list
}

// questionsDiffer describes the differences between two lists of questions that affect scores. It returns "" if there
// are none, or if one side has no questions of its own.
func questionsDiffer(a, b []qa.Example) string {
	if len(a) == 0 || len(b) == 0 {
		return ""
	}
	inA := make(map[string]qa.Example)
	for _, ex := range a {
		inA[ex.UUID] = ex
	}
	var onlyB, shared, changed int
	for _, ex := range b {
		other, known := inA[ex.UUID]
		if !known {
			onlyB++
			continue
		}
		shared++
		if ex.Question != other.Question || ex.AnswerFormat != other.AnswerFormat ||
			ex.Evaluator.Func != other.Evaluator.Func || !bytes.Equal(ex.Evaluator.Kwargs, other.Evaluator.Kwargs) {
			changed++
		}
	}
	onlyA := len(inA) - shared
	if onlyA+onlyB+changed == 0 {
		return ""
	}
	return fmt.Sprintf("%d in A only, %d in B only, %d with another text or gold", onlyA, onlyB, changed)
}

// Flip is a question on which the runs differ.
type Flip struct {
	UUID     string `json:"uuid"`
	Question string `json:"question"`
	// A and B are the scores, 0..1; with repeats, the means.
	A float64 `json:"a"`
	B float64 `json:"b"`
	// EpisodeA and EpisodeB name the episodes to inspect: the question, or the repeat in which the run did best or
	// worst.
	EpisodeA string `json:"episode_a"`
	EpisodeB string `json:"episode_b"`
}

// flips are the questions with different scores; repeats adds the repeat number to the episodes.
func flips(pairs []paired, repeats bool) []Flip {
	episode := func(s qa.Score) string {
		if repeats {
			return qa.EpisodeID(s.UUID, s.Repeat)
		}
		return s.UUID
	}
	betterA, betterB := []Flip{}, []Flip(nil)
	for _, p := range pairs {
		f := Flip{UUID: p.example.UUID, Question: p.example.Question, A: p.a.mean, B: p.b.mean}
		switch d := p.difference(); {
		case d < 0:
			f.EpisodeA, f.EpisodeB = episode(p.a.best), episode(p.b.worst)
			betterA = append(betterA, f)
		case d > 0:
			f.EpisodeA, f.EpisodeB = episode(p.a.worst), episode(p.b.best)
			betterB = append(betterB, f)
		}
	}
	return append(betterA, betterB...)
}

// Traces are the commands that show both episodes, A's first. Score files without a run have none.
func (f Flip) Traces(r Result) []string {
	var lines []string
	for _, side := range []struct{ run, episode string }{{r.A.Run, f.EpisodeA}, {r.B.Run, f.EpisodeB}} {
		if side.run != "" {
			lines = append(lines, fmt.Sprintf("airqa trace %s %s", terminal.ShellWord(side.run), terminal.ShellWord(side.episode)))
		}
	}
	return lines
}

// System identifies a run and its scoring.
type System struct {
	// Path is the run directory or score file as given; Run is the run directory, empty if there is none.
	Path string `json:"path"`
	Run  string `json:"run,omitempty"`
	// Baseline and Model are empty for scores without a run.
	Baseline string `json:"baseline,omitempty"`
	Model    string `json:"model,omitempty"`
	Scoring  string `json:"scoring"`
	Judge    string `json:"judge"`
	// Newer names the newest scoring if an older one was read; see [runlog.FindScores].
	Newer string `json:"newer_scoring,omitempty"`
}

// Side is one run with its scores.
type Side struct {
	System
	// Examples are the questions of the run; empty for scores without a run.
	Examples []qa.Example
	Scores   []qa.Score
}

// Choice selects one scoring of a run: a score file, or the result of [runlog.FindScores] for a mode and a judge, where
// empty means any.
type Choice struct {
	File string
	runlog.Choice
}

// Load returns a run with one of its scorings. It fails with [runlog.ErrNoScores] for an unscored run, and with
// [runlog.ErrOtherScores] for a run without the chosen scoring.
func Load(run *runlog.Run, examples []qa.Example, choice Choice) (Side, error) {
	side := Side{Examples: examples, System: System{
		Path: run.Dir, Run: run.Dir, Baseline: run.Config.Shape.Baseline, Model: run.Config.Shape.ModelName(),
	}}
	if choice.File == "" {
		scoring, scores, err := runlog.FindScores(run.Dir, choice.Choice)
		side.Scoring, side.Judge, side.Scores = scoring.Mode, scoring.Judge, scores
		if n := scoring.Newer; n != nil {
			side.Newer = "--scoring " + n.Mode + " --judge " + n.Judge
		}
		return side, err
	}
	bare, err := LoadFile(choice.File)
	side.Path, side.Scoring, side.Judge, side.Scores = choice.File, bare.Scoring, bare.Judge, bare.Scores
	return side, err
}

// LoadFile returns the side of a score file alone (docs/formats/run.md).
func LoadFile(path string) (Side, error) {
	scoring, scores, err := runlog.ReadScoreFile(path)
	return Side{System: System{Path: path, Scoring: scoring.Mode, Judge: scoring.Judge}, Scores: scores}, err
}

// Label names a side in prose.
func (s System) Label() string {
	if s.Baseline == "" {
		return s.Path
	}
	return strings.TrimSuffix(s.Baseline+", "+s.Model, ", ") // answers of another program have no model
}
