package text

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report"
	"airqa/report/render"
	"airqa/trace/diff"
)

// DiffRuns prints the episodes whose verdict differs between two runs, by the place where their trajectories diverge. JSON
// has one object per episode.
func DiffRuns(w io.Writer, r diff.Runs, o render.Options) error {
	d := render.Document{Title: "Two runs"}
	for _, f := range r.Flips {
		d.Data = append(d.Data, f)
	}
	d.Add(render.Part{Items: render.Items(runLine("A", r.A), runLine("B", r.B))})
	if list := beforeFirst(diff.Question{Settings: r.Settings}); len(list) > 0 {
		d.Add(render.Part{Title: "Different before step 1", Items: render.Items(list...)})
	}
	count := make(map[diff.Flipped]int)
	for _, f := range r.Flips {
		count[f.Change]++
	}
	summary := fmt.Sprintf("%s in both runs: %d right in A only, %d right in B only, %d unscored in one of them.",
		terminal.Plural(r.Both, "answer"), count[diff.Lost], count[diff.Won], count[diff.NoVerdict])
	if r.Other > 0 {
		summary += fmt.Sprintf(" Left out: %d in one run only.", r.Other)
	}
	d.Add(render.Part{Text: []string{summary}})
	if r.A.Scoring != r.B.Scoring || r.A.Judge != r.B.Judge {
		d.Warn([]string{"the scoring or the judge differs: a verdict may differ for that reason alone"})
	}
	if len(r.Flips) > 0 {
		first := r.Flips[0]
		d.Notes = []string{fmt.Sprintf("airqa diff %s %s %s shows the steps of one.", r.A.Run, r.B.Run, qa.ShortEpisode(first.UUID, first.Repeat))}
		flips := render.Part{Table: flipsTable(r.Flips)}
		if o.Width > 0 {
			flips.Preformatted = flipsList(r.Flips, o)
		}
		d.Add(flips)
	}
	return d.Write(w, o)
}

func runLine(name string, s diff.Side) string {
	return fmt.Sprintf("%s: %s, %s (%s); scoring %s, judge %s", name, s.Baseline, s.Model, s.Run, s.Scoring, s.Judge)
}

// divergences are the headings of the groups of flips.
var divergences = map[diff.Divergence]string{
	diff.Never:       "same actions, same results",
	diff.AtFirst:     "another first action",
	diff.AfterResult: "same action, different result",
	diff.Later:       "another later action",
}

// flipsList has three lines for each flip, for a terminal that is too narrow for the two actions in a line.
func flipsList(flips []diff.Flip, o render.Options) string {
	var b strings.Builder
	for _, group := range diff.Divergences() {
		list := divergedAt(flips, group)
		if len(list) > 0 {
			fmt.Fprintf(&b, "%s\n", o.Style.Bold(fmt.Sprintf("%s: %d", divergences[group], len(list))))
		}
		for _, f := range list {
			head := terminal.Line(qa.ShortEpisode(f.UUID, f.Repeat))
			if f.Step > 0 {
				head += fmt.Sprintf(", step %d", f.Step)
			}
			x, y := flipTexts(f)
			fmt.Fprintf(&b, "  %s: %s in A, %s in B\n", head, f.A.Verdict, f.B.Verdict)
			fmt.Fprintf(&b, "%s\n", o.Style.Paint(red, "    A "+terminal.Clip(x, o.Width-leftOfFlip)))
			fmt.Fprintf(&b, "%s\n", o.Style.Paint(green, "    B "+terminal.Clip(y, o.Width-leftOfFlip)))
		}
	}
	return b.String()
}

// leftOfFlip is the number of columns before an action in a list.
const leftOfFlip = 6

func flipsTable(flips []diff.Flip) *report.Table {
	t := report.NewTable("flips", "Flips", "question", "step", "A", "B", "in A", "in B")
	t.Section = "diverged"
	for i := range t.Heads {
		t.Heads[i].Left = true
	}
	for _, group := range diff.Divergences() {
		list := divergedAt(flips, group)
		name := fmt.Sprintf("%s: %d", divergences[group], len(list))
		for _, f := range list {
			step := "-"
			if f.Step > 0 {
				step = strconv.Itoa(f.Step)
			}
			a, b := flipTexts(f)
			t.Add(name, qa.ShortEpisode(f.UUID, f.Repeat), step, string(f.A.Verdict), string(f.B.Verdict),
				terminal.Clip(a, longestFlip), terminal.Clip(b, longestFlip))
		}
	}
	return t
}

func divergedAt(flips []diff.Flip, group diff.Divergence) []diff.Flip {
	return slices.DeleteFunc(slices.Clone(flips), func(f diff.Flip) bool { return f.Diverged != group })
}

// longestFlip is the maximum width of an action in a table of flips.
const longestFlip = 80

// flipTexts returns the diverging action of each side, its result if the action is the same, or its answer.
func flipTexts(f diff.Flip) (a, b string) {
	if f.Result != nil {
		name, _, _ := strings.Cut(f.A.Action, "(")
		return name + ": " + f.Result.A, name + ": " + f.Result.B
	}
	text := func(side diff.FlippedSide) string {
		switch {
		case f.Step == 0:
			return side.Answer
		case side.Action == "":
			return "(ended: " + string(side.Outcome) + ")"
		}
		return side.Action
	}
	return text(f.A), text(f.B)
}
