package synthesis

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"airqa/extractor/candidate"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
)

// Health describes the trajectories of an actor by run: how they ended and what went wrong on the way.
type Health []RunHealth

// RunHealth describes the trajectories of one run.
type RunHealth struct {
	Run      string
	Episodes int
	// Results counts episodes and their turns by result: right, wrong, unscored, or the outcome of one without an answer.
	Results map[string]Turns
	// EmptyReplies are replies without text and call, HiddenAnswers those whose only call is in the reasoning, and
	// DescribedCalls those that mention a tool and call none.
	EmptyReplies, HiddenAnswers, DescribedCalls int
	// FormatErrors are replies without a runnable action, Errors failed actions, Replies all replies.
	FormatErrors, Errors, Replies int
}

// Turns counts episodes and the replies in them.
type Turns struct{ Episodes, Turns int }

// readHealth reads a run. It also returns a line for each finished episode of a synthesized question.
func readHealth(dir string, origins map[string]candidate.Synth) (r RunHealth, lines []candidate.Line, err error) {
	run, err := runlog.Open(dir)
	if err != nil {
		return r, nil, err
	}
	_, list, err := runlog.ReadScores(dir)
	if err != nil && !errors.Is(err, runlog.ErrNoScores) {
		return r, nil, err
	}
	scores := qa.ByEpisode(list)
	r = RunHealth{Run: filepath.Base(dir), Results: make(map[string]Turns)}
	for rec, err := range run.Episodes() {
		if err != nil || rec.Outcome == "" {
			continue // the run reports damaged and unfinished episodes
		}
		result := resultOf(rec.Trajectory, scores[rec.Episode])
		r.count(rec.Trajectory, result)
		if origin, ok := origins[rec.UUID]; ok && rec.Repeat == 0 {
			line := candidate.Line{
				Candidate: origin.Candidate, Stage: candidate.Act, Category: origin.Category, Attempt: rec.Turns(), Outcome: candidate.Done,
				Detail: fmt.Sprintf("%s: %s after %s, %s", r.Run, rec.Outcome, terminal.Plural(rec.Turns(), "turn"), result),
				Usage:  rec.Usage(),
			}
			if rec.Outcome.Failed() {
				line.Outcome, line.Reason = candidate.Failed, candidate.CallFailed
			}
			lines = append(lines, line)
		}
	}
	return r, lines, nil
}

// resultOf is the verdict on an answer, or the outcome of an episode without one.
func resultOf(t qa.Trajectory, score *qa.Score) string {
	switch {
	case !t.Answer.Given || t.Outcome.Failed():
		return string(t.Outcome)
	case score == nil:
		return string(qa.Unscored)
	}
	return string(score.Verdict)
}

func mentionsTool(text string) bool {
	names := []string{"Retrieve(", "Query(", "View(", "Answer(", "[Action]"} // those that a described call mentions
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, name) })
}

func (r *RunHealth) count(t qa.Trajectory, result string) {
	r.Episodes++
	n := r.Results[result]
	r.Results[result] = Turns{n.Episodes + 1, n.Turns + t.Turns()}
	for _, s := range t.Steps {
		if s.Reply == nil {
			continue
		}
		r.Replies++
		if s.Observation != nil && s.Observation.Status == qa.StatusError {
			r.Errors++
		}
		if s.ParseError == nil {
			continue
		}
		r.FormatErrors++
		text := strings.TrimSpace(s.Reply.Text)
		switch {
		case text == "" && mentionsTool(s.Reply.Reasoning):
			r.HiddenAnswers++
		case text == "":
			r.EmptyReplies++
		case s.ParseError.Kind == qa.ErrNoAction && mentionsTool(text):
			r.DescribedCalls++
		}
	}
}

// Text prints the health for a terminal width; 0 means any.
func (h Health) Text(width int) string {
	results := terminal.Table{Head: []string{"run", "result", "episodes", "turns each"}}
	faults := terminal.Table{
		Head: []string{"run", "replies", "format errors", "failed actions", "empty", "answer in reasoning", "described calls"},
	}
	for _, r := range h {
		keys := slices.SortedFunc(maps.Keys(r.Results), func(a, b string) int {
			return cmp.Or(cmp.Compare(r.Results[b].Episodes, r.Results[a].Episodes), cmp.Compare(a, b))
		})
		for _, key := range keys {
			n := r.Results[key]
			mean := fmt.Sprintf("%.1f", float64(n.Turns)/float64(n.Episodes))
			results.Rows = append(results.Rows, []string{r.Run, key, fmt.Sprint(n.Episodes), mean})
		}
		faults.Rows = append(faults.Rows, []string{
			r.Run, fmt.Sprint(r.Replies), fmt.Sprint(r.FormatErrors), fmt.Sprint(r.Errors), fmt.Sprint(r.EmptyReplies),
			fmt.Sprint(r.HiddenAnswers), fmt.Sprint(r.DescribedCalls),
		})
	}
	return results.Text(width) + "\n\n" + faults.Text(width)
}
