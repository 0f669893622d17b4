package cause

import (
	"fmt"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/internal/python"
	"airqa/internal/words"
	"airqa/qa"
)

// formatOnly: the answer would be right without its wrapping, as the scoring noted.
func (f *facts) formatOnly() (Cause, bool) {
	if !f.Score.FormatOnly {
		return Cause{}, false
	}
	return Cause{Why: "the answer is right except for its format", Evidence: []Ref{f.reply(), f.gold()}}, true
}

// sameAnswer: the corrected evaluation functions accept the answer, or it has every part of the gold and little else.
func (f *facts) sameAnswer() (Cause, bool) {
	if !f.answered() {
		return Cause{}, false
	}
	c := Cause{Evidence: []Ref{f.reply(), f.gold()}}
	switch {
	case eval.New(eval.Config{Mode: eval.Fixed}).Score(f.ctx, f.Evaluator, eval.Answer(f.Answer)).Verdict == qa.Right:
		c.Why = "the corrected evaluation functions accept the answer"
	case f.hasGold():
		c.Why = "the answer contains the gold answer"
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
		length += len(strings.Fields(f.fold(part[i])))
	}
	return len(strings.Fields(f.answer)) <= length+extra
}

func (f *facts) isIn(text string) bool {
	folded := f.fold(text)
	n := len(strings.Fields(folded))
	switch {
	case n == 0:
		return false
	case n >= longGold && !strings.ContainsAny(text, `\^_`):
		return words.Share(folded, f.answer, nil) >= enoughGold
	}
	return strings.Contains(f.answer, folded)
}

// goldFails: no answer can pass, since the gold itself does not.
func (f *facts) goldFails() (Cause, bool) {
	for _, fault := range f.faults(f.ctx, f.Example) {
		if fault.Severity == eval.Error {
			return Cause{Why: fault.Text, Evidence: []Ref{f.gold()}}, true
		}
	}
	return Cause{}, false
}

// notes are the annotator's notes and the quoted evidence of a synthesized question.
func (f *facts) notes() []field {
	var list []field
	for i, text := range f.ReasoningSteps {
		list = append(list, field{0, fmt.Sprintf("reasoning_steps[%d]", i), text})
	}
	for _, it := range f.Loss.Items {
		for _, text := range it.Texts {
			if it.Page > 0 || it.Element != "" {
				list = append(list, field{0, "synth.evidence", text})
			}
		}
	}
	return list
}

// notesDisagree: the annotator's notes, or the quoted evidence of a synthesized question, have the answer and not the
// gold.
func (f *facts) notesDisagree() (Cause, bool) {
	const leastNote = 3 // the minimum length of an answer that may be found in notes: “16” may stand for anything
	telling := len(strings.TrimSpace(f.answer)) >= leastNote && !strings.Contains(f.question, f.answer)
	notes := f.notes()
	hasGold := func(n field) bool { // any alternative of any part
		folded := f.fold(n.text)
		return slices.ContainsFunc(slices.Concat(f.golds...), func(text string) bool {
			g := f.fold(text)
			return strings.TrimSpace(g) != "" && strings.Contains(folded, g)
		})
	}
	if !f.answered() || len(f.golds) == 0 || !telling || slices.ContainsFunc(notes, hasGold) {
		return Cause{}, false
	}
	for _, n := range notes {
		if strings.Contains(f.fold(n.text), f.answer) {
			ref := Ref{Field: n.name}
			if first, end, ok := words.NewFinder(n.text).Find(f.Answer.Text); ok {
				ref = n.excerpt(first, end)
			}
			return Cause{
				Why:      "the notes of the question contain the answer, but not the gold answer",
				Evidence: []Ref{ref, f.reply(), f.gold()},
			}, true
		}
	}
	return Cause{}, false
}

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
		if p.Answer.Given && f.fold(p.Answer.Text) == f.answer {
			same++
		}
	}
	const leastPeers = 2 // the number of other episodes that must give the same answer
	if same < leastPeers || same < len(f.Peers)-same {
		return Cause{}, false
	}
	return Cause{
		Why:      fmt.Sprintf("%d of %d other answers are the same, and none is right", same, len(f.Peers)),
		Evidence: []Ref{f.reply(), f.gold()},
	}, true
}

// enough is the share of the words of a question that a passage must have to be the one that answers it.
const enough = 0.5

// sourceDisagrees: results have every part of the answer, one of them near most words of the question, and lack a part
// of the gold.
func (f *facts) sourceDisagrees() (Cause, bool) {
	if !f.answered() || len(f.golds) == 0 || f.resultsHave(f.golds) {
		return Cause{}, false
	}
	parts := [][]string{{f.Answer.Text}}
	if v, ok := python.Read(f.Answer.Text); ok {
		if list := Parts(python.ToGo(v)); list != nil {
			parts = list
		}
	}
	if !f.resultsHave(parts) {
		return Cause{}, false
	}
	for _, phrase := range slices.Concat(parts...) {
		if s, text, share := f.nearest(f.fold(phrase)); share >= enough {
			return Cause{
				Why:      fmt.Sprintf("a passage of step %d has most words of the question and the answer; no result has the whole gold answer", s.N),
				Evidence: []Ref{passage(s, text, phrase), f.reply(), f.gold()},
			}, true
		}
	}
	return Cause{}, false
}

// resultsHave reports whether the results have an alternative of each part.
func (f *facts) resultsHave(parts [][]string) bool {
	var all strings.Builder
	for _, s := range f.acts {
		if s.Observation != nil && s.Observation.Status == qa.StatusOK {
			all.WriteString(f.fold(unescaped(s.Observation.Text + "\n" + s.Observation.Full)))
		}
	}
	for _, part := range parts {
		if !slices.ContainsFunc(part, func(text string) bool { return strings.Contains(all.String(), f.fold(text)) }) {
			return false
		}
	}
	return true
}

// unescaped replaces the escape sequences inside JSON strings, so that words are separate.
func unescaped(text string) string {
	return strings.NewReplacer(`\\`, `\`, `-\n`, "-\n", `\n`, " ", `\"`, `"`, `\t`, " ").Replace(text)
}

// nearest returns the passage of a result with most content words of the question, among those with a folded phrase,
// and the share of the words that it has. A passage is a sentence with its neighbours.
func (f *facts) nearest(phrase string) (step qa.Step, passage string, share float64) {
	answer := words.Content(phrase)
	for _, s := range f.acts {
		if s.Observation == nil || s.Observation.Status != qa.StatusOK {
			continue
		}
		sentences := strings.SplitAfter(unescaped(s.Observation.Text), ". ")
		for i, text := range sentences {
			if !strings.Contains(f.fold(text), phrase) {
				continue
			}
			nearby := f.fold(strings.Join(sentences[max(0, i-1):min(len(sentences), i+2)], " "))
			if n := words.Share(f.question, nearby, answer); n > share {
				step, passage, share = s, strings.TrimSpace(text), n
			}
		}
	}
	return step, passage, share
}
