package report

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/terminal"
)

// Notes are the lines below all tables: how the scores were made, and what is missing. If the runs differ, each has a
// line of its own.
func Notes(rows []Row) []string {
	notes := perRun(rows, func(r Row) string { return r.Scoring + "; judge of subjective answers: " + judgeName(r.Judge) }, "Scoring: %s.")
	if len(notes) > 1 {
		notes = append(notes, "Warning: these scores use different rules and are not comparable. Choose one with --scoring and --judge.")
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Model == "offline" }) {
		notes = append(notes, "The model \"offline\" is a rule-based policy that ships with airqa, not a language model: "+
			"its scores say nothing about any model.")
	}
	for _, r := range rows {
		notes = append(notes, r.notes()...)
	}
	return notes
}

// notes are the notes on one run.
func (r Row) notes() []string {
	var notes []string
	add := func(format string, args ...any) {
		notes = append(notes, r.place()+": "+fmt.Sprintf(format, args...))
	}
	if r.Newer != nil {
		add("the newest scoring (%s) has fewer verdicts than the one shown (%s). --scoring %s --judge %s shows the newest.",
			rules(r.Newer.Mode, r.Newer.Judge), rules(r.Scoring, r.Judge), terminal.Line(r.Newer.Mode), terminal.Line(r.Newer.Judge))
	}
	if r.NoEvaluator > 0 {
		add("%d of %d questions stay unscored: no evaluator.", r.NoEvaluator, r.Questions)
	}
	if r.Missing != nil {
		add("%s.", r.Missing)
	}
	if r.Repeats.K > 1 {
		add("%d repeats of each question; its value is the mean over them, and n counts questions.", r.Repeats.K)
	}
	if r.Scored < r.Questions {
		add("%s", r.missing())
	}
	if r.UnscoredAnswers > 0 && r.Repeats.K > 1 {
		add("%d of %d answers have no verdict.", r.UnscoredAnswers, r.Answers)
	}
	if n := r.Outcomes.count(formatOnly); n > 0 {
		add("%d wrong answers would be right without their wrapping, such as quotes or Markdown.", n)
	}
	if n := r.Outcomes.count(notScored); n > 0 {
		add("%d episodes ended after these scores were made; airqa score includes them.", n)
	}
	return notes
}

func rules(mode, judge string) string {
	return terminal.Line(mode) + ", judge " + terminal.Line(judge)
}

// missing counts the questions that are not in the average.
func (r Row) missing() string {
	text := fmt.Sprintf("%d of %d questions counted; %d unscored, %d not run yet", r.Scored, r.Questions, r.Unscored, r.Unfinished)
	if r.Damaged > 0 {
		text += fmt.Sprintf(", %d damaged in the log, to be rerun", r.Damaged)
	}
	if r.Shard != "" {
		text = "shard " + r.Shard + "; " + text
	}
	if r.Partial > 0 {
		text += fmt.Sprintf(", %d excluded as only partly scored (--include-partial counts their scored repeats)", r.Partial)
	}
	return text + "."
}

// cellNotes describe the intervals of the cells, and list the cells that lack judge verdicts, with the range of their scores.
func (o Options) cellNotes(rows []Row, cells func(Row) []Cell) []string {
	notes := o.intervalNotes(rows, cells)
	for _, r := range rows {
		var list []string
		ranged := ""
		for _, c := range cells(r) {
			if c.impossible {
				ranged = "A range: the mean of the counted questions is outside of it, and cannot be the score. "
			}
			switch {
			case !c.Incomplete():
			case c.Bounds != nil:
				list = append(list, fmt.Sprintf("%s %d (%.2f to %.2f)", c.Column, c.Unjudged, c.Bounds.Low, c.Bounds.High))
			default:
				list = append(list, fmt.Sprintf("%s %d", c.Column, c.Unjudged))
			}
		}
		if len(list) > 0 {
			notes = append(notes, fmt.Sprintf("%s %s: incomplete and biased. Answers that fail without a judge count; answers that wait for a "+
				"judge's verdict do not. A dash: at least half wait. %sQuestions that wait (lowest to highest score that the verdicts allow): %s. "+
				"airqa score requests the missing verdicts.", incompleteMark, r.place(), ranged, strings.Join(list, ", ")))
		}
	}
	return notes
}

// perRun returns one line if what is equal for all rows, or else a line per value with its directories.
func perRun(rows []Row, what func(Row) string, format string) []string {
	var notes []string
	runs := make(map[string][]string)
	for _, r := range rows {
		note := fmt.Sprintf(format, what(r))
		if runs[note] == nil {
			notes = append(notes, note)
		}
		runs[note] = append(runs[note], r.place())
	}
	if len(notes) < 2 {
		return notes
	}
	for i, note := range notes {
		notes[i] = strings.Join(runs[note], ", ") + ": " + note
	}
	return notes
}

// place identifies a run in a note.
func (r Row) place() string { return terminal.Line(r.Baseline) + " (" + terminal.Line(r.Dir) + ")" }

func judgeName(judge string) string {
	if judge == "offline" {
		return "offline (lexical overlap, no language model)"
	}
	return terminal.Line(judge)
}
