package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/runlog"
)

// Level is the rung of the ladder where evidence was lost. It is empty for a right answer.
type Level string

// The levels, in the order in which evidence gets lost.
const (
	// LevelDB means that a paper of the question is not in the database.
	LevelDB Level = "db"
	// LevelScope means that Retrieve did not search a paper of the question, and the run had no other tool that reaches it.
	LevelScope Level = "scope"
	// LevelHits means that no action found the evidence.
	LevelHits Level = "hits"
	// LevelLimit means that the evidence was among the hits beyond the limit of a retrieval.
	LevelLimit Level = "limit"
	// LevelCut means that a result had the evidence, in the part that was not shown.
	LevelCut Level = "cut"
	// LevelWindow means that the evidence was shown, but not in the request of the last reply.
	LevelWindow Level = "window"
	// LevelAnswer means that the last reply had the evidence in view, and the answer is wrong all the same.
	LevelAnswer Level = "answer"
	// LevelUnknown means that the question names no evidence to look for, or that its answer has no verdict.
	LevelUnknown Level = "unknown"
)

// Levels returns all levels of a wrong answer in the order of the ladder.
func Levels() []Level {
	return []Level{LevelDB, LevelScope, LevelHits, LevelLimit, LevelCut, LevelWindow, LevelAnswer, LevelUnknown}
}

// Label is the level as in lists: “?” marks evidence matched by text alone.
func (l Level) Label(weak bool) string {
	if weak {
		return string(l) + "?"
	}
	return string(l)
}

// Loss is where the evidence of one answer was lost.
type Loss struct {
	// Level is that of the item that was lost first.
	Level Level `json:"lost_at"`
	// Weak means that the level depends on a match by text, or on a page that has more than the evidence.
	Weak bool `json:"weak,omitempty"`
	// Steps are the steps whose result has the deciding item; nil if none has it.
	Steps []int `json:"steps,omitempty"`
	// Why is one sentence about the deciding item.
	Why string `json:"why,omitempty"`
	// Places are where the log has the deciding item, one for each of the steps.
	Places []Place `json:"-"`
	// Items are all pieces of evidence, in the order of the question's papers and gold answers.
	Items []Item `json:"items,omitempty"`
}

// Place is where the log has an item, without a quote. Step is 0 for a message, in the field "messages.N.text". First and End
// are both 0 if the row has the item, but no text of it, or in other words.
type Place struct {
	Ref
	text string // of the field
}

// Item is one piece of evidence: a paper, a place in a paper, or a text.
type Item struct {
	// Papers are the papers that may have the evidence; any of them will do.
	Papers []string `json:"papers,omitempty"`
	// Page counts from 1; 0 if unknown. Box is [x0, y0, width, height] in points.
	Page int       `json:"page,omitempty"`
	Box  []float64 `json:"box,omitempty"`
	// Element is the id of a row of the database: a passage, table, figure or section.
	Element string `json:"element,omitempty"`
	// Kind is the kind of the element, such as "table"; empty if unknown.
	Kind string `json:"kind,omitempty"`
	// Texts are alternatives, any of which proves the answer.
	Texts []string `json:"texts,omitempty"`

	Level Level `json:"level"`
	Weak  bool  `json:"weak,omitempty"`
	Steps []int `json:"steps,omitempty"`
	// Rank is the best rank of a retrieval with the item; 0 if there is none.
	Rank int `json:"rank,omitempty"`

	// whole means that any part of the paper is evidence, since the question asks for the paper.
	whole bool
	// quoted means that Texts has words of the paper, byte for byte.
	quoted bool
	// computed means that the text is a number that may be computed from the papers.
	computed bool
	// rows are the rows that have the item; matched is the one of Texts that was found.
	rows    []row
	matched string
}

// FindLoss finds where the evidence for an answer of a run was lost. score may be nil, and the configuration empty.
func (f *Finder) FindLoss(ex qa.Example, rec runlog.Recorded, score *qa.Score, run runlog.Config) Loss {
	switch {
	case score != nil && score.Verdict == qa.Right:
		return Loss{}
	case rec.Outcome.Failed():
		return Loss{Level: LevelUnknown, Why: fmt.Sprintf("the episode failed: %s", rec.Outcome)}
	case rec.Outcome == "":
		return Loss{Level: LevelUnknown, Why: "the episode is not finished"}
	case ex.Evaluator.Func == "":
		return Loss{} // there is no right answer that could be missed
	case score == nil || score.Verdict == qa.Unscored:
		return Loss{Level: LevelUnknown, Why: "the answer has no verdict"}
	}
	l := f.Evidence(ex, rec)
	if missing := run.Note.Missing; missing != nil && (slices.Contains(missing.Named, ex.UUID) || slices.Contains(missing.Searched, ex.UUID)) {
		l.Level, l.Weak, l.Steps, l.Places = LevelDB, false, nil, nil
		l.Why = "the data directory lacks a paper that the question names, or all papers of a conference that it searches"
	}
	if l.Level != LevelDB {
		l.limitTo(run, ex.UUID)
	}
	return l
}

// limitTo makes the first paper that no tool of the run reaches the evidence that was lost first.
func (l *Loss) limitTo(run runlog.Config, uuid string) {
	scope, _ := run.Shape.Settings["scope"].(string)
	for _, paper := range slices.Backward(run.OutOfReach(uuid)) {
		at := slices.IndexFunc(l.Items, func(it Item) bool {
			return it.Level == LevelHits && slices.Contains(it.Papers, strings.ToLower(paper))
		})
		if at < 0 {
			continue
		}
		l.Items[at].Level, l.Items[at].Weak = LevelScope, false
		l.Level, l.Weak, l.Steps = LevelScope, false, nil
		l.Why = fmt.Sprintf("paper %s is outside the scope of Retrieve (--scope %s), and the baseline has no other tool that reaches it", paper, scope)
		l.Places = []Place{
			{Ref: Ref{Field: "run.shape.settings.scope", Quote: scope}}, {Ref: Ref{Field: "run.note.out_of_scope", Quote: paper}},
		}
	}
}

// Evidence finds how far each item of evidence got, whatever the verdict.
func (f *Finder) Evidence(ex qa.Example, rec runlog.Recorded) Loss {
	l := Loss{Level: LevelUnknown, Why: "the question names no paper, and its gold answer has no text to search for"}
	s := f.seenIn(ex, rec)
	for _, it := range f.question(ex).items {
		l.Items = append(l.Items, s.place(it))
	}
	if len(l.Items) == 0 {
		return l
	}
	rank := func(it Item) int { // of one level, an item of known place comes first; of the last, one that decides
		rank := 4 * slices.Index(ladder, it.Level)
		if it.Level == LevelAnswer && !it.decides() {
			rank += 2
		}
		if it.Weak {
			rank++
		}
		return rank
	}
	first := slices.MinFunc(l.Items, func(a, b Item) int { return rank(a) - rank(b) })
	l.Places = s.places(&first)
	l.Level, l.Weak, l.Steps, l.Why = first.Level, first.Weak, first.Steps, s.why(first)
	if l.Level == LevelAnswer && !first.decides() {
		l.Level, l.Weak = LevelUnknown, false
		l.Why = "the last reply saw passages of each paper; it is unknown which of them contains the answer"
	}
	return l
}

// decides reports whether having the item in view means having the answer in view.
func (it Item) decides() bool {
	return it.whole || it.Page > 0 || it.Element != "" || len(it.Texts) > 0
}

// ladder orders the levels of items. Only an item that is known to be in view is after one of unknown place.
var ladder = []Level{LevelDB, LevelScope, LevelHits, LevelLimit, LevelCut, LevelWindow, LevelUnknown, LevelAnswer}

// why is a sentence about an item.
func (s seen) why(it Item) string {
	where := ""
	if len(it.Steps) > 0 {
		where = fmt.Sprintf("step %d", it.Steps[len(it.Steps)-1])
	}
	switch it.Level {
	case LevelDB:
		return it.name() + " is not in the database"
	case LevelHits:
		return "no result contains " + it.name()
	case LevelLimit:
		return fmt.Sprintf("%s is hit %d of %s, beyond the limit", it.name(), it.Rank, where)
	case LevelCut:
		return fmt.Sprintf("%s is in the result of %s, in the part that was not shown", it.name(), where)
	case LevelWindow:
		return fmt.Sprintf("%s showed %s; the last reply, step %d, no longer saw it", where, it.name(), s.last)
	case LevelAnswer:
		return fmt.Sprintf("%s showed %s, and the last reply saw it", where, it.name())
	}
	return "the gold answer " + it.name() + " may have to be computed, and no result contains it"
}

// name describes an item in a sentence.
func (it Item) name() string {
	const long = 60
	var parts []string
	if len(it.Texts) > 0 {
		text := []rune(cmp.Or(it.matched, it.Texts[0]))
		if len(text) > long {
			text = append(text[:long], '…')
		}
		parts = append(parts, fmt.Sprintf("%q", string(text)))
	}
	if it.Element != "" && it.Element != strings.Join(it.Papers, "") {
		parts = append(parts, strings.TrimSpace(it.Kind+" "+it.Element))
	}
	if it.Page > 0 {
		parts = append(parts, fmt.Sprintf("page %d", it.Page))
	}
	if len(it.Papers) > 0 && len(it.Texts) == 0 {
		parts = append(parts, "paper "+strings.Join(it.Papers, " or "))
	}
	return strings.Join(parts, " of ")
}
