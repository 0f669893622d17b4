package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/train/redact"
	"airqa/train/windows"
)

// tally counts what an export keeps and leaves out. Its unit is the turn of a model, but for the columns that say
// otherwise.
type tally struct {
	runs    []*runTally
	byRun   map[string]*runTally
	endings map[ending]*endingTally
	dropped map[windows.Reason]int
	rows    int
	// trained counts the turns to train, untrained the other turns in whole episodes.
	trained, untrained int
	// selected counts the actions of episodes that the selection keeps, errors the error actions among them, and
	// trainedErrors those that are trained.
	selected, errors, trainedErrors int

	papers map[string]bool
	// paperless is the number of questions without a known paper.
	paperless int
	questions map[string]bool
	tags      map[string]int
	// changed and private count what was changed in the texts of rows.
	changed map[string]int
	private redact.Counts
}

// runTally counts one run.
type runTally struct {
	name, baseline, model       string
	episodes, turns, kept, rows int
}

// ending is how an episode ended and was scored.
type ending struct{ outcome, verdict string }

type endingTally struct{ episodes, turns, kept, rows int }

func newTally() tally {
	return tally{
		byRun: make(map[string]*runTally), endings: make(map[ending]*endingTally), dropped: make(map[windows.Reason]int),
		papers: make(map[string]bool), questions: make(map[string]bool), tags: make(map[string]int),
		changed: make(map[string]int), private: make(redact.Counts),
	}
}

func (t *tally) run(s *source) {
	shape := s.Config.Shape
	r := &runTally{name: s.name, baseline: shape.Baseline, model: shape.ModelName()}
	t.runs, t.byRun[s.ID] = append(t.runs, r), r
}

// endingOf describes the end of an episode.
func endingOf(e *Episode) ending {
	x := ending{cmp.Or(string(e.Recorded.Outcome), "unfinished"), "not scored"}
	if e.Score != nil {
		x.verdict = string(e.Score.Verdict)
	}
	return x
}

// episode counts an episode. selected reports whether the selection keeps it.
func (t *tally) episode(e *Episode, selected bool) {
	turns := e.Recorded.Turns()
	r := t.byRun[e.Run.ID]
	r.episodes++
	r.turns += turns
	x := endingOf(e)
	if t.endings[x] == nil {
		t.endings[x] = new(endingTally)
	}
	t.endings[x].episodes++
	t.endings[x].turns += turns
	if !selected {
		return
	}
	for i := range e.Recorded.Steps {
		_, fault, acts := qa.ActionResult(e.Recorded.Steps, i)
		if acts {
			t.selected++
		}
		if fault != "" {
			t.errors++
		}
	}
}

// keep counts an episode with rows.
func (t *tally) keep(e *Episode, planned []plannedRow) {
	rows := len(planned)
	t.rows += rows
	for _, row := range planned {
		t.trained += row.trained
		t.trainedErrors += row.errors
		t.untrained += row.earlier + 1 - row.trained
	}
	r, x := t.byRun[e.Run.ID], t.endings[endingOf(e)]
	r.kept++
	r.rows += rows
	x.kept++
	x.rows += rows
	if !t.questions[e.Recorded.UUID] {
		if len(e.Example.Papers()) == 0 {
			t.paperless++
		}
		for _, tag := range e.Example.Tags {
			t.tags[tag]++
		}
	}
	t.questions[e.Recorded.UUID] = true
	for _, paper := range e.Example.Papers() {
		t.papers[paper] = true
	}
}

// reasons describes the turns left out on one line, the most frequent reason first.
func (t *tally) reasons() string {
	var parts []string
	for _, reason := range t.sortedReasons() {
		parts = append(parts, fmt.Sprintf("%d %s", t.dropped[reason], reason))
	}
	if len(parts) == 0 {
		return "there are no turns"
	}
	return strings.Join(parts, ", ")
}

func (t *tally) sortedReasons() []windows.Reason {
	return slices.SortedFunc(maps.Keys(t.dropped), func(a, b windows.Reason) int {
		return cmp.Or(t.dropped[b]-t.dropped[a], cmp.Compare(a, b))
	})
}

func (t *tally) totalDropped() int {
	n := 0
	for _, k := range t.dropped {
		n += k
	}
	return n
}

// percent formats a share.
func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(n)/float64(of))
}
