package cause

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/stats"
	"airqa/internal/terminal"
	"airqa/qa"
)

// rule finds a cause.
type rule struct {
	name string
	code Code
	// right and found count causes in the development fixtures, see [Cause].
	right, found int
	find         func(f *facts) (Cause, bool)
}

// confidence is that of a cause by the rule.
func (r rule) confidence(weak bool) float64 {
	if weak {
		return stats.Wilson(r.right, r.found, 0.95).Low
	}
	return float64(r.right+1) / float64(r.found+2)
}

// rules apply in this order: first what is not the agent's fault, then what keeps an agent from finding anything, then
// where the evidence was lost.
var rules = []rule{
	{"format", WrongScorer, 0, 0, (*facts).formatOnly},
	{"same-answer", WrongScorer, 13, 13, (*facts).sameAnswer},
	{"gold-fails", WrongGold, 0, 0, (*facts).goldFails},
	{"notes-disagree", WrongGold, 1, 1, (*facts).notesDisagree},
	{"outside-scope", OutsideScope, 0, 0, lostAt(LevelScope)},
	{"repeated", Repetition, 13, 13, (*facts).repeated},
	{"peers-agree", WrongGold, 0, 0, (*facts).peersAgree},
	{"paper-not-there", MissingPaper, 0, 0, lostAt(LevelDB)},
	{"paper-not-read", MissingPaper, 13, 13, (*facts).paperNotRead},
	{"source-disagrees", WrongGold, 6, 6, (*facts).sourceDisagrees},
	{"not-viewed", VisualReasoning, 2, 2, (*facts).notViewed},
	{"misread-figure", VisualReasoning, 11, 13, (*facts).misreadFigure},
	{"misread-text", TextualReasoning, 11, 12, (*facts).misreadText},
	{"early", OverConfidence, 12, 13, (*facts).early},
	{"not-found", LackOfContext, 12, 15, (*facts).notFound},
	{"in-view", TextualReasoning, 0, 0, (*facts).inView},
}

// LeastRepeats is the number of equal actions from which an agent repeats itself.
const LeastRepeats = 3

// repeated: the same action three times, in at least a third of the steps.
func (f *facts) repeated() (Cause, bool) {
	count := make(map[string][]qa.Step)
	var most []qa.Step
	for _, s := range f.Steps {
		key := ""
		switch {
		case s.Action != nil && s.Action.Name != "Answer":
			key = normal(*s.Action)
		case s.ParseError != nil && s.Reply != nil:
			key = strings.TrimSpace(s.Reply.Text)
		default:
			continue
		}
		count[key] = append(count[key], s)
		if len(count[key]) > len(most) {
			most = count[key]
		}
	}
	if len(most) < LeastRepeats || 3*len(most) < len(f.Steps) {
		return Cause{}, false
	}
	c := Cause{Why: fmt.Sprintf("the same action in %d of %s", len(most), terminal.Plural(len(f.Steps), "step"))}
	for _, s := range most[:LeastRepeats] {
		ref := actionRef(s)
		if ref.Field == "" {
			ref = field{s.N, "reply.text", s.Reply.Text}.beginning()
		}
		c.Evidence = append(c.Evidence, ref)
	}
	return c, true
}

// lostAt: the evidence was lost at a level that alone is the cause, such as a paper that the database lacks.
func lostAt(level Level) func(*facts) (Cause, bool) {
	return func(f *facts) (Cause, bool) {
		if f.Loss.Level != level {
			return Cause{}, false
		}
		return Cause{Why: f.Loss.Why, Evidence: append(f.lost(), f.reply())}, true
	}
}

// paperNotRead: results have some papers of the question, but not all.
func (f *facts) paperNotRead() (Cause, bool) {
	var read, unread []string
	for _, it := range f.Loss.Items {
		if len(it.Texts) > 0 || len(it.Papers) != 1 {
			continue
		}
		if it.Level == LevelHits || it.Level == LevelLimit {
			unread = append(unread, it.Papers[0])
		} else {
			read = append(read, it.Papers[0])
		}
	}
	if len(read) == 0 || len(unread) == 0 {
		return Cause{}, false
	}
	c := Cause{Why: fmt.Sprintf("no result is from paper %s; results cover %d of the %d papers", unread[0], len(read), len(read)+len(unread))}
	c.Evidence = append(f.actionRefs(5), f.reply())
	return c, true
}

// seen reports whether the ladder has the evidence in a result that the model was shown.
func (f *facts) seen() bool {
	return f.Loss.Level == LevelAnswer || f.Loss.Level == LevelWindow
}

// notViewed: the evidence is in a figure, and the agent got near it but did not look at it.
func (f *facts) notViewed() (Cause, bool) {
	if _, viewed := f.viewed(); !f.inFigure() || viewed || f.searches == 0 {
		return Cause{}, false
	}
	for _, s := range f.acts {
		if s.Observation != nil && s.Observation.Touched != nil && slices.Contains(s.Observation.Touched.Tables, "images") {
			return Cause{
				Why:      fmt.Sprintf("step %d read about figures; no step looked at one", s.N),
				Evidence: []Ref{actionRef(s), f.reply()},
			}, true
		}
	}
	if !f.seen() {
		return Cause{}, false
	}
	return Cause{Weak: f.Loss.Weak, Why: "the evidence is in a figure; no step looked at one", Evidence: append(f.lost(), f.reply())}, true
}

// misreadFigure: a figure, table or formula was in view.
func (f *facts) misreadFigure() (Cause, bool) {
	if !f.visual() {
		return Cause{}, false
	}
	if s, ok := f.viewed(); ok && f.inFigure() {
		return Cause{
			Weak:     f.Loss.Weak || !f.seen(),
			Why:      fmt.Sprintf("step %d showed an image of a page, and the answer is wrong", s.N),
			Evidence: []Ref{actionRef(s), f.reply()},
		}, true
	}
	if !f.seen() {
		return Cause{}, false
	}
	return Cause{Weak: f.Loss.Weak, Why: f.Loss.Why, Evidence: append(f.lost(), f.reply())}, true
}

// misreadText: the relevant text was shown.
func (f *facts) misreadText() (Cause, bool) {
	if !f.seen() || f.visual() {
		return Cause{}, false
	}
	return Cause{Weak: f.Loss.Weak, Why: f.Loss.Why, Evidence: append(f.lost(), f.reply())}, true
}

// early: the agent answered without the evidence after few searches.
func (f *facts) early() (Cause, bool) {
	const fewSearches = 1 // the number of searches up to which an answer without evidence is early
	if !f.answered() || f.seen() || f.searches > fewSearches {
		return Cause{}, false
	}
	c := Cause{Weak: f.Loss.Weak, Why: fmt.Sprintf("the answer came after %s; %s", terminal.Plural(f.searches, "different search action"), f.Loss.Why)}
	c.Evidence = append(f.actionRefs(len(f.acts)), f.reply())
	return c, true
}

// notFound: the agent searched and did not get the evidence.
func (f *facts) notFound() (Cause, bool) {
	if f.seen() || f.Loss.Level == LevelUnknown {
		return Cause{}, false
	}
	refs := slices.Concat(f.lost(), f.actionRefs(5), []Ref{f.reply()})
	return Cause{Weak: f.Loss.Weak, Why: f.Loss.Why, Evidence: refs}, true
}

// inView: the question names nothing to look for, but a passage with most words of the question was shown.
func (f *facts) inView() (Cause, bool) {
	s, sentence, share := f.nearest("")
	if share < enough {
		return Cause{}, false
	}
	return Cause{
		Why:      fmt.Sprintf("step %d showed a passage with most words of the question", s.N),
		Evidence: []Ref{passage(s, sentence, ""), f.reply()},
	}, true
}
