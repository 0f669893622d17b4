package cause

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"airqa/eval"
	"airqa/internal/stats"
	"airqa/qa"
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
	// Decided is the cause that a person decided on, Opinion that of a model; empty if there is none.
	Decided Code     `json:"decided,omitempty"`
	Opinion *Opinion `json:"opinion,omitempty"`
}

// Opinion is what a model names as the cause of a wrong answer.
type Opinion struct {
	Model string `json:"model"`
	// Cause is empty if Failed explains why there is none.
	Cause  Code   `json:"cause,omitempty"`
	Why    string `json:"why,omitempty"`
	Failed string `json:"failed,omitempty"`
}

// Run is the wrong answers of one run.
type Run struct {
	Dir      string
	Baseline string
	Model    string
	Scoring  runlog.Scoring
	// Answers counts the answers with a verdict, Right those that are right.
	Answers, Right int
	Rows           []Row
	// Agreements are those of rules, people and a model; see [Run.Agree].
	Agreements []Agreement
	// Damaged are the errors of episodes that could not be read.
	Damaged []error
}

// Source is a run directory with its questions.
type Source struct {
	*runlog.Run
	Examples []qa.Example
}

// Choice selects a scoring of a run, see [runlog.FindScores], and an episode, by its name uuid#repeat; empty means all.
type Choice struct{ Scoring, Judge, Episode string }

// Read names the cause of each wrong answer of some runs. Answers to the same question, in any of the runs, are peers.
func Read(ctx context.Context, sources []Source, c Choice) ([]Run, error) {
	runs := make([]Run, len(sources))
	scores := make([]map[string]*qa.Score, len(sources))
	answers := make(map[string][]answerOf) // by question
	for i, s := range sources {
		shape := s.Config.Shape
		runs[i] = Run{Dir: s.Dir, Baseline: shape.Baseline, Model: shape.ModelName()}
		scoring, list, err := runlog.FindScores(s.Dir, c.Scoring, c.Judge)
		if err != nil {
			return nil, err
		}
		runs[i].Scoring = scoring
		scores[i] = qa.ByEpisode(list)
		for rec, err := range s.Episodes() {
			score := scores[i][rec.Episode]
			if err == nil && score != nil && !rec.Outcome.Failed() {
				answer := Peer{Answer: rec.Answer, Verdict: score.Verdict}
				answers[rec.UUID] = append(answers[rec.UUID], answerOf{i, rec.Episode, answer})
			}
		}
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
	return runs, nil
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
		r.Rows = append(r.Rows, rowOf(ctx, s, examples[rec.UUID], rec, score, peers(rec)))
	}
	return nil
}

func rowOf(ctx context.Context, s Source, ex qa.Example, rec runlog.Recorded, score *qa.Score, peers []Peer) Row {
	loss := FindLoss(ex, rec, score, s.Config.Note.Missing)
	row := Row{
		Run: s.Dir, UUID: rec.UUID, Repeat: rec.Repeat, Question: ex.Question, Tags: ex.Tags, Outcome: rec.Outcome, Verdict: score.Verdict,
		Answer: rec.Answer.Text, LostAt: loss.Level, LostAtWeakly: loss.Weak,
		Cause: Of(ctx, Episode{Example: ex, Recorded: rec, Score: score, Loss: loss, Peers: peers}),
	}
	if gold, ok := eval.GoldAnswer(ex.Evaluator); ok {
		row.Gold = gold.String()
	}
	return row
}

// answerOf is an answer with its run and episode.
type answerOf struct {
	run     int
	episode string
	Peer
}

// Types are the columns of the paper's Tables 14 and 15: the question types.
func Types() []string { return []string{"single", "multiple", "retrieval", "comprehensive"} }

// Count is the number of answers with a cause, by question type.
type Count struct {
	Code   Code           `json:"cause"`
	ByType map[string]int `json:"by_type"`
	Total  int            `json:"total"`
}

// Counts counts the causes of a run. Causes of the paper are there even if none is found, others only if one is.
func (r Run) Counts() []Count {
	var list []Count
	for i, code := range Codes() {
		n := Count{Code: code, ByType: make(map[string]int)}
		for _, row := range r.Rows {
			if row.Code != code {
				continue
			}
			n.Total++
			for _, name := range Types() {
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
	}[c]
}

// Agreement compares two opinions on the same wrong answers.
type Agreement struct {
	// A and B name who decided, such as "rules", "people" or the name of a model.
	A string `json:"a"`
	B string `json:"b"`
	// Answers counts the answers that both named a cause of, Equal those with the same cause.
	Answers int `json:"answers"`
	Equal   int `json:"equal"`
	// Interval is Wilson's for the share of equal causes, at 95%; nil without answers.
	Interval *stats.Interval `json:"interval"`
	// Kappa is Cohen's; nil if it is undefined.
	Kappa *float64 `json:"kappa"`
}

// Agree compares two lists of causes of the same answers. Answers without a cause in one of them do not count.
func Agree(nameA, nameB string, a, b []Code) Agreement {
	g := Agreement{A: nameA, B: nameB}
	var left, right []Code
	for i := range a {
		if a[i] == "" || b[i] == "" {
			continue
		}
		left, right = append(left, a[i]), append(right, b[i])
		if a[i] == b[i] {
			g.Equal++
		}
	}
	g.Answers = len(left)
	if g.Answers > 0 {
		interval := stats.Wilson(g.Equal, g.Answers, 0.95)
		g.Interval = &interval
	}
	if kappa := stats.CohenKappa(left, right); !math.IsNaN(kappa) {
		g.Kappa = &kappa
	}
	return g
}

// Agree sets the agreements of the rules with people and with a model, and of these two, as far as there are any.
func (r *Run) Agree() {
	rules, people, model, name := make([]Code, len(r.Rows)), make([]Code, len(r.Rows)), make([]Code, len(r.Rows)), ""
	for i, row := range r.Rows {
		rules[i], people[i] = row.Code, row.Decided
		if row.Opinion != nil {
			model[i], name = row.Opinion.Cause, row.Opinion.Model
		}
	}
	r.Agreements = nil
	for _, g := range []Agreement{Agree("rules", "people", rules, people), Agree("rules", name, rules, model), Agree("people", name, people, model)} {
		if g.Answers > 0 {
			r.Agreements = append(r.Agreements, g)
		}
	}
}

// String is a sentence.
func (g Agreement) String() string {
	text := fmt.Sprintf("%s and %s agree on %d of %d causes", g.A, g.B, g.Equal, g.Answers)
	if g.Interval != nil {
		text += fmt.Sprintf(" (95%% interval %.0f%% to %.0f%%", 100*g.Interval.Low, 100*g.Interval.High)
	}
	if g.Kappa != nil {
		text += fmt.Sprintf(", Cohen's kappa %.2f", *g.Kappa)
	}
	return text + ")"
}
