package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"airqa/qa"
	"airqa/train"
)

// tally counts what an export keeps and leaves out. Its unit is the turn of a model, but for the columns that say
// otherwise.
type tally struct {
	runs    []*group
	byRun   map[string]*group
	endings map[ending]*group
	dropped map[train.Reason]int
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
	private train.Redactions
	// measured counts rows against the limit of tokens.
	measured measured
}

// group counts the episodes of one run, or of one ending.
type group struct {
	*source
	episodes, turns, kept, rows int
}

// count counts an episode. selected reports whether the selection keeps it.
func (t *tally) count(x *entry, selected bool) {
	if t.endings[x.ending()] == nil {
		t.endings[x.ending()] = new(group)
	}
	for _, g := range []*group{t.byRun[x.ID], t.endings[x.ending()]} {
		g.episodes++
		g.turns += len(x.turns)
	}
	if selected {
		t.selected += x.actions
		t.errors += x.faults
	}
}

func (t *tally) keep(x *entry, rows []*row) {
	t.rows += len(rows)
	for _, row := range rows {
		t.trained += len(row.trains)
		t.trainedErrors += row.errors
		t.untrained += row.earlier + 1 - len(row.trains)
	}
	for _, g := range []*group{t.byRun[x.ID], t.endings[x.ending()]} {
		g.kept++
		g.rows += len(rows)
	}
	ex := x.example()
	if !t.questions[x.uuid] {
		if len(ex.Papers()) == 0 {
			t.paperless++
		}
		for _, tag := range ex.Tags {
			t.tags[tag]++
		}
	}
	t.questions[x.uuid] = true
	for _, paper := range ex.Papers() {
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

func (t *tally) sortedReasons() []train.Reason {
	return slices.SortedFunc(maps.Keys(t.dropped), func(a, b train.Reason) int {
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

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(n)/float64(of))
}

// labels counts the rows of right and of other episodes.
func (t *tally) labels() (right, wrong int) {
	for end, n := range t.endings {
		if end.verdict == string(qa.Right) {
			right += n.rows
		} else {
			wrong += n.rows
		}
	}
	return right, wrong
}

// labelWeights are the weights of right and wrong rows with which both have the same part in the loss, as TRL advises.
func (t *tally) labelWeights() (right, wrong string) {
	n, m := t.labels()
	weight := func(few, many int) string {
		return strconv.FormatFloat(max(1, float64(many)/float64(max(few, 1))), 'f', 2, 64)
	}
	return weight(n, m), weight(m, n)
}
