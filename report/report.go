// Package report turns run directories into numbers. [Collect] makes a [Row] per run, and [Build] the tables of the AirQA
// paper and additional ones as data. It reads only the run log and its scores: it calls no model and scores nothing.
// Package render prints the tables.
//
// Every number is computed once, in a [Row]; a [Table] selects and formats them.
package report

import (
	"encoding/json"
	"fmt"
	"slices"

	"airqa/internal/stats"
	"airqa/qa"
	"airqa/runlog"
)

// Cell is the mean score of N questions, in percent. A question's value is the mean over its repeats.
type Cell struct {
	Column string `json:"column"`
	// Score is meaningless if N is 0 or the verdicts rule it out; JSON has null then.
	Score float64 `json:"score"`
	N     int     `json:"n"`
	// Interval is in percent; nil if there is none. Method is one of the methods in [Options]: a bootstrap of fewer
	// than [MinClusters] clusters is replaced (see [BootstrapIntervals]).
	Interval *stats.Interval `json:"interval,omitempty"`
	Method   string          `json:"interval_method,omitempty"`
	replaced bool
	// SE is the standard error of Score in points; ClusteredSE treats questions on one paper as dependent
	// ([stats.StandardError]). Both are nil below two questions or clusters, and if all values are equal. Clusters
	// counts papers, and questions without one.
	SE          *float64 `json:"se,omitempty"`
	ClusteredSE *float64 `json:"se_clustered,omitempty"`
	Clusters    int      `json:"clusters"`
	// Unscored counts questions of the column that ran but are not in N. Unjudged counts those of them that lack a
	// judge's verdict. They bias Score, because answers that fail before a judge is asked remain in it.
	Unscored int `json:"unscored"`
	Unjudged int `json:"unjudged"`
	// Bounds are the lowest and highest score that the verdicts allow, answer by answer: with all answers that lack one
	// wrong, and right. They are nil if none lacks one, or all do. They rule Score out if it leaves out partly scored
	// questions that do better, or worse, than the others whatever their missing verdicts are.
	Bounds     *stats.Interval `json:"bounds,omitempty"`
	impossible bool
}

// Incomplete reports whether judge verdicts are missing, or the verdicts that there are rule the score out.
func (c Cell) Incomplete() bool { return c.Unjudged > 0 || c.impossible }

// Shown reports whether Score is worth printing: the verdicts allow it, and more questions are scored than lack a judge's
// verdict.
func (c Cell) Shown() bool { return c.N > c.Unjudged && !c.impossible }

// MarshalJSON writes null for the score of no questions, and for one that the verdicts rule out.
func (c Cell) MarshalJSON() ([]byte, error) {
	type plain Cell
	if c.N > 0 && !c.impossible {
		return json.Marshal(plain(c))
	}
	return json.Marshal(struct {
		plain
		Score *float64 `json:"score"`
	}{plain: plain(c)})
}

// System is what answered and how its answers were scored.
type System struct {
	Baseline string `json:"baseline"`
	Model    string `json:"model"`
	// Judge and Scoring are the rules behind the scores.
	Judge   string `json:"judge"`
	Scoring string `json:"scoring"`
}

// Row has the numbers of one run.
type Row struct {
	System
	Dir string `json:"dir"`
	// Shard is the part of the questions that the run answers, such as "3/16"; empty for all.
	Shard string `json:"shard,omitempty"`
	// Cells are in the order of [Columns].
	Cells []Cell `json:"cells"`
	// Newer is the newest scoring if an older one was read (see [runlog.FindScores]); otherwise nil.
	Newer *runlog.Scoring `json:"newer_scoring,omitempty"`
	// Questions counts the questions of the run: Scored those in AVG, Partial those excluded because only some repeats
	// have a verdict (none with [Options.IncludePartial]), Unscored those whose episodes or judge failed, Damaged those
	// with unreadable episodes, Unfinished those that have not run yet.
	Questions  int `json:"questions"`
	Scored     int `json:"scored"`
	Partial    int `json:"partly_scored"`
	Unscored   int `json:"unscored"`
	Damaged    int `json:"damaged"`
	Unfinished int `json:"unfinished"`
	// Answers counts scored answers including repeats; UnscoredAnswers counts those without a verdict.
	Answers         int `json:"answers"`
	UnscoredAnswers int `json:"unscored_answers"`
	// Clusters counts the papers, and questions without one, in Scored (see [BootstrapIntervals]).
	Clusters int      `json:"clusters"`
	Repeats  Repeats  `json:"repeats"`
	Effort   Effort   `json:"effort"`
	Actions  Actions  `json:"actions"`
	Outcomes Outcomes `json:"outcomes"`
	// Functions are sorted by name; By is nil without [Options.By], Each without the table "answers".
	Functions []Function `json:"functions"`
	By        []Part     `json:"by,omitempty"`
	Each      []Answer   `json:"each_answer,omitempty"`
	// Measures are the measures of a companion benchmark.
	Measures []Measure `json:"measures,omitempty"`
	// Panel is nil for scores by a single judge.
	Panel *Panel `json:"panel,omitempty"`
	// Within[i] is the percentage of the scored questions that are right after at most i+1 model calls.
	Within []float64 `json:"right_within_turns"`
	// Missing counts the questions whose papers are not in the data directory; nil if there are none.
	Missing *runlog.Lacking `json:"missing_papers,omitempty"`
	// NoEvaluator counts the questions that cannot be scored for lack of an evaluator.
	NoEvaluator int `json:"no_evaluator,omitempty"`
	// Usage sums the tokens of all episodes, finished or not.
	Usage qa.Usage `json:"usage"`

	questions []question // only with [Options.TrainingSizes]
	// Mark follows the baseline if another row has the same names; [Marked] sets it.
	Mark string `json:"-"`
}

// Cell returns the cell of a column of [Columns]; it is empty for another name.
func (r Row) Cell(column string) Cell {
	for _, c := range r.Cells {
		if c.Column == column {
			return c
		}
	}
	return Cell{Column: column}
}

// Options select what [Collect] reads and which tables [Build] makes. The zero value reads the newest scores, computes
// no intervals, and makes Table 4.
type Options struct {
	// Table is one of [Tables]; empty is "4", "by" if By is set, "training-size" if TrainingSizes is, or "measures" if all runs have some.
	Table string `default:"" placeholder:"TABLE" enum:",4,5,6,7,10,11,12,13,measures,functions,outcomes,repeats,judges,by,leaderboard,training-size,answers,all" help:"4 to 7, 10 to 13 (as in the paper), measures, functions, outcomes, repeats, judges, by, leaderboard, training-size, answers or all. Default: 4; measures for companion benchmarks; by or training-size with these flags; all for html."`
	// Intervals is one of [NoIntervals], [WilsonIntervals] and [BootstrapIntervals]; empty is none. Seed seeds the
	// bootstrap: the same seed gives the same intervals.
	Intervals string `default:"wilson" enum:"wilson,bootstrap,none" help:"95% intervals: wilson, bootstrap (clustered by paper) or none."`
	Seed      uint64 `name:"bootstrap-seed" default:"1" help:"Seed of the bootstrap."`
	// By is a field or tag of the questions; the table "by" has a line for each of its values.
	By string `placeholder:"FIELD|TAG" help:"Break scores down by a question field or tag, such as conference, tags, annotator, papers or formula."`
	// WithPaper adds the paper's own rows to its tables.
	WithPaper bool `help:"Also show the paper's own numbers."`
	runlog.Choice
	// IncludePartial counts a partly scored question by its scored repeats. By default it is excluded: failures of
	// judges and endpoints may depend on the answer, which would bias the mean of the rest.
	IncludePartial bool `help:"Include questions with only some repeats scored. Default: leave them out."`
	// TrainingSizes are the numbers of trajectories that models were trained on, by [Row.Model]; see [Trained].
	TrainingSizes map[string]int `kong:"-"`
	// Price is used for runs that did not record the price of their model; nil knows none.
	Price Price `kong:"-"`
}

// Collect reads one run and its scores, selected by o.Scoring and o.Judge or else by [runlog.FindScores].
func Collect(run *runlog.Run, examples []qa.Example, o Options) (Row, error) {
	scoring, scores, err := runlog.FindScores(run.Dir, o.Choice)
	if err != nil {
		return Row{}, err
	}
	row := Row{
		System: System{run.Config.Shape.Baseline, run.Config.Shape.ModelName(), scoring.Judge, scoring.Mode},
		Newer:  scoring.Newer, Questions: len(examples), Dir: run.Dir, Shard: run.Config.Shape.Shard,
	}
	episodes := readEpisodes(run)
	questions := o.gather(examples, scores, episodes)
	row.count(questions, Columns(), o)
	if o.TrainingSizes != nil {
		row.questions = questions
	}
	row.Repeats, row.Measures = repeats(questions), measures(questions)
	price := o.priceOf(run, row.Model)
	row.Effort = effort(episodes, price)
	for _, e := range episodes {
		row.Actions.Actions += e.actions.Actions
		for kind, n := range e.actions.Kinds {
			row.Actions.fault(kind, n)
		}
	}
	row.Outcomes = countOutcomes(questions)
	row.Functions = tallies(o, questions, func(ex qa.Example) []string { return []string{ex.Evaluator.Func} },
		func(name string, t Tally) Function { return Function{name, t} })
	if row.By, err = o.parts(examples, questions); err != nil {
		return Row{}, fmt.Errorf("%s: %w", run.Dir, err)
	}
	if o.Table == answerName {
		row.Each = answers(questions, price)
	}
	row.Panel = panel(scores)
	if row.Within = within(questions); row.Cell(Average).impossible { // no means without AVG
		row.Within = nil
		row.Repeats.Each, row.Repeats.Mean, row.Repeats.Spread = make([]*float64, row.Repeats.K), nil, nil
		for i, p := range row.Repeats.Passes {
			row.Repeats.Passes[i] = Pass{K: p.K}
		}
	}
	for _, ex := range examples {
		if ex.Evaluator.Func == "" {
			row.NoEvaluator++
		}
	}
	begun := make(map[string]bool) // the questions with an episode
	for _, e := range episodes {
		uuid, _ := qa.SplitEpisodeID(e.id)
		begun[uuid] = true
		row.Usage = row.Usage.Add(e.usage)
	}
	row.Missing = run.Config.Note.Missing.Lacking(begun)
	return row, nil
}

// count fills the cells of some columns, and counts what is missing in them.
func (r *Row) count(questions []question, columns []Column, o Options) {
	clusters := make(map[string]bool)
	for _, q := range questions {
		for _, t := range q.tries {
			if t.score != nil {
				r.Answers++
			}
			if t.unscored() {
				r.UnscoredAnswers++
			}
		}
		switch _, ok := q.value(); {
		case ok:
			r.Scored++
			clusters[Cluster(q.Example)] = true
		case q.dropped:
			r.Partial++
		case q.seen():
			r.Unscored++
		case slices.ContainsFunc(q.tries, func(t try) bool { return t.episode != nil && t.episode.damaged }):
			r.Damaged++
		default:
			r.Unfinished++
		}
	}
	r.Clusters = len(clusters)
	for _, c := range columns {
		r.Cells = append(r.Cells, o.cell(c.Name, questions, c.Holds))
	}
}

// Column is a group of questions.
type Column struct {
	// Name is the head of the column as in the paper; Group is the head that spans several.
	Name, Group string
	Holds       func(qa.Example) bool
}

// Average is the name of the column with all questions.
const Average = "AVG"

// Columns are the columns of the paper's Tables 4 and 5. A question counts as text only if it has no other element tag
// (Section 2.4), and may count in several of the other columns.
func Columns() []Column {
	tag := func(tags ...string) func(qa.Example) bool {
		return func(ex qa.Example) bool { return slices.ContainsFunc(tags, ex.HasTag) }
	}
	other := tag("table", "image", "figure", "formula", "metadata")
	return []Column{
		{"sgl.", "Question Type", tag("single")},
		{"multi.", "Question Type", tag("multiple")},
		{"retr.", "Question Type", tag("retrieval")},
		{"comp.", "Question Type", tag("comprehensive")},
		{"text", "Element Category", func(ex qa.Example) bool { return !other(ex) }},
		{"table", "Element Category", tag("table")},
		// Two released records carry the stray tag "figure".
		{"image", "Element Category", tag("image", "figure")},
		{"form.", "Element Category", tag("formula")},
		{"meta.", "Element Category", tag("metadata")},
		{"obj.", "Evaluation", tag("objective")},
		{"subj.", "Evaluation", tag("subjective")},
		{Average, "", func(qa.Example) bool { return true }},
	}
}
