// Package report turns run directories into what a person reads: the paper's Table 4 ([Collect], [Write]) and one
// trajectory as text ([Trace]). It reads the run log and the scores beside it, and nothing else: it calls no model
// and scores nothing.
package report

import (
	"slices"

	"airqa/qa"
	"airqa/run/runlog"
)

// Column is a group of questions.
type Column struct {
	// Name is the head of the column as the paper prints it; Group the head over several.
	Name, Group string
	Holds       func(qa.Example) bool
}

// Columns are those of the paper's Table 4. A question counts as text only when it has no other element tag
// (Section 2.4), and may count for several of the others.
func Columns() []Column {
	tag := func(tags ...string) func(qa.Example) bool {
		return func(ex qa.Example) bool { return slices.ContainsFunc(tags, ex.HasTag) }
	}
	return []Column{
		{"sgl.", "Question Type", tag("single")},
		{"multi.", "Question Type", tag("multiple")},
		{"retr.", "Question Type", tag("retrieval")},
		{"comp.", "Question Type", tag("comprehensive")},
		{"text", "Element Category", textOnly},
		{"table", "Element Category", tag("table")},
		// Two released records carry the stray tag "figure".
		{"image", "Element Category", tag("image", "figure")},
		{"form.", "Element Category", tag("formula")},
		{"meta.", "Element Category", tag("metadata")},
		{"obj.", "Evaluation", tag("objective")},
		{"subj.", "Evaluation", tag("subjective")},
		{"AVG", "", func(qa.Example) bool { return true }},
	}
}

func textOnly(ex qa.Example) bool {
	return !slices.ContainsFunc([]string{"table", "image", "figure", "formula", "metadata"}, ex.HasTag)
}

// Cell is one number of the table: the mean score of N questions, in per cent.
type Cell struct {
	Column string  `json:"column"`
	Score  float64 `json:"score"`
	N      int     `json:"n"`
}

// Row is one run.
type Row struct {
	Baseline string `json:"baseline"`
	Model    string `json:"model"`
	// Judge and Scoring say by what rules the scores came about.
	Judge   string `json:"judge"`
	Scoring string `json:"scoring"`
	Cells   []Cell `json:"cells"`
	// Questions counts the questions of the run, Scored those in AVG, Unscored those whose episode or judge
	// failed, Unfinished those that were not run yet.
	Questions  int `json:"questions"`
	Scored     int `json:"scored"`
	Unscored   int `json:"unscored"`
	Unfinished int `json:"unfinished"`
	// Turns is the mean number of model calls of a finished episode.
	Turns float64  `json:"turns"`
	Usage qa.Usage `json:"usage"`
	Dir   string   `json:"dir"`
}

// Collect reads one run and its newest scores.
func Collect(run *runlog.Run, examples []qa.Example) (Row, error) {
	scoring, scores, err := runlog.ReadScores(run.Dir)
	if err != nil {
		return Row{}, err
	}
	row := Row{
		Baseline: run.Config.Shape.Baseline, Model: modelName(run.Config), Judge: scoring.Judge, Scoring: scoring.Mode,
		Questions: len(examples), Dir: run.Dir,
	}
	row.count(examples, scores)
	return row, row.effort(run)
}

func (r *Row) count(examples []qa.Example, scores []qa.Score) {
	byUUID := make(map[string]qa.Score, len(scores))
	for _, s := range scores {
		byUUID[s.UUID] = s
	}
	columns := Columns()
	sums := make([]float64, len(columns))
	counts := make([]int, len(columns))
	for _, ex := range examples {
		s, ok := byUUID[ex.UUID]
		switch {
		case !ok:
			r.Unfinished++
			continue
		case s.Verdict == qa.Unscored:
			r.Unscored++
			continue
		}
		r.Scored++
		for i, c := range columns {
			if c.Holds(ex) {
				sums[i] += s.Value
				counts[i]++
			}
		}
	}
	for i, c := range columns {
		cell := Cell{Column: c.Name, N: counts[i]}
		if counts[i] > 0 {
			cell.Score = 100 * sums[i] / float64(counts[i])
		}
		r.Cells = append(r.Cells, cell)
	}
}

// effort sums turns and tokens over the finished episodes.
func (r *Row) effort(run *runlog.Run) error {
	finished, turns := 0, 0
	for rec, err := range run.Episodes() {
		if err != nil {
			continue // a damaged episode has no score either; whoever opened the run tells of it
		}
		if rec.Finished() {
			finished++
			turns += rec.Turns()
		}
		r.Usage = r.Usage.Add(rec.Usage())
	}
	if finished > 0 {
		r.Turns = float64(turns) / float64(finished)
	}
	return nil
}

func modelName(c runlog.Config) string {
	provider, _ := c.Shape.Model["provider"].(string)
	name, _ := c.Shape.Model["model"].(string)
	switch {
	case name == "":
		return provider
	case provider == "":
		return name
	}
	return provider + ":" + name
}
