package cause

import (
	"fmt"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/internal/words"
	"airqa/qa"
)

// formatOnly: the answer would be right without its wrapping, as the scoring noted.
func (f *facts) formatOnly() (Cause, bool) {
	if !f.Score.FormatOnly {
		return Cause{}, false
	}
	return Cause{Why: "the answer is right but for its form", Evidence: []Ref{f.reply(), f.gold()}}, true
}

// sameAnswer: the corrected evaluation functions accept the answer, or it has every part of the gold and little else.
func (f *facts) sameAnswer() (Cause, bool) {
	if !f.answered() {
		return Cause{}, false
	}
	c := Cause{Evidence: []Ref{f.reply(), f.gold()}}
	switch {
	case f.right():
		c.Why = "the corrected evaluation functions accept the answer"
	case f.hasGold():
		c.Why = "the answer has the gold"
	default:
		return Cause{}, false
	}
	return c, true
}

// Limits of [facts.hasGold].
const (
	// enoughGold is the share of the words of a long gold that an answer must have.
	enoughGold = 0.8
	longGold   = 6
	// extra is the number of words that an answer may have beside those of the gold.
	extra = 15
)

// countsItems are functions whose answer is a list of which several items must be right.
var countsItems = []string{"eval_element_list_included", "eval_element_list_overlap"}

// hasGold reports whether an answer has every part of the gold, and not much else.
func (f *facts) hasGold() bool {
	if len(f.golds) == 0 || slices.Contains(countsItems, f.Evaluator.Func) {
		return false
	}
	length := 0
	for _, part := range f.golds {
		i := slices.IndexFunc(part, f.isIn)
		if i < 0 {
			return false
		}
		length += len(strings.Fields(words.Fold(part[i])))
	}
	return len(strings.Fields(f.answer)) <= length+extra
}

// isIn reports whether the answer has a gold text.
func (f *facts) isIn(text string) bool {
	folded := words.Fold(text)
	n := len(strings.Fields(folded))
	switch {
	case n == 0:
		return false
	case n >= longGold:
		return words.Share(folded, f.answer, nil) >= enoughGold
	}
	return strings.Contains(f.answer, folded)
}

// goldFails: no answer can pass, since the gold itself does not.
func (f *facts) goldFails() (Cause, bool) {
	for _, fault := range eval.Lint(f.ctx, f.Example) {
		if fault.Severity == eval.Error {
			return Cause{Why: fault.Text, Evidence: []Ref{f.gold()}}, true
		}
	}
	return Cause{}, false
}

// leastNote is the minimum length of an answer that may be found in notes: “16” may stand for anything.
const leastNote = 3

// notesDisagree: the annotator's notes, or the quoted evidence of a synthesized question, have the answer and not the
// gold.
func (f *facts) notesDisagree() (Cause, bool) {
	telling := len(strings.TrimSpace(f.answer)) >= leastNote && !strings.Contains(f.question, f.answer)
	if !f.answered() || len(f.golds) == 0 || !telling {
		return Cause{}, false
	}
	type note struct{ field, text string }
	var notes []note
	for i, text := range f.ReasoningSteps {
		notes = append(notes, note{fmt.Sprintf("reasoning_steps[%d]", i), text})
	}
	for _, it := range f.Loss.Items {
		for _, text := range it.Texts {
			if it.Page > 0 || it.Element != "" {
				notes = append(notes, note{"synth.evidence", text})
			}
		}
	}
	all := ""
	for _, n := range notes {
		all += words.Fold(n.text)
	}
	if f.goldIn(all) {
		return Cause{}, false
	}
	for _, n := range notes {
		if strings.Contains(words.Fold(n.text), f.answer) {
			return Cause{
				Why:      "the notes of the question have the answer, and not the gold",
				Evidence: []Ref{quote(0, n.field, n.text, f.Answer.Text), f.reply(), f.gold()},
			}, true
		}
	}
	return Cause{}, false
}

// goldIn reports whether a folded text has any alternative of any part of the gold.
func (f *facts) goldIn(folded string) bool {
	return slices.ContainsFunc(f.golds, func(part []string) bool {
		return slices.ContainsFunc(part, func(text string) bool {
			g := words.Fold(text)
			return strings.TrimSpace(g) != "" && strings.Contains(folded, g)
		})
	})
}

// leastPeers is the number of other episodes that must give the same answer.
const leastPeers = 2

// peersAgree: other episodes gave the same answer, and none a right one.
func (f *facts) peersAgree() (Cause, bool) {
	if !f.answered() {
		return Cause{}, false
	}
	same := 0
	for _, p := range f.Peers {
		if p.Verdict == qa.Right {
			return Cause{}, false
		}
		if p.Answer.Given && words.Fold(p.Answer.Text) == f.answer {
			same++
		}
	}
	if same < leastPeers || same < len(f.Peers)-same {
		return Cause{}, false
	}
	return Cause{
		Why:      fmt.Sprintf("%d of %d other answers are the same, and none is right", same, len(f.Peers)),
		Evidence: []Ref{f.reply(), f.gold()},
	}, true
}

// enough is the share of the words of a question that a sentence must have to be the one that answers it.
const enough = 0.5

// sourceDisagrees: a sentence with most words of the question has the answer, and no result has the gold.
func (f *facts) sourceDisagrees() (Cause, bool) {
	if !f.answered() || len(f.golds) == 0 || len(strings.Fields(f.answer)) > longGold {
		return Cause{}, false
	}
	for _, s := range f.acts {
		if s.Observation != nil && f.goldIn(words.Fold(unescaped(s.Observation.Text+"\n"+s.Observation.Full))) {
			return Cause{}, false
		}
	}
	s, sentence, share := f.nearest(f.answer)
	if share < enough {
		return Cause{}, false
	}
	return Cause{
		Why:      fmt.Sprintf("a sentence of step %d has most words of the question and the answer; no result has the gold", s.N),
		Evidence: []Ref{quote(s.N, "observation.text", s.Observation.Text, sentence), f.reply(), f.gold()},
	}, true
}

// unescaped replaces the line breaks inside JSON strings, so that words are separate.
func unescaped(text string) string {
	return strings.NewReplacer(`\n`, " ", `\"`, `"`, `\t`, " ").Replace(text)
}

// nearest returns the sentence of a result with most content words of the question, among those with a folded phrase,
// and the share of the words that it has.
func (f *facts) nearest(phrase string) (step qa.Step, sentence string, share float64) {
	answer := words.Content(phrase)
	for _, s := range f.acts {
		if s.Observation == nil || s.Observation.Status != qa.StatusOK {
			continue
		}
		for _, text := range strings.SplitAfter(unescaped(s.Observation.Text), ". ") {
			folded := words.Fold(text)
			if !strings.Contains(folded, phrase) {
				continue
			}
			if n := words.Share(f.question, folded, answer); n > share {
				step, sentence, share = s, strings.TrimSpace(text), n
			}
		}
	}
	return step, sentence, share
}
