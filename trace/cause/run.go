package cause

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/internal/stats"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
)

// Row is a wrong answer of a run with its cause.
type Row struct {
	Run          string     `json:"run"`
	UUID         string     `json:"uuid"`
	Repeat       int        `json:"repeat"`
	Question     string     `json:"question"`
	Tags         []string   `json:"tags"`
	Outcome      qa.Outcome `json:"outcome"`
	Verdict      qa.Verdict `json:"verdict"`
	Answer       string     `json:"answer"`
	Gold         string     `json:"gold"`
	LostAt       Level      `json:"lost_at"`
	LostAtWeakly bool       `json:"lost_at_weak,omitempty"`
	Cause
	// Decided is the cause that a person decided on; empty if there is none.
	Decided Code `json:"decided,omitempty"`
	// Sample is the sample that drew the row, as N:SEED; empty without one.
	Sample string `json:"sample,omitempty"`
}

// Final is the cause that counts: a person's, or else the rules'.
func (r Row) Final() Code { return cmp.Or(r.Decided, r.Code) }

// Run is the wrong answers of one run.
type Run struct {
	Dir      string
	Baseline string
	Model    string
	Scoring  runlog.Scoring
	// Answers counts the answers with a verdict, Right those that are right.
	Answers, Right int
	Rows           []Row
	// Damaged are the errors of episodes that could not be read.
	Damaged []error
}

// Source is a run directory with its questions.
type Source struct {
	*runlog.Run
	Examples []qa.Example
}

// Choice selects a scoring of a run, see [runlog.FindScores], and an episode, by its name uuid#repeat; empty means all.
type Choice struct{ Scoring, Episode string }

// Read names the cause of each wrong answer of some runs. Answers to the same question, in any of the runs, are peers.
func Read(ctx context.Context, sources []Source, c Choice) ([]Run, error) {
	runs := make([]Run, len(sources))
	scores := make([]map[string]*qa.Score, len(sources))
	answers := make(map[string][]answerOf) // by question
	version := ""                          // of causes that can be kept
	for i, s := range sources {
		shape := s.Config.Shape
		runs[i] = Run{Dir: s.Dir, Baseline: shape.Baseline, Model: shape.ModelName()}
		scoring, list, err := runlog.FindScores(s.Dir, runlog.Choice{Scoring: c.Scoring})
		if err != nil {
			return nil, err
		}
		runs[i].Scoring = scoring
		scores[i] = qa.ByEpisode(list)
		if len(sources) == 1 && c.Episode == "" {
			if version = s.version(scores[i]); runs[i].readKept(s, version) {
				return runs, nil
			}
		}
		s.addAnswers(answers, i, scores[i])
	}
	for i, s := range sources {
		peers := func(rec runlog.Recorded) (list []Peer) {
			for _, a := range answers[rec.UUID] {
				if a.run != i || a.episode != rec.Episode {
					list = append(list, a.Peer)
				}
			}
			return list
		}
		if err := runs[i].read(ctx, s, scores[i], c, peers); err != nil {
			return nil, err
		}
	}
	if version != "" {
		runs[0].keep(sources[0], version)
	}
	return runs, nil
}

// addAnswers adds the answers of the run with a number, by question.
func (s Source) addAnswers(to map[string][]answerOf, run int, scores map[string]*qa.Score) {
	for rec, err := range s.Episodes() {
		score := scores[rec.Episode]
		if err == nil && score != nil && !rec.Outcome.Failed() {
			to[rec.UUID] = append(to[rec.UUID], answerOf{run, rec.Episode, Peer{Answer: rec.Answer, Verdict: score.Verdict}})
		}
	}
}

func (r *Run) read(ctx context.Context, s Source, scores map[string]*qa.Score, c Choice, peers func(runlog.Recorded) []Peer) error {
	examples := make(map[string]qa.Example)
	for _, ex := range s.Examples {
		examples[ex.UUID] = ex
	}
	var names []string
	if c.Episode != "" {
		names = []string{c.Episode}
	}
	f := new(Finder)
	for rec, err := range s.Episodes(names...) {
		var damage *runlog.DamageError
		if errors.As(err, &damage) {
			r.Damaged = append(r.Damaged, err)
			continue
		}
		if err != nil {
			return err
		}
		score := scores[rec.Episode]
		if score == nil || score.Verdict == qa.Unscored || rec.Outcome.Failed() {
			continue
		}
		r.Answers++
		if score.Verdict == qa.Right {
			r.Right++
			continue
		}
		ex := examples[rec.UUID]
		loss := f.FindLoss(ex, rec, score, s.Config)
		row := Row{
			Run: s.Dir, UUID: rec.UUID, Repeat: rec.Repeat, Question: ex.Question, Tags: ex.Tags, Outcome: rec.Outcome, Verdict: score.Verdict,
			Answer: rec.Answer.Text, LostAt: loss.Level, LostAtWeakly: loss.Weak,
			Cause: f.Of(ctx, Episode{Example: ex, Recorded: rec, Score: score, Loss: loss, Peers: peers(rec)}),
		}
		row.Gold = eval.GoldOf(ex)
		r.Rows = append(r.Rows, row)
	}
	return nil
}

// answerOf is an answer with its run and episode.
type answerOf struct {
	run     int
	episode string
	Peer
}

// Sampled returns the run with at most s.N of its wrong answers of each question type, in their order. The draw depends on
// the seed and the names of the episodes only, so a larger sample contains a smaller one.
func (r Run) Sampled(s dataset.Sample) Run {
	if s.N == 0 {
		return r
	}
	drawn := make(map[string]bool)
	byType := make(map[string][]string)
	name := func(row Row) string { return qa.EpisodeID(row.UUID, row.Repeat) }
	for _, row := range r.Rows {
		at := slices.IndexFunc(qa.TypeTags, func(tag string) bool { return slices.Contains(row.Tags, tag) })
		key := "" // a question of another benchmark has no type
		if at >= 0 {
			key = qa.TypeTags[at]
		}
		byType[key] = append(byType[key], name(row))
	}
	for _, names := range byType {
		rank := func(name string) string { return runlog.Hash(fmt.Sprint(s.Seed, " ", name)) }
		slices.SortFunc(names, func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
		for _, name := range names[:min(s.N, len(names))] {
			drawn[name] = true
		}
	}
	r.Rows = slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool { return !drawn[name(row)] })
	for i := range r.Rows {
		r.Rows[i].Sample = s.String()
	}
	return r
}

// Count is the number of answers with a cause, by question type.
type Count struct {
	Code   Code           `json:"cause"`
	ByType map[string]int `json:"by_type"`
	Total  int            `json:"total"`
	// People counts those that people decided on.
	People int `json:"people"`
}

// Counts counts the causes of a run, those that people decided on instead of the rules' where there are any. Causes of the paper are there even if none is found, others only if one is.
func (r Run) Counts() []Count {
	var list []Count
	for i, code := range Codes() {
		n := Count{Code: code, ByType: make(map[string]int)}
		for _, row := range r.Rows {
			if row.Final() != code {
				continue
			}
			n.Total++
			if row.Decided != "" {
				n.People++
			}
			for _, name := range qa.TypeTags {
				if slices.Contains(row.Tags, name) {
					n.ByType[name]++
				}
			}
		}
		if i < 6 || n.Total > 0 {
			list = append(list, n)
		}
	}
	return list
}

// Title is the name of a cause as in the paper.
func (c Code) Title() string {
	return map[Code]string{
		LackOfContext: "Lack of Context", OverConfidence: "Over Confidence", MissingPaper: "Missing Paper",
		TextualReasoning: "Textual Reasoning", VisualReasoning: "Visual Reasoning", Repetition: "Repetition",
		WrongGold: "Wrong Gold", WrongScorer: "Wrong Scorer", Unknown: "Unknown",
		OutsideScope: "Outside the Scope of Retrieve",
	}[c]
}

// Agreement says how often the rules and people name the same cause: with Wilson's interval at 95%, and Cohen's kappa if it
// is defined. It is empty if people decided nothing.
func (r Run) Agreement() string {
	var rules, people []Code
	equal := 0
	for _, row := range r.Rows {
		if row.Decided == "" {
			continue
		}
		rules, people = append(rules, row.Code), append(people, row.Decided)
		if row.Code == row.Decided {
			equal++
		}
	}
	if len(rules) == 0 {
		return ""
	}
	interval := stats.Wilson(equal, len(rules), 0.95)
	text := fmt.Sprintf("rules and people agree on %d of %d causes (95%% interval %.0f%% to %.0f%%",
		equal, len(rules), 100*interval.Low, 100*interval.High)
	if kappa := stats.CohenKappa(rules, people); !math.IsNaN(kappa) {
		text += fmt.Sprintf(", Cohen's kappa %.2f", kappa)
	}
	return text + ")"
}
